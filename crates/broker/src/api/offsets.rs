//! OffsetCommit, OffsetFetch and OffsetDelete.

use super::{membership::identity, once, text, topic_name};
use crate::{
    clock::now_ms,
    groups::{Committed, Committer, OffsetKey},
    node::Node,
};
use kafka_protocol::{
    ResponseError,
    messages::{
        OffsetCommitRequest, OffsetCommitResponse, OffsetDeleteRequest, OffsetDeleteResponse, OffsetFetchRequest, OffsetFetchResponse,
        offset_commit_response::{OffsetCommitResponsePartition, OffsetCommitResponseTopic},
        offset_delete_response::{OffsetDeleteResponsePartition, OffsetDeleteResponseTopic},
        offset_fetch_response::{
            OffsetFetchResponseGroup, OffsetFetchResponsePartition, OffsetFetchResponsePartitions, OffsetFetchResponseTopic,
            OffsetFetchResponseTopics,
        },
    },
    protocol::StrBytes,
};
use std::{collections::BTreeMap, time::Instant};

/// An offset that a client sent, checked against what there is.
pub fn checked(
    node: &Node,
    key: OffsetKey,
    offset: i64,
    leader_epoch: i32,
    metadata: Option<&StrBytes>,
) -> Result<(OffsetKey, Committed), ResponseError> {
    if node.topics.partition(&key.topic, key.partition).is_none() {
        return Err(ResponseError::UnknownTopicOrPartition);
    }
    let metadata = metadata.map(ToString::to_string).unwrap_or_default();
    if metadata.len() > node.config.groups.max_offset_metadata {
        return Err(ResponseError::OffsetMetadataTooLarge);
    }
    Ok((key, Committed { offset, leader_epoch, metadata, at: now_ms() }))
}

/// Commits offsets: those that can be are committed together.
pub fn offset_commit(node: &Node, request: OffsetCommitRequest) -> OffsetCommitResponse {
    let group = request.group_id.as_str();
    let mut good = Vec::new();
    let mut results = Vec::new();
    for topic in &request.topics {
        for p in &topic.partitions {
            let key = OffsetKey { group: group.to_string(), topic: topic.name.to_string(), partition: p.partition_index };
            let checked = checked(node, key, p.committed_offset, p.committed_leader_epoch, p.committed_metadata.as_ref());
            results.push(checked.map(|offset| good.push(offset)).err());
        }
    }
    let who = Committer {
        identity: identity(&request.member_id, request.group_instance_id.as_ref()),
        generation: request.generation_id_or_member_epoch,
    };
    let failed = node.groups.commit(group, &who, good, Instant::now()).err();
    let mut results = results.into_iter();
    let topics = request
        .topics
        .iter()
        .map(|topic| {
            let partitions = topic
                .partitions
                .iter()
                .map(|p| {
                    let error = failed.or_else(|| results.next().flatten());
                    OffsetCommitResponsePartition::default()
                        .with_partition_index(p.partition_index)
                        .with_error_code(error.map_or(0, |e| e.code()))
                })
                .collect();
            OffsetCommitResponseTopic::default().with_name(topic.name.clone()).with_partitions(partitions)
        })
        .collect();
    OffsetCommitResponse::default().with_topics(topics)
}

/// One offset of an answer.
struct Fetched {
    partition: i32,
    committed: Option<Committed>,
    error: i16,
}

