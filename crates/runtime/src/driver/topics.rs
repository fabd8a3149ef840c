//! Topics of one partition, as the driver sees them.

use std::collections::BTreeMap;

use flumen_wire::RecordColumns;

/// A record of a topic.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// Key.
    pub key: Option<Vec<u8>>,
    /// Value; `None` is a tombstone.
    pub value: Option<Vec<u8>>,
    /// Timestamp in milliseconds.
    pub timestamp: i64,
    /// Raw header list (see [`flumen_wire::headers`]).
    pub headers: Vec<u8>,
}

impl Record {
    /// A row of record columns.
    pub fn of(columns: &RecordColumns, row: usize) -> Self {
        Record {
            key: columns.key(row).map(<[u8]>::to_vec),
            value: columns.value(row).map(<[u8]>::to_vec),
            timestamp: columns.timestamp(row),
            headers: columns.raw_headers(row).to_vec(),
        }
    }
}

/// Topics of one partition each.
pub trait Topics {
    /// The record at an offset.
    fn read(&self, topic: &str, offset: i64) -> Option<Record>;

    /// The offset after the last record; 0 for a topic that is not there.
    fn end(&self, topic: &str) -> i64;

    /// Appends a record, to a new topic if need be, and gives its offset.
    fn append(&mut self, topic: &str, record: Record) -> i64;
}

/// Topics in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryTopics(pub BTreeMap<String, Vec<Record>>);

impl MemoryTopics {
    /// The records of a topic.
    pub fn records(&self, topic: &str) -> &[Record] {
        self.0.get(topic).map(Vec::as_slice).unwrap_or_default()
    }
}

impl Topics for MemoryTopics {
    fn read(&self, topic: &str, offset: i64) -> Option<Record> {
        self.records(topic).get(usize::try_from(offset).ok()?).cloned()
    }

    fn end(&self, topic: &str) -> i64 {
        self.records(topic).len() as i64
    }

    fn append(&mut self, topic: &str, record: Record) -> i64 {
        let records = self.0.entry(topic.to_string()).or_default();
        records.push(record);
        records.len() as i64 - 1
    }
}
