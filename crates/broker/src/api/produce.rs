//! Produce: batches into logs.

use super::text;
use crate::{
    clock::now_ms,
    log::{AppendError, Appended, Refusal},
    node::Node,
    topics::{Partition, Topic},
    txns::ProducerName,
};
use flumen_wire::{BatchError, BatchHeader};
use kafka_protocol::{
    ResponseError,
    messages::{
        ProduceRequest, ProduceResponse,
        produce_request::PartitionProduceData,
        produce_response::{PartitionProduceResponse, TopicProduceResponse},
    },
};

/// Appends what came; each partition succeeds or fails by itself.
pub fn produce(node: &Node, request: ProduceRequest) -> ProduceResponse {
    let transactional_id = request.transactional_id.map(|id| id.to_string());
    let acks_known = matches!(request.acks, -1..=1);
    let responses = request
        .topic_data
        .into_iter()
        .map(|data| {
            let topic = node.topics.get(&data.name);
            let partitions = data
                .partition_data
                .into_iter()
                .map(|partition| {
                    let index = partition.index;
                    let done = if acks_known {
                        append(node, topic.as_deref(), partition, transactional_id.as_deref())
                    } else {
                        Err((ResponseError::InvalidRequiredAcks, "acks must be -1, 0 or 1".to_string()))
                    };
                    respond(index, done)
                })
                .collect();
            TopicProduceResponse::default().with_name(data.name).with_partition_responses(partitions)
        })
        .collect();
    ProduceResponse::default().with_responses(responses)
}

type Failure = (ResponseError, String);

struct Done {
    appended: Appended,
    log_start: i64,
}

fn append(node: &Node, topic: Option<&Topic>, data: PartitionProduceData, transactional_id: Option<&str>) -> Result<Done, Failure> {
    let unknown = || (ResponseError::UnknownTopicOrPartition, "there is no such topic or partition".to_string());
    let topic = topic.ok_or_else(unknown)?;
    let partition = topic.partition(data.index).ok_or_else(unknown)?;
    let records = data.records.unwrap_or_default();
    let header = BatchHeader::parse(&records).map_err(|error| failure(&error.into()))?;
    if !header.attributes.is_transactional() {
        return append_to(node, topic, &partition, &records);
    }
    let id = transactional_id.ok_or((ResponseError::InvalidTxnState, "the request names no transactional id".to_string()))?;
    let producer = ProducerName { id: header.producer_id, epoch: header.producer_epoch };
    node.transactions
        .append(id, producer, topic.name(), data.index, || append_to(node, topic, &partition, &records))
        .map_err(|error| (error, "the partition is not part of an open transaction of this producer".to_string()))?
}

fn failure(error: &AppendError) -> Failure {
    (code(error), error.to_string())
}

fn append_to(node: &Node, topic: &Topic, partition: &Partition, records: &[u8]) -> Result<Done, Failure> {
    let config = topic.config();
    let mut log = partition.log();
    let before = log.end();
    let appended = log.append(records, config.rules(), now_ms());
    let (log_start, more) = (log.start(), log.end() - before);
    drop(log);
    let appended = appended.map_err(|error| {
        if matches!(error, AppendError::Io(_)) {
            node.counters.disk_refused();
        }
        failure(&error)
    })?;
    partition.wake();
    // A batch that was there already adds nothing.
    if more > 0 {
        node.counters.appended_records.add(more.unsigned_abs());
        node.counters.appended_bytes.add(records.len() as u64);
        node.counters.disk_took();
    }
    Ok(Done { appended, log_start })
}

fn respond(index: i32, done: Result<Done, Failure>) -> PartitionProduceResponse {
    let response = PartitionProduceResponse::default().with_index(index);
    match done {
        Ok(Done { appended, log_start }) => response
            .with_base_offset(appended.base_offset)
            .with_log_append_time_ms(appended.append_time.unwrap_or(-1))
            .with_log_start_offset(log_start),
        Err((error, message)) => response
            .with_error_code(error.code())
            .with_error_message(Some(text(message)))
            .with_base_offset(-1)
            .with_log_append_time_ms(-1)
            .with_log_start_offset(-1),
    }
}

fn code(error: &AppendError) -> ResponseError {
    match error {
        AppendError::Batch(BatchError::Magic(_)) => ResponseError::UnsupportedForMessageFormat,
        AppendError::Batch(BatchError::Codec(_)) => ResponseError::UnsupportedCompressionType,
        AppendError::Batch(_) => ResponseError::CorruptMessage,
        AppendError::TooLarge { .. } => ResponseError::MessageTooLarge,
        AppendError::Invalid(_) => ResponseError::InvalidRecord,
        AppendError::Timestamp { .. } => ResponseError::InvalidTimestamp,
        AppendError::Producer(Refusal::OutOfOrder { .. }) => ResponseError::OutOfOrderSequenceNumber,
        AppendError::Producer(Refusal::OldEpoch { .. }) => ResponseError::InvalidProducerEpoch,
        AppendError::Producer(Refusal::NotTransactional) => ResponseError::InvalidTxnState,
        AppendError::Io(_) => ResponseError::KafkaStorageError,
    }
}