/// Committed offsets of a group: for given partitions, or all there are.
fn fetch(node: &Node, group: &str, wanted: Option<Vec<(String, Vec<i32>)>>, stable: bool) -> Vec<(String, Vec<Fetched>)> {
    let wanted = wanted.unwrap_or_else(|| {
        let mut by_topic: BTreeMap<String, Vec<i32>> = BTreeMap::new();
        for key in node.groups.committed_keys(group) {
            by_topic.entry(key.topic).or_default().push(key.partition);
        }
        by_topic.into_iter().collect()
    });
    let one = |topic: &str, partition: i32| {
        let key = OffsetKey { group: group.to_string(), topic: topic.to_string(), partition };
        match node.groups.committed(&key, stable) {
            Ok(committed) => Fetched { partition, committed, error: 0 },
            Err(error) => Fetched { partition, committed: None, error: error.code() },
        }
    };
    wanted
        .into_iter()
        .map(|(topic, partitions)| {
            let fetched = partitions.into_iter().map(|p| one(&topic, p)).collect();
            (topic, fetched)
        })
        .collect()
}

/// Gives committed offsets. From version 8 on a request may name several groups.
pub fn offset_fetch(node: &Node, request: OffsetFetchRequest, version: i16) -> OffsetFetchResponse {
    let stable = request.require_stable;
    if version < 8 {
        let wanted = request.topics.map(|t| t.into_iter().map(|t| (t.name.to_string(), t.partition_indexes)).collect());
        let topics = fetch(node, &request.group_id, wanted, stable).into_iter().map(|(topic, partitions)| {
            let partitions = partitions.into_iter().map(|p| {
                let (offset, epoch, metadata) = parts(p.committed);
                OffsetFetchResponsePartition::default()
                    .with_partition_index(p.partition)
                    .with_committed_offset(offset)
                    .with_committed_leader_epoch(epoch)
                    .with_metadata(Some(text(metadata)))
                    .with_error_code(p.error)
            });
            OffsetFetchResponseTopic::default().with_name(topic_name(topic)).with_partitions(partitions.collect())
        });
        return OffsetFetchResponse::default().with_topics(topics.collect());
    }
    let groups = once(request.groups, |group| group.group_id.clone()).map(|group| {
        let wanted = group.topics.map(|t| t.into_iter().map(|t| (t.name.to_string(), t.partition_indexes)).collect());
        let topics = fetch(node, &group.group_id, wanted, stable).into_iter().map(|(topic, partitions)| {
            let partitions = partitions.into_iter().map(|p| {
                let (offset, epoch, metadata) = parts(p.committed);
                OffsetFetchResponsePartitions::default()
                    .with_partition_index(p.partition)
                    .with_committed_offset(offset)
                    .with_committed_leader_epoch(epoch)
                    .with_metadata(Some(text(metadata)))
                    .with_error_code(p.error)
            });
            OffsetFetchResponseTopics::default().with_name(topic_name(topic)).with_partitions(partitions.collect())
        });
        let topics = topics.collect();
        OffsetFetchResponseGroup::default().with_group_id(group.group_id).with_topics(topics)
    });
    OffsetFetchResponse::default().with_groups(groups.collect())
}

fn parts(committed: Option<Committed>) -> (i64, i32, String) {
    committed.map_or((-1, -1, String::new()), |c| (c.offset, c.leader_epoch, c.metadata))
}

/// Removes committed offsets of a group without members.
pub fn offset_delete(node: &Node, request: OffsetDeleteRequest) -> OffsetDeleteResponse {
    if !node.groups.exists(&request.group_id) {
        return OffsetDeleteResponse::default().with_error_code(ResponseError::GroupIdNotFound.code());
    }
    let topics = request
        .topics
        .iter()
        .map(|topic| {
            let partitions = topic
                .partitions
                .iter()
                .map(|p| {
                    let key =
                        OffsetKey { group: request.group_id.to_string(), topic: topic.name.to_string(), partition: p.partition_index };
                    let code = node.groups.delete_offset(&key).map_or_else(|error| error.code(), |()| 0);
                    OffsetDeleteResponsePartition::default().with_partition_index(p.partition_index).with_error_code(code)
                })
                .collect();
            OffsetDeleteResponseTopic::default().with_name(topic.name.clone()).with_partitions(partitions)
        })
        .collect();
    OffsetDeleteResponse::default().with_topics(topics)
}
