//! Offsets of partitions, and deleting the records before one.

use super::{Admin, request::array};
use crate::{
    error::KafkaError,
    native::{Partitions, element, elements},
};
use rdkafka::bindings::{self as sys, rd_kafka_admin_op_t as op};
use std::{collections::HashMap, time::Duration};

/// Which offset of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetSpec {
    /// Of the oldest record.
    Earliest,
    /// Behind the newest record, of open transactions too: the high watermark.
    Latest,
    /// Of the first record with this timestamp (milliseconds since the epoch) or a later one; -1 if there is none.
    AtTime(i64),
}

impl OffsetSpec {
    fn native(self) -> i64 {
        match self {
            Self::Earliest => sys::rd_kafka_OffsetSpec_t::RD_KAFKA_OFFSET_SPEC_EARLIEST as i64,
            Self::Latest => sys::rd_kafka_OffsetSpec_t::RD_KAFKA_OFFSET_SPEC_LATEST as i64,
            Self::AtTime(ms) => ms.max(0),
        }
    }
}

impl Admin {
    /// The offsets asked for, in the order asked. One request for all of them; a partition may be asked about once.
    ///
    /// # Errors
    /// The first partition's error, or that of the request.
    pub fn offsets(&self, partitions: &[(&str, i32, OffsetSpec)], timeout: Duration) -> Result<Vec<i64>, KafkaError> {
        if partitions.is_empty() {
            return Ok(Vec::new());
        }
        let list = Partitions::of(partitions.iter().map(|(topic, partition, spec)| (*topic, *partition, spec.native())))?;
        let event = self.request("list offsets", op::RD_KAFKA_ADMIN_OP_LISTOFFSETS, timeout, |client, options, queue| {
            // SAFETY: live objects; the request copies the list.
            unsafe { sys::rd_kafka_ListOffsets(client, list.ptr(), options, queue) };
        })?;
        let mut count = 0;
        // SAFETY: the answer is of this kind of request; what it points to lives as long as it and is copied.
        let answers: Vec<_> = unsafe {
            let result = sys::rd_kafka_event_ListOffsets_result(event.ptr());
            let infos = array(sys::rd_kafka_ListOffsets_result_infos(result, &raw mut count), count);
            infos.iter().map(|info| element(sys::rd_kafka_ListOffsetsResultInfo_topic_partition(*info))).collect()
        };
        let mut found = HashMap::new();
        for answer in &answers {
            if answer.code != 0 {
                return Err(KafkaError::from_code(offset_operation(&answer.topic, answer.partition), answer.code));
            }
            found.insert((answer.topic.as_str(), answer.partition), answer.offset);
        }
        let missing = |topic: &str, partition| KafkaError::from_code(offset_operation(topic, partition), UNKNOWN_PARTITION);
        partitions
            .iter()
            .map(|(topic, partition, _)| found.get(&(*topic, *partition)).copied().ok_or_else(|| missing(topic, *partition)))
            .collect()
    }

    /// The offset of the oldest record, and the one behind the newest.
    ///
    /// # Errors
    /// As [`offsets`](Self::offsets).
    pub fn watermarks(&self, topic: &str, partition: i32, timeout: Duration) -> Result<(i64, i64), KafkaError> {
        let of = |spec| Ok(self.offsets(&[(topic, partition, spec)], timeout)?.first().copied().unwrap_or(0));
        Ok((of(OffsetSpec::Earliest)?, of(OffsetSpec::Latest)?))
    }

    /// Deletes the records before the given offset of each partition.
    ///
    /// # Errors
    /// The first partition's error, or that of the request.
    pub fn delete_records(&self, before: &[(&str, i32, i64)], timeout: Duration) -> Result<(), KafkaError> {
        if before.is_empty() {
            return Ok(());
        }
        let list = Partitions::of(before.iter().copied())?;
        // SAFETY: a live list, which is copied; the object is freed below.
        let mut records = unsafe { sys::rd_kafka_DeleteRecords_new(list.ptr()) };
        let answer = self.request("delete records", op::RD_KAFKA_ADMIN_OP_DELETERECORDS, timeout, |client, options, queue| {
            // SAFETY: live objects; one element; the request copies it.
            unsafe { sys::rd_kafka_DeleteRecords(client, &raw mut records, 1, options, queue) };
        });
        // SAFETY: made above, not used after.
        unsafe { sys::rd_kafka_DeleteRecords_destroy(records) };
        let event = answer?;
        // SAFETY: the answer is of this kind of request; its list lives as long as it and is copied.
        let answers =
            unsafe { elements(sys::rd_kafka_DeleteRecords_result_offsets(sys::rd_kafka_event_DeleteRecords_result(event.ptr()))) };
        match answers.iter().find(|answer| answer.code != 0) {
            None => Ok(()),
            Some(failed) => {
                let operation = format!("delete records of topic '{}' partition {}", failed.topic, failed.partition);
                Err(KafkaError::from_code(operation, failed.code))
            }
        }
    }
}

const UNKNOWN_PARTITION: i32 = sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION as i32;

fn offset_operation(topic: &str, partition: i32) -> String {
    format!("list offsets of topic '{topic}' partition {partition}")
}
