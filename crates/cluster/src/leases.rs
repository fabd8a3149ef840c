//! Leases on slots: membership in one consumer group whose coordinator is Kafka's.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use flumen_kafka::{Admin, ClientSettings, LeaseConsumer, LeaseEvent, LeaseFence, LeaseOptions};
use flumen_plan::names;
use parking_lot::{Condvar, Mutex};

use crate::ClusterError;

/// How long Kafka waits for a silent member; a killed server's leases are free after it.
const SESSION: Duration = Duration::from_secs(10);
/// How long the first assignment may take.
const GRANT: Duration = Duration::from_secs(60);
/// How long another member may take to leave before it counts as a second server.
const LEAVE: Duration = Duration::from_secs(13);
/// How often the group is polled.
const POLL: Duration = Duration::from_millis(200);

/// A change of the slots held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseChange {
    /// These slots are held now.
    Gained(Vec<i32>),
    /// These slots are no longer held; their tasks have to stop before the call returns.
    Gone(Vec<i32>),
}

/// The leases of this server, renewed by a thread of its own.
pub struct Leases {
    fence: LeaseFence,
    held: Arc<Held>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Held {
    slots: Mutex<BTreeSet<i32>>,
    changed: Condvar,
}

impl Leases {
    /// Joins the lease group of a service under this instance id and waits until all `slots` are held.
    /// A second server is refused. `on_change` runs on the lease thread.
    pub fn join(
        settings: &ClientSettings,
        admin: &Admin,
        service_id: &str,
        instance_id: &str,
        slots: i32,
        mut on_change: impl FnMut(LeaseChange) + Send + 'static,
    ) -> Result<Leases, ClusterError> {
        refuse_second_server(admin, service_id, instance_id)?;
        let options = LeaseOptions {
            group: names::lease_group(service_id),
            topic: names::lease_topic(service_id),
            instance_id: instance_id.to_string(),
            session_timeout: SESSION,
        };
        let mut consumer = LeaseConsumer::join(settings, &options)?;
        let fence = consumer.fence();
        let held = Arc::new(Held::default());
        let stop = Arc::new(AtomicBool::new(false));
        let (shared, ended) = (held.clone(), stop.clone());
        let thread = flumen_telemetry::spawn("leases", move || {
            while !ended.load(Ordering::Acquire) {
                match consumer.poll(POLL) {
                    Ok(None) => {}
                    Ok(Some(event)) => follow(&mut consumer, event, &shared, &mut on_change),
                    Err(error) => {
                        tracing::warn!(%error, "renewing leases");
                        std::thread::sleep(POLL);
                    }
                }
            }
        })?;
        let leases = Leases { fence, held, stop, thread: Some(thread) };
        leases.wait_for(slots, service_id)?;
        Ok(leases)
    }

    fn wait_for(&self, slots: i32, service_id: &str) -> Result<(), ClusterError> {
        let deadline = Instant::now() + GRANT;
        let mut held = self.held.slots.lock();
        while (held.len() as i32) < slots {
            if self.held.changed.wait_until(&mut held, deadline).timed_out() {
                return Err(ClusterError::NotGranted(service_id.to_string(), GRANT.as_secs()));
            }
        }
        Ok(())
    }

    /// The fence every commit has to pass.
    pub fn fence(&self) -> LeaseFence {
        self.fence.clone()
    }

    /// True while the lease of this slot is held.
    pub fn holds(&self, slot: i32) -> bool {
        self.held.slots.lock().contains(&slot)
    }

    /// Stops renewing. The member stays known to the broker until its session ends, so that a restart is not a change.
    pub fn stop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Leases {
    fn drop(&mut self) {
        self.stop();
    }
}

fn follow(consumer: &mut LeaseConsumer, event: LeaseEvent, held: &Held, on_change: &mut impl FnMut(LeaseChange)) {
    match event {
        LeaseEvent::Assigned(slots) => {
            held.slots.lock().extend(&slots);
            on_change(LeaseChange::Gained(slots));
        }
        LeaseEvent::Revoked(slots) | LeaseEvent::Lost(slots) => {
            held.slots.lock().retain(|s| !slots.contains(s));
            on_change(LeaseChange::Gone(slots));
            release(consumer);
        }
        LeaseEvent::Fenced => {
            let slots: Vec<i32> = std::mem::take(&mut *held.slots.lock()).into_iter().collect();
            tracing::error!("another server has taken this server's instance id; its tasks are stopped");
            on_change(LeaseChange::Gone(slots));
            release(consumer);
        }
    }
    held.changed.notify_all();
}

/// Gives up what was announced; a failure leaves it to the session's end.
fn release(consumer: &mut LeaseConsumer) {
    if let Err(error) = consumer.release() {
        tracing::warn!(%error, "releasing leases");
    }
}

fn refuse_second_server(admin: &Admin, service_id: &str, instance_id: &str) -> Result<(), ClusterError> {
    let group = names::lease_group(service_id);
    let deadline = Instant::now() + LEAVE;
    loop {
        let members = match admin.describe_group(&group, SESSION) {
            Ok(info) => info.members,
            // A group that has never been is not described by every broker.
            Err(error) if error.kind == flumen_kafka::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let other = members.into_iter().find(|m| m.instance_id.as_deref() != Some(instance_id));
        let Some(other) = other else { return Ok(()) };
        if Instant::now() >= deadline {
            let instance = other.instance_id.unwrap_or(other.member_id);
            return Err(ClusterError::SecondServer { service: service_id.to_string(), instance });
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}
