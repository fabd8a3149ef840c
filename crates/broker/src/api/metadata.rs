//! Metadata: the one broker, and the topics.

use super::{once, text, topic_name};
use crate::{
    node::{Connected, NODE_ID, Node},
    topics::{Topic, check_name},
};
use kafka_protocol::{
    ResponseError,
    messages::{
        BrokerId, MetadataRequest, MetadataResponse,
        metadata_response::{MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic},
    },
};
use std::{collections::BTreeMap, sync::Arc};

/// Describes broker and topics; makes topics that are asked for by name, if both sides allow it.
pub fn metadata(node: &Node, connected: &Connected, request: MetadataRequest, version: i16) -> MetadataResponse {
    let (host, port) = node.advertised(connected);
    let broker = MetadataResponseBroker::default().with_node_id(BrokerId(NODE_ID)).with_host(text(host)).with_port(port);
    let create = request.allow_auto_topic_creation && node.config.auto_create_topics;
    let topics = match request.topics {
        Some(wanted) if version > 0 || !wanted.is_empty() => once(wanted, |want| (want.name.clone(), want.topic_id))
            .map(|want| match want.name {
                Some(name) => named(node, &name, create),
                None => match node.topics.get_by_id(want.topic_id) {
                    Some(topic) => describe(&topic),
                    None => MetadataResponseTopic::default()
                        .with_name(None)
                        .with_topic_id(want.topic_id)
                        .with_error_code(ResponseError::UnknownTopicId.code()),
                },
            })
            .collect(),
        _ => node.topics.all().iter().map(|topic| describe(topic)).collect(),
    };
    MetadataResponse::default()
        .with_brokers(vec![broker])
        .with_cluster_id(Some(text(node.cluster_id.clone())))
        .with_controller_id(BrokerId(NODE_ID))
        .with_topics(topics)
}

fn named(node: &Node, name: &str, create: bool) -> MetadataResponseTopic {
    match find(node, name, create) {
        Ok(topic) => describe(&topic),
        Err(error) => MetadataResponseTopic::default().with_name(Some(topic_name(name))).with_error_code(error.code()),
    }
}

fn find(node: &Node, name: &str, create: bool) -> Result<Arc<Topic>, ResponseError> {
    if let Some(topic) = node.topics.get(name) {
        return Ok(topic);
    }
    check_name(name).map_err(|_| ResponseError::InvalidTopicException)?;
    if !create {
        return Err(ResponseError::UnknownTopicOrPartition);
    }
    match node.topics.create(name, node.config.default_partitions, BTreeMap::new()) {
        // Someone else was quicker.
        Err(ResponseError::TopicAlreadyExists) => node.topics.get(name).ok_or(ResponseError::UnknownTopicOrPartition),
        made => made,
    }
}

fn describe(topic: &Topic) -> MetadataResponseTopic {
    let here = || vec![BrokerId(NODE_ID)];
    let partitions = (0..topic.partition_count())
        .filter_map(|index| i32::try_from(index).ok())
        .map(|index| {
            MetadataResponsePartition::default()
                .with_partition_index(index)
                .with_leader_id(BrokerId(NODE_ID))
                .with_leader_epoch(0)
                .with_replica_nodes(here())
                .with_isr_nodes(here())
        })
        .collect();
    MetadataResponseTopic::default().with_name(Some(topic_name(topic.name()))).with_topic_id(topic.id()).with_partitions(partitions)
}
