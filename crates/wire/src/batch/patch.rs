//! The few fields a broker writes into a batch it was sent; the records stay as they came.

use super::{
    header::{Attributes, CRC_START, at},
    writer::put,
};

/// Sets the offset of the first record. The checksum does not cover it.
pub fn set_base_offset(batch: &mut [u8], offset: i64) {
    put(batch, at::BASE_OFFSET, offset.to_be_bytes());
}

/// Sets the leader's epoch. The checksum does not cover it.
pub fn set_leader_epoch(batch: &mut [u8], epoch: i32) {
    put(batch, at::LEADER_EPOCH, epoch.to_be_bytes());
}

/// Marks the batch as stamped by the broker at `now` (milliseconds since 1970) and writes its new checksum.
pub fn set_append_time(batch: &mut [u8], now: i64) {
    let attributes = batch.get(at::ATTRIBUTES..).and_then(|b| b.first_chunk()).map_or(0, |b| i16::from_be_bytes(*b));
    put(batch, at::ATTRIBUTES, (attributes | Attributes::APPEND_TIME).to_be_bytes());
    put(batch, at::MAX_TIMESTAMP, now.to_be_bytes());
    set_crc(batch);
}

pub(super) fn set_crc(batch: &mut [u8]) {
    let crc = crc32c::crc32c(batch.get(CRC_START..).unwrap_or_default());
    put(batch, at::CRC, crc.to_be_bytes());
}
