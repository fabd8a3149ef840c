//! Membership in the lease group: who owns which slot is decided by Kafka's group coordinator and nobody else.
//!
//! A slot is a partition of the lease topic. The member takes part in the cooperative rebalances of the group but fetches nothing: every
//! assignment is answered with an empty one.

mod close;

use crate::{
    error::{ErrorKind, KafkaError},
    fence::{Fence, FenceLost, GroupSnapshot},
    native::{self, Client, Event, Kind, Partitions, Queue, elements, millis},
    settings::ClientSettings,
};
use rdkafka::bindings as sys;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

/// How to be a member.
#[derive(Clone, Debug)]
pub struct LeaseOptions {
    /// The lease group.
    pub group: String,
    /// The lease topic, one partition a slot.
    pub topic: String,
    /// This node's name in the group, kept over restarts: a restarted node gets its slots back without a rebalance.
    pub instance_id: String,
    /// How long the group waits for a silent member before its slots go to others.
    pub session_timeout: Duration,
}

impl LeaseOptions {
    /// With a session time-out of 10 s.
    pub fn new(group: impl Into<String>, topic: impl Into<String>, instance_id: impl Into<String>) -> Self {
        Self { group: group.into(), topic: topic.into(), instance_id: instance_id.into(), session_timeout: Duration::from_secs(10) }
    }
}

/// What happened to this node's slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseEvent {
    /// These slots are this node's, in addition.
    Assigned(Vec<i32>),
    /// The group wants these slots for another. Finish and commit their tasks, then call [`LeaseConsumer::release`].
    Revoked(Vec<i32>),
    /// These slots may be another's already: drop their tasks uncommitted, then call [`LeaseConsumer::release`].
    Lost(Vec<i32>),
    /// Another process took this node's instance id: stop everything. This client is dead.
    Fenced,
}

/// A member of the lease group. One control thread polls it at least every few minutes; workers hold its [`fence`](Self::fence).
pub struct LeaseConsumer {
    // Order matters: the queue goes before this reference to the client.
    queue: Arc<Queue>,
    lease: LeaseFence,
    held: BTreeSet<i32>,
    /// Slots that were announced as revoked or lost and are not released yet.
    leaving: Option<Vec<i32>>,
    fenced: bool,
}

/// The fence of one member, shared by its workers.
#[derive(Clone)]
pub struct LeaseFence {
    client: Arc<Client>,
    topic: Arc<str>,
}

impl LeaseConsumer {
    /// Joins the group. The topic must exist. The first [`LeaseEvent::Assigned`] comes out of a later poll.
    ///
    /// # Errors
    /// `Config` if a property is unknown or wrong.
    pub fn join(settings: &ClientSettings, options: &LeaseOptions) -> Result<Self, KafkaError> {
        let session = options.session_timeout.as_millis().to_string();
        let heartbeat = (options.session_timeout.as_millis() / 4).max(100).to_string();
        let configuration = settings.configuration(
            &[("fetch.wait.max.ms", "100")],
            &[
                ("group.id", &options.group),
                ("group.instance.id", &options.instance_id),
                ("session.timeout.ms", &session),
                ("heartbeat.interval.ms", &heartbeat),
                ("partition.assignment.strategy", "cooperative-sticky"),
                // With read_committed, committed offsets are read only when no transaction is about to change them.
                ("isolation.level", "read_committed"),
                ("enable.auto.commit", "false"),
                ("enable.auto.offset.store", "false"),
                ("auto.offset.reset", "latest"),
            ],
        );
        let client = Arc::new(Client::new(Kind::Consumer, &configuration, sys::RD_KAFKA_EVENT_REBALANCE | sys::RD_KAFKA_EVENT_ERROR)?);
        // Errors go to the main queue; with this they come out of the consumer queue too.
        // SAFETY: a live client.
        unsafe { sys::rd_kafka_poll_set_consumer(client.ptr()) };
        let queue = Arc::new(client.consumer_queue()?);
        let list = Partitions::of([(options.topic.as_str(), ANY_PARTITION, 0)])?;
        // SAFETY: a live client and list, which is copied.
        let code = unsafe { sys::rd_kafka_subscribe(client.ptr(), list.ptr()) as i32 };
        if code != 0 {
            return Err(KafkaError::from_code(format!("join the lease group '{}'", options.group), code));
        }
        let lease = LeaseFence { client, topic: options.topic.as_str().into() };
        Ok(Self { queue, lease, held: BTreeSet::new(), leaving: None, fenced: false })
    }

