//! The 61 bytes in front of a batch's records.

use crate::{compression::Compression, error::BatchError};

/// Bytes of the header.
pub const HEADER_LEN: usize = 61;
/// Bytes of base offset and length, which the length does not count.
pub const LENGTH_PREFIX: usize = 12;
/// Where the content covered by the checksum begins.
pub(super) const CRC_START: usize = 21;
pub(super) const MAGIC: i8 = 2;

pub(super) mod at {
    //! Byte positions of the fields.
    pub const BASE_OFFSET: usize = 0;
    pub const LENGTH: usize = 8;
    pub const LEADER_EPOCH: usize = 12;
    pub const MAGIC: usize = 16;
    pub const CRC: usize = 17;
    pub const ATTRIBUTES: usize = 21;
    pub const LAST_OFFSET_DELTA: usize = 23;
    pub const BASE_TIMESTAMP: usize = 27;
    pub const MAX_TIMESTAMP: usize = 35;
    pub const PRODUCER_ID: usize = 43;
    pub const PRODUCER_EPOCH: usize = 51;
    pub const BASE_SEQUENCE: usize = 53;
    pub const COUNT: usize = 57;
}

/// The flags of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes(pub i16);

impl Attributes {
    /// The timestamps are the time of the append, one for the whole batch.
    pub const APPEND_TIME: i16 = 0x08;
    /// The batch is part of a transaction.
    pub const TRANSACTIONAL: i16 = 0x10;
    /// The batch holds markers, not records of users.
    pub const CONTROL: i16 = 0x20;

    /// The codec of the records.
    ///
    /// # Errors
    /// [`BatchError::Codec`] if its number is not defined.
    pub fn compression(self) -> Result<Compression, BatchError> {
        Compression::from_code(self.0 & 0x07)
    }

    /// Whether the timestamps are those of the append.
    pub fn is_append_time(self) -> bool {
        self.0 & Self::APPEND_TIME != 0
    }

    /// Whether the batch is part of a transaction.
    pub fn is_transactional(self) -> bool {
        self.0 & Self::TRANSACTIONAL != 0
    }

    /// Whether the batch holds markers.
    pub fn is_control(self) -> bool {
        self.0 & Self::CONTROL != 0
    }
}

/// The fields of a batch's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchHeader {
    /// Offset of the first record.
    pub base_offset: i64,
    /// Bytes of the whole batch, header included.
    pub size: usize,
    /// Epoch of the leader that appended it.
    pub leader_epoch: i32,
    /// CRC-32C of everything after it.
    pub crc: u32,
    /// Flags.
    pub attributes: Attributes,
    /// Distance of the last offset from the first; stays when compaction removes the last record.
    pub last_offset_delta: i32,
    /// Milliseconds since 1970 to which the records' own timestamps are relative.
    pub base_timestamp: i64,
    /// Latest timestamp of the batch in milliseconds.
    pub max_timestamp: i64,
    /// Id of an idempotent producer, else -1.
    pub producer_id: i64,
    /// Its epoch, else -1.
    pub producer_epoch: i16,
    /// Sequence number of the first record, else -1.
    pub base_sequence: i32,
    /// Number of records.
    pub count: i32,
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], BatchError> {
    bytes.get(at..).and_then(|b| b.first_chunk::<N>()).copied().ok_or(BatchError::Truncated { have: bytes.len(), need: HEADER_LEN })
}

impl BatchHeader {
    /// Reads the header at the front of `bytes`.
    ///
    /// # Errors
    /// [`BatchError::Truncated`] if it is not whole, [`BatchError::Magic`] for other formats, [`BatchError::Malformed`] for impossible numbers.
    pub fn parse(bytes: &[u8]) -> Result<Self, BatchError> {
        let magic = i8::from_be_bytes(field(bytes, at::MAGIC)?);
        if magic != MAGIC {
            return Err(BatchError::Magic(magic));
        }
        let length = i32::from_be_bytes(field(bytes, at::LENGTH)?);
        let size = usize::try_from(length).map_err(|_| BatchError::Malformed("negative length"))?.saturating_add(LENGTH_PREFIX);
        if size < HEADER_LEN {
            return Err(BatchError::Malformed("shorter than its header"));
        }
        let header = Self {
            base_offset: i64::from_be_bytes(field(bytes, at::BASE_OFFSET)?),
            size,
            leader_epoch: i32::from_be_bytes(field(bytes, at::LEADER_EPOCH)?),
            crc: u32::from_be_bytes(field(bytes, at::CRC)?),
            attributes: Attributes(i16::from_be_bytes(field(bytes, at::ATTRIBUTES)?)),
            last_offset_delta: i32::from_be_bytes(field(bytes, at::LAST_OFFSET_DELTA)?),
            base_timestamp: i64::from_be_bytes(field(bytes, at::BASE_TIMESTAMP)?),
            max_timestamp: i64::from_be_bytes(field(bytes, at::MAX_TIMESTAMP)?),
            producer_id: i64::from_be_bytes(field(bytes, at::PRODUCER_ID)?),
            producer_epoch: i16::from_be_bytes(field(bytes, at::PRODUCER_EPOCH)?),
            base_sequence: i32::from_be_bytes(field(bytes, at::BASE_SEQUENCE)?),
            count: i32::from_be_bytes(field(bytes, at::COUNT)?),
        };
        if header.last_offset_delta < 0 || header.count < 0 {
            return Err(BatchError::Malformed("negative number of records"));
        }
        Ok(header)
    }

    /// Offset of the last record.
    pub fn last_offset(&self) -> i64 {
        self.base_offset.saturating_add(i64::from(self.last_offset_delta))
    }

    /// Offset after the last record.
    pub fn next_offset(&self) -> i64 {
        self.last_offset().saturating_add(1)
    }
}
