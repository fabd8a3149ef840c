//! How far a task has come: what is committed with every transaction.

use serde::{Deserialize, Serialize};

use crate::{NodeId, PlanError, versioned};

/// How far one input partition of a task has been read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputPosition {
    /// Full name of the topic.
    pub topic: String,
    /// Partition.
    pub partition: i32,
    /// Offset of the next record to read.
    pub next: i64,
    /// Greatest timestamp read from it, −1 before the first.
    pub time: i64,
}

/// A task's positions and stream times after a commit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Positions {
    /// Number of the task's commits; grows by one with each.
    pub commit: u64,
    /// By input partition.
    pub inputs: Vec<InputPosition>,
    /// Stream time of each operator that keeps one, in milliseconds.
    pub stream_times: Vec<(NodeId, i64)>,
}

impl Positions {
    /// The persisted form: a version byte, then JSON.
    pub fn encode(&self) -> Result<Vec<u8>, PlanError> {
        versioned::encode("positions", self)
    }

    /// Reads the persisted form.
    pub fn decode(bytes: &[u8]) -> Result<Self, PlanError> {
        versioned::decode("positions", bytes)
    }

    /// The next offset of an input, if it has been read.
    pub fn next(&self, topic: &str, partition: i32) -> Option<i64> {
        self.inputs.iter().find(|i| i.topic == topic && i.partition == partition).map(|i| i.next)
    }
}
