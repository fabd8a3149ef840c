//! DescribeLogDirs: how large the partitions are, in the one directory there is.

use super::{text, topic_name};
use crate::{node::Node, topics::Topic};
use kafka_protocol::messages::{
    DescribeLogDirsRequest, DescribeLogDirsResponse,
    describe_log_dirs_response::{DescribeLogDirsPartition, DescribeLogDirsResult, DescribeLogDirsTopic},
};

/// Describes the directory. Partitions that do not exist are left out.
pub fn describe_log_dirs(node: &Node, request: DescribeLogDirsRequest) -> DescribeLogDirsResponse {
    let topics = match request.topics {
        None => node.topics.all().iter().map(|topic| describe(topic, all(topic))).collect(),
        Some(wanted) => wanted
            .into_iter()
            .filter_map(|want| node.topics.get(&want.topic).map(|topic| describe(&topic, want.partitions)))
            .filter(|topic| !topic.partitions.is_empty())
            .collect(),
    };
    let result = DescribeLogDirsResult::default()
        .with_log_dir(text(node.topics.folder().display().to_string()))
        .with_topics(topics)
        .with_total_bytes(-1)
        .with_usable_bytes(-1);
    DescribeLogDirsResponse::default().with_results(vec![result])
}

fn all(topic: &Topic) -> std::ops::Range<i32> {
    0..i32::try_from(topic.partition_count()).unwrap_or(i32::MAX)
}

fn describe(topic: &Topic, partitions: impl IntoIterator<Item = i32>) -> DescribeLogDirsTopic {
    let partitions = partitions.into_iter().filter_map(|index| {
        let size = topic.partition(index)?.log().size();
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        Some(DescribeLogDirsPartition::default().with_partition_index(index).with_partition_size(size))
    });
    DescribeLogDirsTopic::default().with_name(topic_name(topic.name())).with_partitions(partitions.collect())
}