    /// The next change, waiting at most `timeout`.
    ///
    /// # Errors
    /// What the client reports about group or topic. Membership goes on: keep polling, unless the kind is `Fatal`.
    pub fn poll(&mut self, timeout: Duration) -> Result<Option<LeaseEvent>, KafkaError> {
        let Some(event) = self.queue.poll(timeout) else { return Ok(None) };
        match event.kind() {
            sys::RD_KAFKA_EVENT_REBALANCE => self.rebalance(&event),
            sys::RD_KAFKA_EVENT_ERROR => self.error(&event),
            _ => Ok(None),
        }
    }

    fn rebalance(&mut self, event: &Event) -> Result<Option<LeaseEvent>, KafkaError> {
        // SAFETY: a live event, whose list is copied.
        let slots: Vec<i32> = unsafe { elements(sys::rd_kafka_event_topic_partition_list(event.ptr())) }
            .into_iter()
            .map(|element| element.partition)
            .collect();
        if event.code() == ASSIGN {
            self.lease.accept()?;
            self.held.extend(&slots);
            return Ok((!slots.is_empty()).then_some(LeaseEvent::Assigned(slots)));
        }
        self.leaving = Some(slots.clone());
        if self.notice_fencing() {
            self.release()?;
            return Ok(Some(LeaseEvent::Fenced));
        }
        let lost = self.lease.assignment_lost();
        if slots.is_empty() {
            self.release()?;
            return Ok(None);
        }
        Ok(Some(if lost { LeaseEvent::Lost(slots) } else { LeaseEvent::Revoked(slots) }))
    }

    fn error(&mut self, event: &Event) -> Result<Option<LeaseEvent>, KafkaError> {
        if self.notice_fencing() {
            return Ok(Some(LeaseEvent::Fenced));
        }
        let operation = format!("lease slots of topic '{}'", self.lease.topic);
        if let Some(error) = self.lease.client.fatal(&operation) {
            // Fencing was told before.
            return if error.kind == ErrorKind::Fenced { Ok(None) } else { Err(error) };
        }
        let error = KafkaError::from_code(operation, event.code()).because(event.reason());
        if error.is_retriable() {
            tracing::debug!(%error, "the lease group is being retried");
            return Ok(None);
        }
        Err(error)
    }

    /// Whether the client was fenced and this is the first time it is noticed.
    fn notice_fencing(&mut self) -> bool {
        let first = !self.fenced && self.lease.client.fatal("").is_some_and(|error| error.kind == ErrorKind::Fenced);
        self.fenced |= first;
        if first {
            self.held.clear();
        }
        first
    }

    /// Says that the tasks of the revoked or lost slots have ended; the group goes on only then. Does nothing if there are none.
    ///
    /// # Errors
    /// `Fatal` if the client is dead.
    pub fn release(&mut self) -> Result<(), KafkaError> {
        let Some(slots) = self.leaving.take() else { return Ok(()) };
        self.held.retain(|slot| !slots.contains(slot));
        self.lease.give_up()
    }

    /// The slots held now, those being revoked included.
    pub fn held(&self) -> &BTreeSet<i32> {
        &self.held
    }

    /// The proof of membership, for the threads that commit.
    pub fn fence(&self) -> LeaseFence {
        self.lease.clone()
    }

    /// The generation of the group, if this node is a member now.
    pub fn generation(&self) -> Option<i32> {
        self.lease.snapshot().ok().map(|snapshot| snapshot.generation())
    }

    /// See [`LeaseFence::committed`].
    ///
    /// # Errors
    /// As there.
    pub fn committed(&self, slots: &[i32], timeout: Duration) -> Result<BTreeMap<i32, Option<i64>>, KafkaError> {
        self.lease.committed(slots, timeout)
    }
}

