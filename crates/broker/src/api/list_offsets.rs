//! ListOffsets: the first, the last, or the one at a time.

use crate::{log::TimeOffset, node::Node};
use kafka_protocol::{
    ResponseError,
    messages::{
        ListOffsetsRequest, ListOffsetsResponse,
        list_offsets_response::{ListOffsetsPartitionResponse, ListOffsetsTopicResponse},
    },
};

const LATEST: i64 = -1;
const EARLIEST: i64 = -2;
const MAX_TIMESTAMP: i64 = -3;

/// Looks offsets up.
///
/// Versions before 4 know no leader epochs.
pub fn list_offsets(node: &Node, request: ListOffsetsRequest, version: i16) -> ListOffsetsResponse {
    let epoch = if version < 4 { -1 } else { 0 };
    let committed = request.isolation_level == 1;
    let topics = request
        .topics
        .into_iter()
        .map(|topic| {
            let partitions = topic
                .partitions
                .iter()
                .map(|p| {
                    let response = ListOffsetsPartitionResponse::default().with_partition_index(p.partition_index);
                    match look_up(node, &topic.name, p.partition_index, p.timestamp, committed) {
                        Ok(found) => response.with_offset(found.offset).with_timestamp(found.timestamp).with_leader_epoch(epoch),
                        Err(error) => response.with_error_code(error.code()).with_offset(-1).with_timestamp(-1).with_leader_epoch(-1),
                    }
                })
                .collect();
            ListOffsetsTopicResponse::default().with_name(topic.name).with_partitions(partitions)
        })
        .collect();
    ListOffsetsResponse::default().with_topics(topics)
}

fn look_up(node: &Node, topic: &str, partition: i32, timestamp: i64, committed: bool) -> Result<TimeOffset, ResponseError> {
    let partition = node.topics.partition(topic, partition).ok_or(ResponseError::UnknownTopicOrPartition)?;
    let log = partition.log();
    let end = if committed { log.stable_end() } else { log.end() };
    let place = |offset| TimeOffset { offset, timestamp: -1 };
    let found = match timestamp {
        LATEST => return Ok(place(end)),
        EARLIEST => return Ok(place(log.start())),
        MAX_TIMESTAMP => log.latest_by_time(),
        timestamp if timestamp < 0 => return Err(ResponseError::UnsupportedVersion),
        timestamp => log.offset_for_time(timestamp),
    };
    let found = found.map_err(|error| {
        tracing::error!(%error, "a log cannot be read");
        ResponseError::KafkaStorageError
    })?;
    Ok(found.filter(|f| f.offset < end).unwrap_or(place(-1)))
}
