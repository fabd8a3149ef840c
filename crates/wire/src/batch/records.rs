//! The records of a batch, one after the other, as slices of its bytes.

use super::header::BatchHeader;
use crate::{
    error::BatchError,
    varint::{take_nullable, take_signed},
};

/// One record. Its bytes lie in the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its offset in the partition.
    pub offset: i64,
    /// Milliseconds since 1970.
    pub timestamp: i64,
    /// Key, if not null.
    pub key: Option<&'a [u8]>,
    /// Value, if not null.
    pub value: Option<&'a [u8]>,
    /// Header count and headers, encoded; copied as they are they stay whole, duplicates and order included.
    pub headers: &'a [u8],
}

/// Iterator over the records of a batch; ends after the first error.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    rest: &'a [u8],
    left: i32,
    base_offset: i64,
    base_timestamp: i64,
    append_time: Option<i64>,
}

impl<'a> Records<'a> {
    pub(super) fn new(header: &BatchHeader, plain: &'a [u8]) -> Self {
        Self {
            rest: plain,
            left: header.count,
            base_offset: header.base_offset,
            base_timestamp: header.base_timestamp,
            append_time: header.attributes.is_append_time().then_some(header.max_timestamp),
        }
    }

    /// The bytes not read yet.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    fn take(&mut self) -> Result<Record<'a>, BatchError> {
        let mut body = take_nullable(&mut self.rest)?.ok_or(BatchError::Malformed("negative record length"))?;
        body = body.get(1..).ok_or(BatchError::Malformed("empty record"))?;
        let timestamp = self.base_timestamp.wrapping_add(take_signed(&mut body)?);
        let offset = self.base_offset.wrapping_add(take_signed(&mut body)?);
        let key = take_nullable(&mut body)?;
        let value = take_nullable(&mut body)?;
        if body.is_empty() {
            return Err(BatchError::Malformed("a record without its header count"));
        }
        Ok(Record { offset, timestamp: self.append_time.unwrap_or(timestamp), key, value, headers: body })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, BatchError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.left <= 0 {
            return None;
        }
        self.left -= 1;
        let record = self.take();
        if record.is_err() {
            self.left = 0;
        }
        Some(record)
    }
}