/// The partition number of a subscription: none in particular (`RD_KAFKA_PARTITION_UA`).
const ANY_PARTITION: i32 = -1;
const ASSIGN: i32 = sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS as i32;

impl LeaseFence {
    /// The committed fence token of each slot, `None` if there is none yet. Waits until no transaction is about to change it, so that what
    /// a dead owner had in flight is decided when this returns.
    ///
    /// # Errors
    /// `Unavailable` or `Retriable` if a transaction stays open longer than `timeout`, or the broker does not answer.
    pub fn committed(&self, slots: &[i32], timeout: Duration) -> Result<BTreeMap<i32, Option<i64>>, KafkaError> {
        let operation = || format!("read the committed offsets of topic '{}'", self.topic);
        let list = Partitions::of(slots.iter().map(|slot| (&*self.topic, *slot, NO_OFFSET)))?;
        // SAFETY: a live client and list, which is filled by the call.
        let code = unsafe { sys::rd_kafka_committed(self.client.ptr(), list.ptr(), millis(timeout)) as i32 };
        if code != 0 {
            return Err(KafkaError::from_code(operation(), code));
        }
        let mut out = BTreeMap::new();
        for element in list.elements() {
            if element.code != 0 {
                return Err(KafkaError::from_code(operation(), element.code));
            }
            out.insert(element.partition, (element.offset >= 0).then_some(element.offset));
        }
        Ok(out)
    }

    /// Commits fence tokens without a transaction, for at-least-once: refused by the broker if this member's generation is not the current one.
    ///
    /// # Errors
    /// `StaleMember` or `Fenced` if the lease may be another's; `Retriable` during a rebalance; `Unavailable` if the broker does not answer.
    pub fn commit(&self, tokens: &[(i32, i64)]) -> Result<(), KafkaError> {
        let operation = format!("commit offsets of topic '{}'", self.topic);
        // Without a membership the broker would accept the commit unfenced once the group is empty.
        self.snapshot().map_err(|lost| {
            let kind = if lost == FenceLost::Fenced { ErrorKind::Fenced } else { ErrorKind::StaleMember };
            KafkaError::local(kind, operation.clone(), lost.to_string())
        })?;
        let list = Partitions::of(tokens.iter().map(|(slot, token)| (&*self.topic, *slot, *token)))?;
        // SAFETY: a live client and list, which is copied; the call waits for the answer.
        let code = unsafe { sys::rd_kafka_commit(self.client.ptr(), list.ptr(), 0) as i32 };
        if code == 0 { Ok(()) } else { Err(KafkaError::from_code(operation, code)) }
    }

    /// Answers an assignment. Nothing is fetched, so the answer is an empty one; what the group counts is that it came.
    fn accept(&self) -> Result<(), KafkaError> {
        let none = Partitions::new()?;
        // SAFETY: a live client and list; the returned error object is ours.
        unsafe { native::check("accept leases", sys::rd_kafka_incremental_assign(self.client.ptr(), none.ptr())) }
    }

    /// Answers a revocation.
    fn give_up(&self) -> Result<(), KafkaError> {
        let none = Partitions::new()?;
        // SAFETY: a live client and list; the returned error object is ours.
        unsafe { native::check("give up leases", sys::rd_kafka_incremental_unassign(self.client.ptr(), none.ptr())) }
    }

    fn assignment_lost(&self) -> bool {
        // SAFETY: a live client.
        unsafe { sys::rd_kafka_assignment_lost(self.client.ptr()) != 0 }
    }
}

const NO_OFFSET: i64 = sys::RD_KAFKA_OFFSET_INVALID as i64;

impl Fence for LeaseFence {
    fn snapshot(&self) -> Result<GroupSnapshot, FenceLost> {
        match self.client.fatal("") {
            Some(error) if error.kind == ErrorKind::Fenced => return Err(FenceLost::Fenced),
            Some(_) => return Err(FenceLost::NotMember),
            None => {}
        }
        if self.assignment_lost() {
            return Err(FenceLost::AssignmentLost);
        }
        // SAFETY: a live client; the metadata is owned by the snapshot.
        unsafe { GroupSnapshot::checked(sys::rd_kafka_consumer_group_metadata(self.client.ptr())) }
    }
}
