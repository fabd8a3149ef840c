//! Topics.

use serde::{Deserialize, Serialize};

/// A row of LIST TOPICS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TopicInfo {
    /// The name.
    pub name: String,
    /// The replicas of each partition.
    pub replica_info: Vec<i32>,
}

/// A row of LIST TOPICS EXTENDED.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TopicInfoExtended {
    /// The name.
    pub name: String,
    /// The replicas of each partition.
    pub replica_info: Vec<i32>,
    /// Consumers that read it.
    pub consumer_count: i32,
    /// Groups that read it.
    pub consumer_group_count: i32,
}

/// A partition of a topic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicPartition {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
}
