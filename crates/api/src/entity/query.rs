//! Queries.

use super::{FieldInfo, TopicPartition};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The kind of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum QueryKind {
    /// Writes a stream or table until it is terminated.
    Persistent,
    /// Sends rows to a client until that goes.
    Push,
    /// Answers once from state.
    Pull,
}

/// A row of LIST QUERIES.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunningQuery {
    /// The statement.
    pub query_string: String,
    /// Names of what it writes.
    pub sinks: Vec<String>,
    /// Topics of what it writes.
    pub sink_kafka_topics: Vec<String>,
    /// Its id.
    pub id: String,
    /// How many nodes run it, by state.
    pub status_count: BTreeMap<String, u32>,
    /// Its kind.
    pub query_type: QueryKind,
    /// The same counts as text: `RUNNING:1`.
    #[serde(default)]
    pub state: String,
}

impl RunningQuery {
    /// The text form of counts by state.
    pub fn state_text(counts: &BTreeMap<String, u32>) -> String {
        counts.iter().map(|(state, count)| format!("{state}:{count}")).collect::<Vec<_>>().join(",")
    }
}

/// EXPLAIN, and a query of LIST QUERIES EXTENDED.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryDescription {
    /// Its id; empty for a statement that does not run.
    pub id: String,
    /// The statement.
    pub statement_text: String,
    /// `TUMBLING`, `HOPPING`, `SESSION` or none.
    pub window_type: Option<String>,
    /// The columns of its result.
    pub fields: Vec<FieldInfo>,
    /// Names of what it reads.
    pub sources: Vec<String>,
    /// Names of what it writes.
    pub sinks: Vec<String>,
    /// Its sub-topologies, as text.
    pub topology: String,
    /// Its steps, as text.
    pub execution_plan: String,
    /// Properties that its session had changed.
    pub overridden_properties: BTreeMap<String, Value>,
    /// Its state by node.
    pub ksql_host_query_status: BTreeMap<String, String>,
    /// Its kind.
    pub query_type: QueryKind,
    /// The newest errors.
    pub query_errors: Vec<QueryError>,
    /// Its tasks.
    pub tasks_metadata: Vec<TaskMetadata>,
    /// Its consumer group.
    #[serde(default)]
    pub consumer_group_id: Option<String>,
    /// Its state.
    #[serde(default)]
    pub state: Option<String>,
}

/// An error of a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryError {
    /// When, in ms since 1970.
    pub timestamp: i64,
    /// What.
    pub error_message: String,
    /// `USER`, `SYSTEM` or `UNKNOWN`.
    pub r#type: String,
}

/// A task of a query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskMetadata {
    /// Its id.
    pub task_id: String,
    /// How far it is.
    pub topic_offsets: Vec<TopicOffset>,
    /// Since when it waits for input, in ms since 1970.
    #[serde(default)]
    pub time_current_idling_started: Option<i64>,
}

/// How far a task is on a partition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TopicOffset {
    /// The partition.
    pub topic_partition_entity: TopicPartition,
    /// Behind its newest record.
    pub end_offset: i64,
    /// The next record after the last commit.
    pub committed_offset: i64,
}
