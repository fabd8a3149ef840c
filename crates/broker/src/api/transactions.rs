//! InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn, TxnOffsetCommit and EndTxn.

use super::{membership::identity, offsets::checked};
use crate::{
    groups::{Committer, OffsetKey},
    node::Node,
    txns::{Pending, ProducerName},
};
use kafka_protocol::{
    ResponseError,
    messages::{
        AddOffsetsToTxnRequest, AddOffsetsToTxnResponse, AddPartitionsToTxnRequest, AddPartitionsToTxnResponse, EndTxnRequest,
        EndTxnResponse, InitProducerIdRequest, InitProducerIdResponse, ProducerId, TxnOffsetCommitRequest, TxnOffsetCommitResponse,
        add_partitions_to_txn_response::{AddPartitionsToTxnPartitionResult, AddPartitionsToTxnTopicResult},
        txn_offset_commit_response::{TxnOffsetCommitResponsePartition, TxnOffsetCommitResponseTopic},
    },
};
use std::{collections::HashMap, time::Instant};

/// Versions before this one know a fenced producer only as one of an old epoch.
fn code(error: ResponseError, version: i16, fenced_since: i16) -> i16 {
    match error {
        ResponseError::ProducerFenced if version < fenced_since => ResponseError::InvalidProducerEpoch.code(),
        other => other.code(),
    }
}

fn name(id: ProducerId, epoch: i16) -> ProducerName {
    ProducerName { id: id.0, epoch }
}

/// Gives a producer its id and epoch.
pub fn init_producer_id(node: &Node, request: InitProducerIdRequest, version: i16) -> InitProducerIdResponse {
    let known = (request.producer_id.0 >= 0).then(|| name(request.producer_id, request.producer_epoch));
    let done = match &request.transactional_id {
        Some(id) => node.transactions.init(node.reach(), id, request.transaction_timeout_ms, known),
        None => node.transactions.new_producer(),
    };
    match done {
        Ok(producer) => InitProducerIdResponse::default().with_producer_id(producer.id.into()).with_producer_epoch(producer.epoch),
        Err(error) => {
            InitProducerIdResponse::default().with_error_code(code(error, version, 4)).with_producer_id((-1).into()).with_producer_epoch(-1)
        }
    }
}

/// Adds partitions to a transaction: all or none.
pub fn add_partitions(node: &Node, request: AddPartitionsToTxnRequest, version: i16) -> AddPartitionsToTxnResponse {
    let topics = request.v3_and_below_topics;
    let exists = |topic: &str, partition: i32| node.topics.partition(topic, partition).is_some();
    let all: Vec<(String, i32)> = topics.iter().flat_map(|t| t.partitions.iter().map(|p| (t.name.to_string(), *p))).collect();
    let missing = all.iter().any(|(topic, partition)| !exists(topic, *partition));
    let producer = name(request.v3_and_below_producer_id, request.v3_and_below_producer_epoch);
    let id = request.v3_and_below_transactional_id;
    let done = if missing { Ok(()) } else { node.transactions.add_partitions(node.reach(), &id, producer, all) };
    let result = |topic: &str, partition: i32| match done {
        Err(error) => code(error, version, 2),
        Ok(()) if !missing => 0,
        Ok(()) if exists(topic, partition) => ResponseError::OperationNotAttempted.code(),
        Ok(()) => ResponseError::UnknownTopicOrPartition.code(),
    };
    let results = topics
        .iter()
        .map(|topic| {
            let partitions = topic.partitions.iter().map(|p| {
                AddPartitionsToTxnPartitionResult::default().with_partition_index(*p).with_partition_error_code(result(&topic.name, *p))
            });
            AddPartitionsToTxnTopicResult::default().with_name(topic.name.clone()).with_results_by_partition(partitions.collect())
        })
        .collect();
    AddPartitionsToTxnResponse::default().with_results_by_topic_v3_and_below(results)
}

/// Announces that a transaction will commit offsets of a group.
pub fn add_offsets(node: &Node, request: AddOffsetsToTxnRequest, version: i16) -> AddOffsetsToTxnResponse {
    let producer = name(request.producer_id, request.producer_epoch);
    let done = node.transactions.add_group(node.reach(), &request.transactional_id, producer, &request.group_id);
    AddOffsetsToTxnResponse::default().with_error_code(done.map_or_else(|error| code(error, version, 2), |()| 0))
}

/// Keeps offsets until the transaction ends: all or none.
pub fn txn_offset_commit(node: &Node, request: TxnOffsetCommitRequest) -> TxnOffsetCommitResponse {
    let group = request.group_id.as_str();
    let mut pending = Vec::new();
    let mut bad = HashMap::new();
    for topic in &request.topics {
        for p in &topic.partitions {
            let key = OffsetKey { group: group.to_string(), topic: topic.name.to_string(), partition: p.partition_index };
            match checked(node, key, p.committed_offset, p.committed_leader_epoch, p.committed_metadata.as_ref()) {
                Ok((key, committed)) => pending.push(Pending { key, committed }),
                Err(error) => drop(bad.insert((topic.name.clone(), p.partition_index), error)),
            }
        }
    }
    let failed = if bad.is_empty() {
        let who =
            Committer { identity: identity(&request.member_id, request.group_instance_id.as_ref()), generation: request.generation_id };
        let producer = name(request.producer_id, request.producer_epoch);
        let keys: Vec<OffsetKey> = pending.iter().map(|p| p.key.clone()).collect();
        let check = || node.groups.commit_pending(group, &who, producer.id, &keys, Instant::now());
        node.transactions.add_offsets(&request.transactional_id, producer, group, pending, check).err()
    } else {
        Some(ResponseError::OperationNotAttempted)
    };
    let topics = request
        .topics
        .iter()
        .map(|topic| {
            let partitions = topic.partitions.iter().map(|p| {
                let own = bad.get(&(topic.name.clone(), p.partition_index));
                // There is no version of this request that knows a fenced producer by that name.
                let error = own.copied().or(failed).map_or(0, |error| code(error, 0, 1));
                TxnOffsetCommitResponsePartition::default().with_partition_index(p.partition_index).with_error_code(error)
            });
            TxnOffsetCommitResponseTopic::default().with_name(topic.name.clone()).with_partitions(partitions.collect())
        })
        .collect();
    TxnOffsetCommitResponse::default().with_topics(topics)
}

/// Ends a transaction.
pub fn end_txn(node: &Node, request: EndTxnRequest, version: i16) -> EndTxnResponse {
    let producer = name(request.producer_id, request.producer_epoch);
    let done = node.transactions.end(node.reach(), &request.transactional_id, producer, request.committed);
    EndTxnResponse::default().with_error_code(done.map_or_else(|error| code(error, version, 2), |()| 0))
}
