//! The end of a membership's client.

use super::{ASSIGN, LeaseConsumer, LeaseFence};
use crate::native::{self, Queue};
use rdkafka::bindings as sys;
use std::{
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// How long the end may take.
const CLOSING: Duration = Duration::from_secs(5);
/// How long the client may take to see an answer.
const SEEN: Duration = Duration::from_millis(200);

impl Drop for LeaseConsumer {
    /// Ends the membership's client. The place in the group is kept: a member with an instance id does not say good-bye.
    ///
    /// The client cannot be destroyed before the rebalance events it sent are answered, and an answer that crosses its end is never
    /// acknowledged. So this runs in a thread of its own, and a client that does not end is left behind rather than waited for.
    fn drop(&mut self) {
        let (lease, queue, leaving) = (self.lease.clone(), self.queue.clone(), self.leaving.take().is_some());
        let (done, ended) = mpsc::channel();
        let run = move || {
            if leaving && let Err(error) = lease.give_up() {
                tracing::debug!(%error, "while the lease client closes");
            }
            let closed = close(&lease, &queue);
            drop((queue, lease));
            // Nobody listens if the wait was over before.
            let _ = done.send(closed);
        };
        let started = thread::Builder::new().name("lease-close".into()).spawn(run);
        let closed = started.is_ok() && ended.recv_timeout(2 * CLOSING).unwrap_or(false);
        if !closed {
            tracing::warn!("the client of the lease group did not end in time and is left behind");
            // One more reference: it is never destroyed.
            std::mem::forget(self.lease.client.clone());
        }
    }
}

/// Closes the client and answers what it still asks. Whether it has ended.
fn close(lease: &LeaseFence, old: &Queue) -> bool {
    let client = &lease.client;
    let Ok(fresh) = client.new_queue() else { return false };
    // SAFETY: a live client and queue, to which events are sent from now on; the returned error object is ours.
    let closing = unsafe { native::check("close the lease client", sys::rd_kafka_consumer_close_queue(client.ptr(), fresh.ptr())) };
    // SAFETY: a live client.
    let closed = || unsafe { sys::rd_kafka_consumer_closed(client.ptr()) } != 0;
    // After a fatal error there is no closing; what was sent before is in the old queue.
    let queue = if closing.is_ok() { &fresh } else { old };
    let deadline = Instant::now() + CLOSING;
    while !closed() && Instant::now() < deadline {
        match queue.poll(Duration::from_millis(20)) {
            Some(event) if event.kind() == sys::RD_KAFKA_EVENT_REBALANCE => {
                let answer = if event.code() == ASSIGN { lease.accept() } else { lease.give_up() };
                if let Err(error) = answer {
                    tracing::debug!(%error, "while the lease client closes");
                }
                // One answer may be enough; a second one must not cross the end.
                let seen = Instant::now() + SEEN;
                while !closed() && Instant::now() < seen {
                    thread::sleep(Duration::from_millis(1));
                }
            }
            None if closing.is_err() => return true,
            _ => {}
        }
    }
    closed()
}
