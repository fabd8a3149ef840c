//! CreateTopics and DeleteTopics.

use super::{configs::effective, text, topic_name};
use crate::{
    node::Node,
    topics::{MAX_PARTITIONS, TopicConfig, check_name, check_value},
};
use kafka_protocol::{
    ResponseError,
    messages::{
        CreateTopicsRequest, CreateTopicsResponse, DeleteTopicsRequest, DeleteTopicsResponse,
        create_topics_request::CreatableTopic,
        create_topics_response::{CreatableTopicConfigs, CreatableTopicResult},
        delete_topics_response::DeletableTopicResult,
    },
};
use std::collections::{BTreeMap, HashSet};
use uuid::Uuid;

type Failure = (ResponseError, String);

/// Makes topics; each succeeds or fails by itself.
pub fn create_topics(node: &Node, request: CreateTopicsRequest) -> CreateTopicsResponse {
    let mut names = HashSet::new();
    let twice: HashSet<_> = request.topics.iter().filter(|t| !names.insert(t.name.clone())).map(|t| t.name.clone()).collect();
    let topics = request
        .topics
        .iter()
        .map(|topic| {
            let done = if twice.contains(&topic.name) {
                Err((ResponseError::InvalidRequest, "the request names this topic twice".into()))
            } else {
                create(node, topic, request.validate_only)
            };
            respond(topic, done)
        })
        .collect();
    CreateTopicsResponse::default().with_topics(topics)
}

struct Created {
    id: Uuid,
    partitions: i32,
    configs: BTreeMap<String, String>,
}

fn create(node: &Node, topic: &CreatableTopic, validate_only: bool) -> Result<Created, Failure> {
    check_name(&topic.name).map_err(|e| (ResponseError::InvalidTopicException, e))?;
    let exists = || (ResponseError::TopicAlreadyExists, format!("the topic '{}' exists", topic.name.as_str()));
    if node.topics.get(&topic.name).is_some() {
        return Err(exists());
    }
    let partitions = partition_count(node, topic)?;
    let mut configs = BTreeMap::new();
    for config in &topic.configs {
        let value = config.value.as_ref().ok_or_else(|| invalid_config(format!("{} has no value", config.name)))?;
        check_value(&config.name, value).map_err(invalid_config)?;
        configs.insert(config.name.to_string(), value.to_string());
    }
    if validate_only {
        return Ok(Created { id: Uuid::nil(), partitions, configs });
    }
    match node.topics.create(&topic.name, partitions, configs.clone()) {
        Ok(made) => Ok(Created { id: made.id(), partitions, configs }),
        Err(ResponseError::TopicAlreadyExists) => Err(exists()),
        Err(error) => Err((error, "the topic could not be stored".into())),
    }
}

fn invalid_config(message: String) -> Failure {
    (ResponseError::InvalidConfig, message)
}

fn partition_count(node: &Node, topic: &CreatableTopic) -> Result<i32, Failure> {
    if !topic.assignments.is_empty() {
        let wrong = |message: &str| Err((ResponseError::InvalidReplicaAssignment, message.to_string()));
        if topic.num_partitions != -1 || topic.replication_factor != -1 {
            return wrong("with an assignment, partitions and replication factor must be -1");
        }
        let mut indices: Vec<_> = topic.assignments.iter().map(|a| a.partition_index).collect();
        indices.sort_unstable();
        if !indices.iter().copied().eq((0..).take(indices.len())) {
            return wrong("the assigned partitions must count from 0 without gaps");
        }
        if topic.assignments.iter().any(|a| a.broker_ids.iter().map(|b| b.0).ne([crate::node::NODE_ID])) {
            return wrong("the only broker is 1");
        }
        return Ok(i32::try_from(indices.len()).unwrap_or(MAX_PARTITIONS));
    }
    if !matches!(topic.replication_factor, -1 | 1) {
        let message = format!("replication factor {}: there is one broker, so 1 or -1 is possible", topic.replication_factor);
        return Err((ResponseError::InvalidReplicationFactor, message));
    }
    match topic.num_partitions {
        -1 => Ok(node.config.default_partitions),
        1..=MAX_PARTITIONS => Ok(topic.num_partitions),
        other => Err((ResponseError::InvalidPartitions, format!("{other} partitions: 1 to {MAX_PARTITIONS} are possible"))),
    }
}

fn respond(topic: &CreatableTopic, done: Result<Created, Failure>) -> CreatableTopicResult {
    let result = CreatableTopicResult::default().with_name(topic.name.clone());
    match done {
        Ok(created) => {
            let configs = effective(&TopicConfig::new(created.configs))
                .map(|c| {
                    CreatableTopicConfigs::default()
                        .with_name(text(c.definition.name))
                        .with_value(Some(text(c.value)))
                        .with_config_source(c.source)
                })
                .collect();
            result.with_topic_id(created.id).with_num_partitions(created.partitions).with_replication_factor(1).with_configs(Some(configs))
        }
        Err((error, message)) => result
            .with_error_code(error.code())
            .with_error_message(Some(text(message)))
            .with_num_partitions(-1)
            .with_replication_factor(-1)
            .with_configs(None),
    }
}

/// Removes topics, named or by id.
pub fn delete_topics(node: &Node, request: DeleteTopicsRequest) -> DeleteTopicsResponse {
    let by_name = request.topic_names.iter().map(|name| (Some(name.clone()), Uuid::nil()));
    let by_state = request.topics.iter().map(|state| (state.name.clone(), state.topic_id));
    let responses = by_name
        .chain(by_state)
        .map(|(name, id)| {
            let (name, missing) = match name {
                Some(name) => (Some(name), ResponseError::UnknownTopicOrPartition),
                None => (node.topics.get_by_id(id).map(|t| topic_name(t.name())), ResponseError::UnknownTopicId),
            };
            let result = DeletableTopicResult::default().with_name(name.clone()).with_topic_id(id);
            match name.map_or(Err(missing), |name| node.topics.delete(&name)) {
                Ok(topic) => {
                    if let Err(error) = node.groups.forget_topic(topic.name()) {
                        tracing::warn!(topic = topic.name(), %error, "offsets of a deleted topic stay");
                    }
                    result.with_topic_id(topic.id())
                }
                Err(error) => result.with_error_code(error.code()).with_error_message(Some(text("there is no such topic"))),
            }
        })
        .collect();
    DeleteTopicsResponse::default().with_responses(responses)
}
