//! The batch face of Kafka: consecutive records of one partition in one owned buffer.

use crate::{
    columns::{ChunkFull, RecordColumns},
    headers::HeaderIter,
};
use std::sync::Arc;

/// Records of one partition in offset order. Offsets rise but need not be dense (compaction, control records).
#[derive(Clone, Debug)]
pub struct RecordChunk {
    topic: Arc<str>,
    partition: i32,
    offsets: Vec<i64>,
    columns: RecordColumns,
}

impl RecordChunk {
    /// An empty chunk of this partition.
    pub fn new(topic: Arc<str>, partition: i32) -> Self {
        Self { topic, partition, offsets: Vec::new(), columns: RecordColumns::new() }
    }

    /// Makes room for `rows` more records of `bytes` bytes in all.
    pub fn reserve(&mut self, rows: usize, bytes: usize) {
        self.offsets.reserve(rows);
        self.columns.reserve(rows, bytes);
    }

    /// Appends the record at `offset`; the rest as [`RecordColumns::push`].
    ///
    /// # Errors
    /// [`ChunkFull`] if the buffer would pass 4 GiB; nothing is appended then.
    pub fn push(&mut self, offset: i64, key: Option<&[u8]>, value: Option<&[u8]>, timestamp: i64, headers: &[u8]) -> Result<(), ChunkFull> {
        self.columns.push(key, value, timestamp, headers)?;
        self.offsets.push(offset);
        Ok(())
    }

    /// Forgets the records and keeps the memory.
    pub fn clear(&mut self) {
        self.offsets.clear();
        self.columns.clear();
    }

    /// The topic.
    pub fn topic(&self) -> &Arc<str> {
        &self.topic
    }

    /// The partition.
    pub fn partition(&self) -> i32 {
        self.partition
    }

    /// Everything of the records but their offsets.
    pub fn columns(&self) -> &RecordColumns {
        &self.columns
    }

    /// How many records.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Bytes of all keys, values and headers.
    pub fn bytes(&self) -> usize {
        self.columns.bytes()
    }

    /// The offset of row `row`; -1 beyond the end.
    pub fn offset(&self, row: usize) -> i64 {
        self.offsets.get(row).copied().unwrap_or(-1)
    }

    /// The offsets of all rows.
    pub fn offsets(&self) -> &[i64] {
        &self.offsets
    }

    /// The offset after the last record, from which to go on; `None` when empty.
    pub fn next_offset(&self) -> Option<i64> {
        self.offsets.last().map(|last| last + 1)
    }

    /// The timestamp of row `row`, in milliseconds since the epoch; -1 if it has none.
    pub fn timestamp(&self, row: usize) -> i64 {
        self.columns.timestamp(row)
    }

    /// The timestamps of all rows.
    pub fn timestamps(&self) -> &[i64] {
        self.columns.timestamps()
    }

    /// The key of row `row`; null is `None`.
    pub fn key(&self, row: usize) -> Option<&[u8]> {
        self.columns.key(row)
    }

    /// The value of row `row`; null (a tombstone) is `None`.
    pub fn value(&self, row: usize) -> Option<&[u8]> {
        self.columns.value(row)
    }

    /// The headers of row `row`.
    pub fn headers(&self, row: usize) -> HeaderIter<'_> {
        self.columns.headers(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_by_index() {
        let mut chunk = RecordChunk::new("t".into(), 3);
        assert_eq!(chunk.next_offset(), None);
        chunk.push(10, Some(b"k"), Some(b"v"), 1, &[]).unwrap();
        chunk.push(12, None, None, 2, &[]).unwrap();
        assert_eq!((chunk.topic().as_ref(), chunk.partition(), chunk.len()), ("t", 3, 2));
        assert_eq!((chunk.offset(1), chunk.timestamp(1), chunk.key(1), chunk.value(1)), (12, 2, None, None));
        assert_eq!((chunk.offsets(), chunk.timestamps(), chunk.next_offset()), (&[10, 12][..], &[1, 2][..], Some(13)));
        chunk.clear();
        assert!(chunk.is_empty());
        assert_eq!(chunk.offset(0), -1);
    }
}
