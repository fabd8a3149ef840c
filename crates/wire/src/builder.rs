//! Outgoing records, gathered by the partition they go to.

use crate::columns::{ChunkFull, RecordColumns};
use std::sync::Arc;

/// An appending batch of records for one partition of one topic; cleared and filled again after it was sent.
#[derive(Clone, Debug)]
pub struct BatchBuilder {
    topic: Arc<str>,
    partition: i32,
    columns: RecordColumns,
}

impl BatchBuilder {
    /// An empty batch for this partition.
    pub fn new(topic: Arc<str>, partition: i32) -> Self {
        Self { topic, partition, columns: RecordColumns::new() }
    }

    /// Appends a record, as [`RecordColumns::push`].
    ///
    /// # Errors
    /// [`ChunkFull`] if the buffer would pass 4 GiB; nothing is appended then.
    pub fn push(&mut self, key: Option<&[u8]>, value: Option<&[u8]>, timestamp: i64, headers: &[u8]) -> Result<(), ChunkFull> {
        self.columns.push(key, value, timestamp, headers)
    }

    /// Forgets the records and keeps the memory.
    pub fn clear(&mut self) {
        self.columns.clear();
    }

    /// The topic the records go to.
    pub fn topic(&self) -> &Arc<str> {
        &self.topic
    }

    /// The partition the records go to.
    pub fn partition(&self) -> i32 {
        self.partition
    }

    /// The records.
    pub fn columns(&self) -> &RecordColumns {
        &self.columns
    }

    /// How many records.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Bytes of all keys, values and headers.
    pub fn bytes(&self) -> usize {
        self.columns.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathers_and_clears() {
        let mut batch = BatchBuilder::new("out".into(), 1);
        batch.push(Some(b"k"), None, 7, &[]).unwrap();
        assert_eq!((batch.topic().as_ref(), batch.partition(), batch.len(), batch.bytes()), ("out", 1, 1, 1));
        assert_eq!((batch.columns().key(0), batch.columns().value(0)), (Some(&b"k"[..]), None));
        batch.clear();
        assert!(batch.is_empty());
    }
}
