//! What a step gives back: records to write, rows for a client, log entries.

use std::sync::Arc;

use flumen_wire::RecordColumns;

use crate::{Chunk, LogEntry, RuntimeError};

/// Records for one partition of one topic, in the order to be written.
#[derive(Debug, Clone)]
pub struct OutBatch {
    /// Full name of the topic.
    pub topic: Arc<str>,
    /// True for a repartition topic of the query.
    pub internal: bool,
    /// The partition.
    pub partition: i32,
    /// The records.
    pub columns: RecordColumns,
    /// Each record's place in the step: rank of the input row in the upper 32 bits, place of emission in the lower.
    pub ord: Vec<u64>,
}

/// Everything one call of a task gives back.
#[derive(Debug, Default)]
pub struct Outbox {
    /// Records to write.
    pub records: Vec<OutBatch>,
    /// Rows of a push query for its client, in order.
    pub rows: Vec<Chunk>,
    /// Entries for the processing log.
    pub log: Vec<LogEntry>,
    emitted: u32,
}

impl Outbox {
    /// The number of the batch for a partition of a topic, begun when there is none yet.
    pub(crate) fn batch(&mut self, topic: &Arc<str>, internal: bool, partition: i32) -> usize {
        let found = self.records.iter().position(|b| b.partition == partition && b.topic == *topic);
        found.unwrap_or_else(|| {
            let (topic, columns) = (topic.clone(), RecordColumns::new());
            self.records.push(OutBatch { topic, internal, partition, columns, ord: Vec::new() });
            self.records.len() - 1
        })
    }

    /// Appends a record to a batch; `rank` is its input row's.
    pub(crate) fn push(&mut self, batch: usize, record: &Record<'_>, rank: u32) -> Result<(), RuntimeError> {
        let found = self.records.get_mut(batch);
        let batch = found.ok_or_else(|| RuntimeError::Internal("an output batch is missing".to_string()))?;
        batch.columns.push(record.key, record.value, record.timestamp, record.headers)?;
        batch.ord.push(u64::from(rank) << 32 | u64::from(self.emitted));
        self.emitted = self.emitted.wrapping_add(1);
        Ok(())
    }

    /// True when there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty() && self.rows.is_empty() && self.log.is_empty()
    }
}

/// A record to write.
pub(crate) struct Record<'a> {
    pub key: Option<&'a [u8]>,
    pub value: Option<&'a [u8]>,
    pub timestamp: i64,
    pub headers: &'a [u8],
}
