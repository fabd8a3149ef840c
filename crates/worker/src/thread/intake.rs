//! The partitions a thread reads, each once, whatever the number of its readers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use flumen_kafka::{ClientSettings, ConsumerOptions, DataConsumer, ErrorKind, Fetched, KafkaError, Start};

/// An input of a task of this thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReaderId {
    pub task: u64,
    pub input: usize,
}

pub(super) struct Intake {
    settings: ClientSettings,
    options: ConsumerOptions,
    consumer: DataConsumer,
    partitions: HashMap<(Arc<str>, i32), Partition>,
}

struct Partition {
    /// Offset of what the consumer gives next.
    next: i64,
    at_end: bool,
    readers: Vec<ReaderId>,
}

impl Intake {
    pub fn new(settings: &ClientSettings, options: ConsumerOptions) -> Result<Self, KafkaError> {
        let consumer = DataConsumer::new(settings, &options)?;
        Ok(Intake { settings: settings.clone(), options, consumer, partitions: HashMap::new() })
    }

    /// A reader wants a partition from this offset on; goes back for it if others are ahead. True when the reader is at
    /// the end already. Records below a reader's own offset may reach it again.
    pub fn want(&mut self, topic: &Arc<str>, partition: i32, reader: ReaderId, from: i64) -> Result<bool, KafkaError> {
        let found = self.partitions.get_mut(&(topic.clone(), partition));
        let Some(found) = found else {
            self.consumer.add(&[(topic, partition, Start::At(from))])?;
            self.partitions.insert((topic.clone(), partition), Partition { next: from, at_end: false, readers: vec![reader] });
            return Ok(false);
        };
        if !found.readers.contains(&reader) {
            found.readers.push(reader);
        }
        if found.next > from {
            self.consumer.seek(topic, partition, Start::At(from))?;
            found.next = from;
            found.at_end = false;
        }
        Ok(found.at_end)
    }

    /// A reader wants a partition no more.
    pub fn leave(&mut self, topic: &Arc<str>, partition: i32, reader: ReaderId) {
        let key = (topic.clone(), partition);
        let Some(found) = self.partitions.get_mut(&key) else { return };
        found.readers.retain(|r| *r != reader);
        if found.readers.is_empty() {
            self.partitions.remove(&key);
            if let Err(error) = self.consumer.remove(&[(topic, partition)]) {
                tracing::warn!(%error, "a partition that is read no more");
            }
        }
    }

    /// The next records and events; waits up to `timeout` for the first.
    pub fn fetch(&mut self, records: usize, timeout: Duration) -> Result<Vec<Fetched>, KafkaError> {
        let fetched = match self.consumer.fetch(records, timeout) {
            Err(error) if matches!(error.kind, ErrorKind::Fatal | ErrorKind::Fenced) => {
                tracing::warn!(%error, "a new consumer takes the place of a dead one");
                self.renew()?;
                return Ok(Vec::new());
            }
            other => other?,
        };
        for event in &fetched {
            let (topic, partition, next, at_end) = match event {
                Fetched::Chunk(chunk) => (chunk.topic(), chunk.partition(), chunk.next_offset(), false),
                Fetched::Eof { topic, partition, offset } => (topic, *partition, Some(*offset), true),
                Fetched::Error { .. } => continue,
            };
            if let (Some(found), Some(next)) = (self.partitions.get_mut(&(topic.clone(), partition)), next) {
                found.next = found.next.max(next);
                found.at_end = at_end;
            }
        }
        Ok(fetched)
    }

    /// Who reads a partition.
    pub fn readers(&self, topic: &Arc<str>, partition: i32) -> &[ReaderId] {
        self.partitions.get(&(topic.clone(), partition)).map_or(&[], |p| &p.readers)
    }

    fn renew(&mut self) -> Result<(), KafkaError> {
        self.consumer = DataConsumer::new(&self.settings, &self.options)?;
        let all: Vec<_> = self.partitions.iter().map(|((topic, p), at)| (&**topic, *p, Start::At(at.next))).collect();
        self.consumer.add(&all)
    }
}
