//! A batch being written: records go straight into the form that is sent.

use super::header::{Attributes, HEADER_LEN, LENGTH_PREFIX, MAGIC, at};
use crate::{
    compression::Compression,
    error::BatchError,
    varint::{put_signed, signed_len},
};

/// Who wrote a batch, if the producer is idempotent or transactional.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Producer {
    /// Producer id; -1 for a plain producer.
    pub id: i64,
    /// Its epoch; -1 for a plain producer.
    pub epoch: i16,
    /// Sequence number of the first record; -1 for a plain producer.
    pub sequence: i32,
    /// Whether the batch is part of a transaction.
    pub transactional: bool,
}

impl Producer {
    /// Neither idempotent nor transactional.
    pub const PLAIN: Self = Self { id: -1, epoch: -1, sequence: -1, transactional: false };
}

/// An appending writer of one batch.
#[derive(Clone, Debug)]
pub struct BatchWriter {
    bytes: Vec<u8>,
    base_timestamp: i64,
    max_timestamp: i64,
    count: i32,
}

impl Default for BatchWriter {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl BatchWriter {
    /// A writer into `buffer`, whose content is forgotten.
    pub fn new(mut buffer: Vec<u8>) -> Self {
        buffer.clear();
        buffer.resize(HEADER_LEN, 0);
        Self { bytes: buffer, base_timestamp: 0, max_timestamp: 0, count: 0 }
    }

    /// Appends a record. `headers` is their count and the headers, encoded; empty stands for none.
    ///
    /// # Errors
    /// [`BatchError::Full`] if the batch would pass 2 GiB; nothing is appended then.
    pub fn push(&mut self, timestamp: i64, key: Option<&[u8]>, value: Option<&[u8]>, headers: &[u8]) -> Result<(), BatchError> {
        let headers = if headers.is_empty() { &[0][..] } else { headers };
        let count = self.count.checked_add(1).ok_or(BatchError::Full)?;
        if self.count == 0 {
            (self.base_timestamp, self.max_timestamp) = (timestamp, timestamp);
        }
        let time_delta = timestamp.wrapping_sub(self.base_timestamp);
        let offset_delta = i64::from(self.count);
        let (key_len, value_len) = (length_of(key)?, length_of(value)?);
        let (key, value) = (key.unwrap_or_default(), value.unwrap_or_default());
        let body = 1
            + signed_len(time_delta)
            + signed_len(offset_delta)
            + signed_len(key_len)
            + key.len()
            + signed_len(value_len)
            + value.len()
            + headers.len();
        if self.bytes.len().saturating_add(body) > i32::MAX as usize - 16 {
            return Err(BatchError::Full);
        }
        self.bytes.reserve(body + 5);
        put_signed(&mut self.bytes, i64::try_from(body).map_err(|_| BatchError::Full)?);
        self.bytes.push(0);
        put_signed(&mut self.bytes, time_delta);
        put_signed(&mut self.bytes, offset_delta);
        put_signed(&mut self.bytes, key_len);
        self.bytes.extend_from_slice(key);
        put_signed(&mut self.bytes, value_len);
        self.bytes.extend_from_slice(value);
        self.bytes.extend_from_slice(headers);
        self.max_timestamp = self.max_timestamp.max(timestamp);
        self.count = count;
        Ok(())
    }

    /// Number of records.
    pub fn count(&self) -> i32 {
        self.count
    }

    /// Bytes so far, header included, not compressed.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The finished batch, with base offset 0.
    ///
    /// # Errors
    /// [`BatchError`] if there are no records or the codec fails.
    pub fn finish(self, compression: Compression, producer: Producer) -> Result<Vec<u8>, BatchError> {
        let flags = if producer.transactional { Attributes::TRANSACTIONAL } else { 0 };
        self.seal(compression, producer, flags)
    }

    pub(super) fn seal(self, compression: Compression, producer: Producer, flags: i16) -> Result<Vec<u8>, BatchError> {
        let last_offset_delta = self.count - 1;
        if last_offset_delta < 0 {
            return Err(BatchError::Malformed("a batch without records"));
        }
        let mut bytes = self.bytes;
        if compression != Compression::None {
            let mut packed = Vec::with_capacity(bytes.len() / 2 + HEADER_LEN);
            packed.resize(HEADER_LEN, 0);
            compression.compress(bytes.get(HEADER_LEN..).unwrap_or_default(), &mut packed)?;
            bytes = packed;
        }
        let length = i32::try_from(bytes.len() - LENGTH_PREFIX).map_err(|_| BatchError::Full)?;
        put(&mut bytes, at::BASE_OFFSET, 0i64.to_be_bytes());
        put(&mut bytes, at::LENGTH, length.to_be_bytes());
        put(&mut bytes, at::LEADER_EPOCH, (-1i32).to_be_bytes());
        put(&mut bytes, at::MAGIC, MAGIC.to_be_bytes());
        put(&mut bytes, at::ATTRIBUTES, (compression.code() | flags).to_be_bytes());
        put(&mut bytes, at::LAST_OFFSET_DELTA, last_offset_delta.to_be_bytes());
        put(&mut bytes, at::BASE_TIMESTAMP, self.base_timestamp.to_be_bytes());
        put(&mut bytes, at::MAX_TIMESTAMP, self.max_timestamp.to_be_bytes());
        put(&mut bytes, at::PRODUCER_ID, producer.id.to_be_bytes());
        put(&mut bytes, at::PRODUCER_EPOCH, producer.epoch.to_be_bytes());
        put(&mut bytes, at::BASE_SEQUENCE, producer.sequence.to_be_bytes());
        put(&mut bytes, at::COUNT, self.count.to_be_bytes());
        super::patch::set_crc(&mut bytes);
        Ok(bytes)
    }
}

fn length_of(field: Option<&[u8]>) -> Result<i64, BatchError> {
    field.map_or(Ok(-1), |f| i32::try_from(f.len()).map(i64::from).map_err(|_| BatchError::Full))
}

pub(super) fn put<const N: usize>(bytes: &mut [u8], at: usize, value: [u8; N]) {
    if let Some(field) = bytes.get_mut(at..).and_then(|b| b.first_chunk_mut::<N>()) {
        *field = value;
    }
}
