//! Reading partitions up to a known end: restore, positions, the command log.

use crate::{
    consumer::{ConsumerOptions, DataConsumer, Fetched, Start},
    error::KafkaError,
    settings::ClientSettings,
};
use flumen_wire::RecordChunk;
use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

/// Records of one fetch.
const FETCH: usize = 8_192;

/// A partition to read, and how far.
#[derive(Clone, Debug)]
pub struct Tail {
    /// The topic.
    pub topic: Arc<str>,
    /// The partition.
    pub partition: i32,
    /// Where to start.
    pub from: Start,
    /// The end: the high watermark (read_uncommitted) taken after the committed positions were known. Transactions that were open then are
    /// waited for.
    pub until: i64,
}

/// Reads the committed records of partitions until each has reached its end, and on after that if asked. One thread owns it.
pub struct TailReader {
    consumer: DataConsumer,
    progress: HashMap<(Arc<str>, i32), Progress>,
}

struct Progress {
    until: i64,
    next: Option<i64>,
    reached: bool,
}

impl TailReader {
    /// Opens the partitions.
    ///
    /// # Errors
    /// `Config` if a property is wrong.
    pub fn open(settings: &ClientSettings, options: &ConsumerOptions, tails: &[Tail]) -> Result<Self, KafkaError> {
        let mut reader = Self { consumer: DataConsumer::new(settings, options)?, progress: HashMap::new() };
        for tail in tails {
            reader.add(tail)?;
        }
        Ok(reader)
    }

    /// Reads one more partition.
    ///
    /// # Errors
    /// If it is read already.
    pub fn add(&mut self, tail: &Tail) -> Result<(), KafkaError> {
        self.consumer.add(&[(&tail.topic, tail.partition, tail.from)])?;
        // An empty log has reached its end before any event says so.
        let reached = match tail.from {
            Start::At(offset) => offset >= tail.until,
            Start::Earliest | Start::Latest => tail.until <= 0,
        };
        self.progress.insert((tail.topic.clone(), tail.partition), Progress { until: tail.until, next: None, reached });
        Ok(())
    }

    /// Reads a partition no more.
    ///
    /// # Errors
    /// If it is not read.
    pub fn remove(&mut self, topic: &str, partition: i32) -> Result<(), KafkaError> {
        self.progress.retain(|(t, p), _| t.as_ref() != topic || *p != partition);
        self.consumer.remove(&[(topic, partition)])
    }

    /// The next records; empty if none came within `timeout`, or if the last partition reached its end.
    ///
    /// # Errors
    /// The first error of a partition that waiting does not cure, such as `NotFound` or `OffsetOutOfRange`.
    pub fn read(&mut self, timeout: Duration) -> Result<Vec<RecordChunk>, KafkaError> {
        let deadline = Instant::now() + timeout;
        let done_before = self.done();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut chunks = Vec::new();
            for fetched in self.consumer.fetch(FETCH, left)? {
                match fetched {
                    Fetched::Chunk(chunk) => {
                        if let Some(progress) = self.progress.get_mut(&(chunk.topic().clone(), chunk.partition())) {
                            progress.next = chunk.next_offset();
                        }
                        chunks.push(chunk);
                    }
                    Fetched::Eof { topic, partition, offset } => {
                        if let Some(progress) = self.progress.get_mut(&(topic, partition)) {
                            progress.next = Some(offset);
                            progress.reached |= offset >= progress.until;
                        }
                    }
                    Fetched::Error { error, .. } if error.is_retriable() => tracing::debug!(%error, "reading a tail goes on"),
                    Fetched::Error { error, .. } => return Err(error),
                }
            }
            if !chunks.is_empty() || (!done_before && self.done()) || Instant::now() >= deadline {
                return Ok(chunks);
            }
        }
    }

    /// Whether a partition has been read up to its end. Stays true while reading goes on.
    pub fn reached(&self, topic: &str, partition: i32) -> bool {
        self.find(topic, partition).is_some_and(|progress| progress.reached)
    }

    /// Whether every partition has.
    pub fn done(&self) -> bool {
        self.progress.values().all(|progress| progress.reached)
    }

    /// The offset to go on from: behind what was read, transaction markers included; `None` before anything came.
    pub fn position(&self, topic: &str, partition: i32) -> Option<i64> {
        self.find(topic, partition)?.next
    }

    fn find(&self, topic: &str, partition: i32) -> Option<&Progress> {
        self.progress.iter().find(|((t, p), _)| t.as_ref() == topic && *p == partition).map(|(_, progress)| progress)
    }
}
