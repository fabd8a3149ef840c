//! Reading assigned partitions in chunks: no group, read_committed, ends of partitions as events with their offset.

mod batch;
mod options;

pub use batch::Fetched;
pub use options::{ConsumerOptions, Start};

use crate::{
    error::KafkaError,
    native::{self, Client, Kind, Partitions, Queue},
    settings::ClientSettings,
};
use batch::Batch;
use rdkafka::bindings as sys;
use std::time::Duration;

/// A consumer of partitions that its owner names. One thread owns it.
///
/// Back-pressure is not calling [`fetch`](Self::fetch): the prefetch stops at the budget of [`ConsumerOptions`].
pub struct DataConsumer {
    // Order matters: records and queue go before the client they belong to.
    batch: Batch,
    queue: Queue,
    client: Client,
}

impl DataConsumer {
    /// A consumer with nothing assigned. Makes no connection that it waits for.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) if a property is unknown or wrong.
    pub fn new(settings: &ClientSettings, options: &ConsumerOptions) -> Result<Self, KafkaError> {
        let queued = options.queued_kbytes.to_string();
        let configuration = settings.configuration(
            &[
                // The client wants a group name to assign at all; nothing is ever joined or committed under it.
                ("group.id", "flumen-data"),
                ("queued.max.messages.kbytes", &queued),
                ("queued.min.messages", "200000"),
                // The default of a second stalls the reader each time its queue was full.
                ("fetch.queue.backoff.ms", "1"),
                // A partition added while a fetch waits for data joins only the next fetch.
                ("fetch.wait.max.ms", "100"),
                ("fetch.error.backoff.ms", "100"),
                ("check.crcs", "false"),
            ],
            &[
                ("enable.auto.commit", "false"),
                ("enable.auto.offset.store", "false"),
                ("enable.partition.eof", "true"),
                ("isolation.level", "read_committed"),
                ("auto.offset.reset", "error"),
                ("max.poll.interval.ms", "86400000"),
            ],
        );
        let client = Client::new(Kind::Consumer, &configuration, 0)?;
        let queue = client.consumer_queue()?;
        Ok(Self { batch: Batch::default(), queue, client })
    }

    /// Starts to read these partitions, beside those read already.
    ///
    /// # Errors
    /// If one of them is read already, or a name is not a topic name.
    pub fn add(&mut self, partitions: &[(&str, i32, Start)]) -> Result<(), KafkaError> {
        if partitions.is_empty() {
            return Ok(());
        }
        let list = Partitions::of(partitions.iter().map(|(topic, partition, start)| (*topic, *partition, start.native())))?;
        // SAFETY: a live client and list; the list is copied, the returned error object is ours.
        unsafe { native::check("assign partitions", sys::rd_kafka_incremental_assign(self.client.ptr(), list.ptr())) }
    }

    /// Stops to read these partitions. Records of them that were prefetched are dropped; none comes out of a later [`fetch`](Self::fetch).
    ///
    /// # Errors
    /// If one of them is not read.
    pub fn remove(&mut self, partitions: &[(&str, i32)]) -> Result<(), KafkaError> {
        if partitions.is_empty() {
            return Ok(());
        }
        let list = Partitions::of(partitions.iter().map(|(topic, partition)| (*topic, *partition, Start::Earliest.native())))?;
        // SAFETY: as in `add`.
        unsafe { native::check("unassign partitions", sys::rd_kafka_incremental_unassign(self.client.ptr(), list.ptr())) }
    }

    /// Goes on reading a partition elsewhere. What was prefetched of it is dropped.
    ///
    /// # Errors
    /// If it is not read.
    pub fn seek(&mut self, topic: &str, partition: i32, start: Start) -> Result<(), KafkaError> {
        self.remove(&[(topic, partition)])?;
        self.add(&[(topic, partition, start)])
    }

    /// The next records and events, at most `max_records` of both. Waits up to `timeout` for the first, and for no more: an empty answer
    /// means that nothing came. Within a partition, the order is the log's.
    ///
    /// # Errors
    /// If the client as a whole failed. What concerns one partition is a [`Fetched::Error`], and the client goes on with it where it can.
    pub fn fetch(&mut self, max_records: usize, timeout: Duration) -> Result<Vec<Fetched>, KafkaError> {
        self.batch.fetch(&self.queue, max_records, timeout)
    }
}
