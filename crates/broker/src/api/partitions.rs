//! CreatePartitions: more partitions for a topic.

use super::text;
use crate::{node::Node, topics::MAX_PARTITIONS};
use kafka_protocol::{
    ResponseError,
    messages::{
        CreatePartitionsRequest, CreatePartitionsResponse, create_partitions_request::CreatePartitionsTopic,
        create_partitions_response::CreatePartitionsTopicResult,
    },
};

/// Gives topics more partitions.
pub fn create_partitions(node: &Node, request: CreatePartitionsRequest) -> CreatePartitionsResponse {
    let results = request
        .topics
        .iter()
        .map(|topic| {
            let result = CreatePartitionsTopicResult::default().with_name(topic.name.clone());
            match grow(node, topic, request.validate_only) {
                Ok(()) => result.with_error_message(None),
                Err((error, message)) => result.with_error_code(error.code()).with_error_message(Some(text(message))),
            }
        })
        .collect();
    CreatePartitionsResponse::default().with_results(results)
}

fn grow(node: &Node, topic: &CreatePartitionsTopic, validate_only: bool) -> Result<(), (ResponseError, String)> {
    let found = node.topics.get(&topic.name).ok_or((ResponseError::UnknownTopicOrPartition, "there is no such topic".to_string()))?;
    let now = i32::try_from(found.partition_count()).unwrap_or(MAX_PARTITIONS);
    if topic.count <= now || topic.count > MAX_PARTITIONS {
        let message = format!("{} partitions: the topic has {now}, {MAX_PARTITIONS} are possible", topic.count);
        return Err((ResponseError::InvalidPartitions, message));
    }
    if let Some(assignments) = &topic.assignments {
        let as_many = i32::try_from(assignments.len()).is_ok_and(|n| n == topic.count - now);
        if !as_many || assignments.iter().any(|a| a.broker_ids.iter().map(|b| b.0).ne([crate::node::NODE_ID])) {
            return Err((ResponseError::InvalidReplicaAssignment, "one replica on broker 1 for each new partition is possible".into()));
        }
    }
    if validate_only {
        return Ok(());
    }
    node.topics.grow(&topic.name, topic.count).map_err(|error| (error, "the partitions could not be stored".into()))
}
