//! DeleteRecords: the beginning of a log moves up.

use crate::{node::Node, topics::storage};
use kafka_protocol::{
    ResponseError,
    messages::{
        DeleteRecordsRequest, DeleteRecordsResponse,
        delete_records_response::{DeleteRecordsPartitionResult, DeleteRecordsTopicResult},
    },
};

/// Stands for the end of the log.
const TO_END: i64 = -1;

/// Removes the records before given offsets.
pub fn delete_records(node: &Node, request: DeleteRecordsRequest) -> DeleteRecordsResponse {
    let topics = request
        .topics
        .into_iter()
        .map(|topic| {
            let partitions = topic
                .partitions
                .iter()
                .map(|p| {
                    let result = DeleteRecordsPartitionResult::default().with_partition_index(p.partition_index);
                    match delete(node, &topic.name, p.partition_index, p.offset) {
                        Ok(start) => result.with_low_watermark(start),
                        Err(error) => result.with_error_code(error.code()).with_low_watermark(-1),
                    }
                })
                .collect();
            DeleteRecordsTopicResult::default().with_name(topic.name).with_partitions(partitions)
        })
        .collect();
    DeleteRecordsResponse::default().with_topics(topics)
}

fn delete(node: &Node, topic: &str, partition: i32, offset: i64) -> Result<i64, ResponseError> {
    let partition = node.topics.partition(topic, partition).ok_or(ResponseError::UnknownTopicOrPartition)?;
    let mut log = partition.log();
    let offset = if offset == TO_END { log.end() } else { offset };
    if !(0..=log.end()).contains(&offset) {
        return Err(ResponseError::OffsetOutOfRange);
    }
    log.delete_before(offset).map_err(storage)?;
    let (start, removed) = (log.start(), log.take_removed());
    drop(log);
    drop(removed);
    Ok(start)
}
