//! The transactional half of the producer.

use super::Producer;
use crate::{
    error::{ErrorKind, KafkaError},
    fence::GroupSnapshot,
    native::{self, Client, Partitions, millis},
};
use rdkafka::bindings as sys;
use std::time::{Duration, Instant};

/// How long `begin` waits for the reports of records that an abort threw away.
const LEFTOVERS: Duration = Duration::from_secs(1);

impl Producer {
    /// Takes over the transactional id: fences an older producer of that id and waits until its open transaction has ended. Once, first.
    ///
    /// # Errors
    /// `Unavailable` or `Retriable`: call again. `Fatal` or `Denied`: give up.
    pub fn init_transactions(&mut self, timeout: Duration) -> Result<(), KafkaError> {
        // SAFETY: a live client; the returned error object is ours.
        unsafe { native::check("initialise transactions", sys::rd_kafka_init_transactions(self.client.ptr(), millis(timeout))) }
    }

    /// Begins a transaction and counts deliveries anew.
    ///
    /// # Errors
    /// If one is open, or the producer is fenced.
    pub fn begin(&mut self) -> Result<(), KafkaError> {
        self.reports.drain(&self.queue, &self.client, Instant::now() + LEFTOVERS);
        self.reports.reset();
        // SAFETY: a live client; the returned error object is ours.
        unsafe { native::check("begin a transaction", sys::rd_kafka_begin_transaction(self.client.ptr())) }
    }

    /// Adds offsets (the next one to read) of the snapshot's group to the transaction. Await the deliveries first.
    ///
    /// # Errors
    /// `Abortable` if the membership is no longer the current one; `Retriable`: call again with the same arguments.
    pub fn send_offsets(&mut self, offsets: &[(&str, i32, i64)], group: &GroupSnapshot, timeout: Duration) -> Result<(), KafkaError> {
        let list = Partitions::of(offsets.iter().copied())?;
        // SAFETY: live client, list and metadata; the returned error object is ours.
        unsafe {
            let error = sys::rd_kafka_send_offsets_to_transaction(self.client.ptr(), list.ptr(), group.ptr(), millis(timeout));
            native::check("add offsets to the transaction", error)
        }
    }

    /// Commits the transaction, after awaiting the deliveries.
    ///
    /// # Errors
    /// `Abortable`: nothing was committed, abort. `Retriable` or `Unavailable`: the outcome is open, call again. `Fenced` or `Fatal`: drop
    /// the producer.
    pub fn commit(&mut self, timeout: Duration) -> Result<(), KafkaError> {
        let deadline = Instant::now() + timeout;
        self.await_deliveries(deadline)?;
        let left = millis(deadline.saturating_duration_since(Instant::now()));
        // SAFETY: a live client; the returned error object is ours.
        unsafe { native::check("commit the transaction", sys::rd_kafka_commit_transaction(self.client.ptr(), left)) }
    }

    /// Aborts the transaction: records still queued are thrown away, those sent become invisible.
    ///
    /// # Errors
    /// `Retriable` or `Unavailable`: call again. `Fenced` or `Fatal`: drop the producer.
    pub fn abort(&mut self, timeout: Duration) -> Result<(), KafkaError> {
        let Self { reports, queue, client, .. } = self;
        // The call returns only when the reports of all records were taken, so it runs beside the thread that takes them.
        let result = std::thread::scope(|scope| {
            let abort = scope.spawn(|| abort(client, timeout));
            while !abort.is_finished() {
                reports.serve(queue, Duration::from_millis(1));
            }
            abort.join()
        });
        self.reports.reset();
        result.unwrap_or_else(|_| Err(KafkaError::local(ErrorKind::Fatal, "abort the transaction", "the aborting thread died")))
    }
}

fn abort(client: &Client, timeout: Duration) -> Result<(), KafkaError> {
    // SAFETY: a live client; the returned error object is ours.
    unsafe { native::check("abort the transaction", sys::rd_kafka_abort_transaction(client.ptr(), millis(timeout))) }
}
