//! Entries of the processing log: records and rows that were skipped or lost a value, and why.

use flumen_plan::NodeId;

/// What kind of thing went wrong; the numbers are those of ksqlDB's processing log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogKind {
    /// A record could not be read: 0.
    Deserialization = 0,
    /// An expression failed on a row: 1.
    Processing = 1,
    /// A record could not be sent: 2.
    Production = 2,
    /// A row could not be written as a record: 3.
    Serialization = 3,
    /// The query's thread failed: 4.
    Thread = 4,
}

impl LogKind {
    /// The number in the entry's `type` field.
    pub fn number(self) -> i32 {
        self as i32
    }
}

/// Which part of a record an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// The key.
    Key,
    /// The value.
    Value,
}

/// Where a record stands and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordAt {
    /// Topic.
    pub topic: String,
    /// Partition.
    pub partition: i32,
    /// Offset.
    pub offset: i64,
    /// The raw bytes of its key.
    pub key: Option<Vec<u8>>,
    /// The raw bytes of its value.
    pub value: Option<Vec<u8>>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// The operator that met the error; part of the logger's name.
    pub node: NodeId,
    /// The kind of error.
    pub kind: LogKind,
    /// Key or value, where the error is about one of them.
    pub target: Option<Target>,
    /// What is wrong.
    pub reason: String,
    /// The record, where it is known.
    pub record: Option<RecordAt>,
}
