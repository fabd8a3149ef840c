//! Streams and tables.

use super::{FieldInfo, RunningQuery};
use serde::{Deserialize, Serialize};

/// A row of LIST STREAMS or LIST TABLES.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceInfo {
    /// Which of the two.
    pub r#type: SourceType,
    /// The name.
    pub name: String,
    /// The topic.
    pub topic: String,
    /// How keys are written.
    pub key_format: String,
    /// How values are written.
    pub value_format: String,
    /// True if the key has a window.
    pub is_windowed: bool,
}

/// Stream or table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum SourceType {
    /// Each record stands for itself.
    Stream,
    /// A record replaces the one before it with the same key.
    Table,
}

/// DESCRIBE, and with EXTENDED more of its fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceDescription {
    /// The name.
    pub name: String,
    /// `TUMBLING`, `HOPPING`, `SESSION` or none.
    pub window_type: Option<String>,
    /// Queries that read it.
    pub read_queries: Vec<RunningQuery>,
    /// Queries that write it.
    pub write_queries: Vec<RunningQuery>,
    /// The columns.
    pub fields: Vec<FieldInfo>,
    /// `STREAM` or `TABLE`.
    pub r#type: String,
    /// The column that timestamps come from; empty if none.
    pub timestamp: String,
    /// Figures, as text.
    pub statistics: String,
    /// Figures of errors, as text.
    pub error_stats: String,
    /// True if EXTENDED was asked for.
    pub extended: bool,
    /// How keys are written.
    pub key_format: String,
    /// How values are written.
    pub value_format: String,
    /// The topic.
    pub topic: String,
    /// Its partitions; 0 if it is not known.
    pub partitions: i32,
    /// Its replicas; 0 if it is not known.
    pub replication: i32,
    /// The statement that made it.
    pub statement: String,
    /// How far its queries are.
    #[serde(default)]
    pub query_offset_summaries: Vec<QueryGroup>,
    /// Names of what was made from it and must be dropped first.
    #[serde(default)]
    pub source_constraints: Vec<String>,
    /// Figures by node.
    #[serde(default)]
    pub cluster_statistics: Vec<ClusterHostStat>,
    /// Figures of errors by node.
    #[serde(default)]
    pub cluster_error_stats: Vec<ClusterHostStat>,
}

/// How far one query is on every topic it reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryGroup {
    /// The query's consumer group.
    pub group_id: String,
    /// By topic.
    pub topic_summaries: Vec<TopicGroup>,
}

/// How far a query is on a topic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TopicGroup {
    /// The topic.
    pub kafka_topic: String,
    /// By partition.
    pub offsets: Vec<ConsumerOffset>,
}

/// How far a query is on a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsumerOffset {
    /// The partition.
    pub partition: i32,
    /// Its oldest record.
    pub log_start_offset: i64,
    /// Behind its newest record.
    pub log_end_offset: i64,
    /// The next record that the query reads.
    pub consumer_offset: i64,
}

/// A figure of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterHostStat {
    /// The node, host:port.
    pub host: String,
    /// What is measured.
    pub name: String,
    /// How much.
    pub value: f64,
    /// When, in ms since 1970.
    pub timestamp: i64,
}
