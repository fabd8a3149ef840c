//! What a thread writes: one producer, whose transaction is opened when there is something to write.

use std::sync::Arc;
use std::time::{Duration, Instant};

use flumen_config::Guarantee;
use flumen_kafka::{ErrorKind, Fence, GroupSnapshot, KafkaError, Producer, ProducerOptions};
use flumen_plan::names;
use flumen_wire::RecordColumns;

use crate::WorkerError;
use crate::shared::{CALL, Shared};

/// How long a commit waits for the lease group to let this member in again.
const REJOIN: Duration = Duration::from_secs(5);
/// How long a call is tried before its thread looks around.
const TRY: Duration = Duration::from_secs(2);
/// How long taking over a transactional id is tried before the thread begins to work.
const TAKE_OVER: Duration = Duration::from_secs(10);
/// How long the last commit of a thread that ends may take.
const LAST: Duration = Duration::from_secs(10);

pub(super) struct Output {
    shared: Arc<Shared>,
    options: ProducerOptions,
    producer: Option<Producer>,
    /// The producer has taken over its transactional id.
    ready: bool,
    /// A transaction is open.
    open: bool,
}

/// Why a commit did not happen.
pub(super) enum NotCommitted {
    /// Nothing was committed; abort and go on.
    Abort(WorkerError),
    /// The producer is of no more use, and it may or may not have committed.
    Unknown(KafkaError),
}

impl Output {
    /// The output of a thread; `transactional_id` when it commits exactly once.
    pub fn new(shared: Arc<Shared>, transactional_id: Option<String>) -> Self {
        let mut options = transactional_id.map_or_else(ProducerOptions::idempotent, ProducerOptions::transactional);
        options.transaction_timeout = options.transaction_timeout.max(shared.settings.commit_interval * 3);
        Output { shared, options, producer: None, ready: false, open: false }
    }

    fn transactional(&self) -> bool {
        self.options.transactional_id.is_some()
    }

    /// Takes over the transactional id, if it has one: what a killed process left open under it is aborted, so that nobody
    /// who reads what is committed has to wait until it times out. Gives up after a while: the first write tries again.
    pub fn take_over(&mut self) {
        let until = Instant::now() + TAKE_OVER;
        while self.transactional() && !self.ready && Instant::now() < until && !self.shared.is_closing() {
            if let Err(error) = self.initialised(TRY).map(|_| ()) {
                tracing::debug!(%error, "taking over a transactional id");
                self.shared.pause(Duration::from_millis(100));
            }
        }
    }

    /// The producer, with its transactional id taken over if it has any.
    fn initialised(&mut self, timeout: Duration) -> Result<&mut Producer, KafkaError> {
        let transactional = self.transactional();
        let producer = match &mut self.producer {
            Some(producer) => producer,
            none => none.insert(Producer::new(&self.shared.settings.client, &self.options)?),
        };
        if transactional && !self.ready {
            producer.init_transactions(timeout)?;
            self.ready = true;
        }
        Ok(producer)
    }

    /// The producer, in a transaction if it has any.
    fn producer(&mut self) -> Result<&mut Producer, KafkaError> {
        if self.transactional() && !self.open {
            self.initialised(CALL)?.begin()?;
            self.open = true;
        }
        self.initialised(CALL)
    }

    /// Writes records to a partition.
    pub fn write(&mut self, topic: &str, partition: i32, records: &RecordColumns) -> Result<(), KafkaError> {
        self.producer()?.produce_columns(topic, partition, records)
    }

    /// Waits until all that was written is acknowledged, for as long as the broker may still do so.
    pub fn settle(&mut self) -> Result<(), KafkaError> {
        let shared = self.shared.clone();
        let last = Instant::now() + LAST;
        loop {
            match self.producer()?.await_deliveries(Instant::now() + TRY) {
                Err(error) if error.is_retriable() && !(shared.is_closing() && Instant::now() > last) => {}
                other => return other,
            }
        }
    }

    /// The offset after the last record written to a partition by the commit under way.
    pub fn end(&self, topic: &str, partition: i32) -> Option<i64> {
        self.producer.as_ref()?.delivered_end(topic, partition)
    }

    /// Commits what was written with these tokens (slot, token). All is settled.
    pub fn commit(&mut self, tokens: &[(i32, i64)]) -> Result<(), NotCommitted> {
        let fence = self.member().map_err(NotCommitted::Abort)?;
        if self.shared.settings.guarantee == Guarantee::AtLeastOnce {
            return self.shared.fence.commit(tokens).map_err(|e| NotCommitted::Abort(e.into()));
        }
        let shared = self.shared.clone();
        let topic = names::lease_topic(&shared.settings.service_id);
        let offsets: Vec<(&str, i32, i64)> = tokens.iter().map(|(slot, token)| (topic.as_str(), *slot, *token)).collect();
        let last = Instant::now() + LAST;
        let patient = |error: &KafkaError| error.is_retriable() && !(shared.is_closing() && Instant::now() > last);
        let failed = |error: KafkaError| match error.kind {
            ErrorKind::Fenced | ErrorKind::Fatal => NotCommitted::Unknown(error),
            _ => NotCommitted::Abort(error.into()),
        };
        let producer = self.producer().map_err(failed)?;
        while let Err(error) = producer.send_offsets(&offsets, &fence, CALL) {
            if !patient(&error) {
                return Err(failed(error));
            }
        }
        loop {
            match producer.commit(CALL) {
                Ok(()) => break,
                Err(error) if patient(&error) => {}
                Err(error) if error.kind == ErrorKind::Abortable => return Err(NotCommitted::Abort(error.into())),
                Err(error) => return Err(NotCommitted::Unknown(error)),
            }
        }
        self.open = false;
        Ok(())
    }

    /// The proof of membership; waits a moment while the group is between two generations.
    fn member(&self) -> Result<GroupSnapshot, WorkerError> {
        let until = Instant::now() + REJOIN;
        loop {
            match self.shared.fence.snapshot() {
                Ok(snapshot) => return Ok(snapshot),
                Err(lost) if Instant::now() >= until || self.shared.is_closing() => return Err(WorkerError::LeaseLost(lost.to_string())),
                Err(_) => self.shared.pause(Duration::from_millis(50)),
            }
        }
    }

    /// Takes back what was written since the last commit, where that can be done.
    pub fn abort(&mut self) {
        if !self.transactional() {
            // What a failed producer still holds is written again.
            return self.abandon();
        }
        while self.open {
            let Some(producer) = &mut self.producer else { break };
            match producer.abort(TRY) {
                Ok(()) => self.open = false,
                Err(error) if error.is_retriable() && !self.shared.is_closing() => self.shared.pause(Duration::from_millis(100)),
                Err(error) => {
                    tracing::warn!(%error, "a new producer takes the place of one that cannot abort");
                    self.abandon();
                }
            }
        }
        self.open = false;
    }

    /// Drops the producer; the next write makes a new one.
    pub fn abandon(&mut self) {
        self.producer = None;
        self.ready = false;
        self.open = false;
    }
}
