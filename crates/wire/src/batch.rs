//! A record batch (message format version 2) where it lies: header, checksum and records, nothing copied unless compressed.
//!
//! The layout is that of "Record Batch" in the documentation of the Kafka message format.

mod control;
mod header;
mod patch;
mod records;
mod retain;
mod writer;

pub use control::{Marker, control_batch};
pub use header::{Attributes, BatchHeader, HEADER_LEN, LENGTH_PREFIX};
pub use patch::{set_append_time, set_base_offset, set_leader_epoch};
pub use records::{Record, Records};
pub use retain::Retained;
pub use writer::{BatchWriter, Producer};

use crate::{compression::Compression, error::BatchError};

/// One whole batch of a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The header's fields.
    pub header: BatchHeader,
    bytes: &'a [u8],
}

impl<'a> Batch<'a> {
    /// The batch at the front of `bytes`, and what follows it. The checksum is not looked at.
    ///
    /// # Errors
    /// [`BatchError::Truncated`] if it is not whole; [`BatchError::Magic`] or [`BatchError::Malformed`] if it is no batch.
    pub fn split(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), BatchError> {
        let header = BatchHeader::parse(bytes)?;
        let (bytes, rest) = bytes.split_at_checked(header.size).ok_or(BatchError::Truncated { have: bytes.len(), need: header.size })?;
        Ok((Self { header, bytes }, rest))
    }

    /// All bytes of the batch, header included.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Compares the checksum with the content.
    ///
    /// # Errors
    /// [`BatchError::Crc`] if they differ.
    pub fn check_crc(&self) -> Result<(), BatchError> {
        let computed = crc32c::crc32c(self.bytes.get(header::CRC_START..).unwrap_or_default());
        if computed == self.header.crc { Ok(()) } else { Err(BatchError::Crc { stored: self.header.crc, computed }) }
    }

    /// The records in order. Those of a compressed batch are unpacked into `scratch` first, at most `limit` bytes.
    ///
    /// # Errors
    /// [`BatchError`] if the batch cannot be unpacked.
    pub fn records<'b>(&self, scratch: &'b mut Vec<u8>, limit: usize) -> Result<Records<'b>, BatchError>
    where
        'a: 'b,
    {
        let packed = self.bytes.get(HEADER_LEN..).unwrap_or_default();
        let plain: &'b [u8] = match self.header.attributes.compression()? {
            Compression::None => packed,
            codec => {
                scratch.clear();
                codec.decompress(packed, scratch, limit)?;
                scratch
            }
        };
        Ok(Records::new(&self.header, plain))
    }
}

/// The whole batches of a buffer; ends silently at a last one that is cut off, as fetch responses have it.
#[derive(Clone, Copy, Debug)]
pub struct Batches<'a>(pub &'a [u8]);

impl<'a> Iterator for Batches<'a> {
    type Item = Result<Batch<'a>, BatchError>;

    fn next(&mut self) -> Option<Self::Item> {
        match Batch::split(self.0) {
            Ok((batch, rest)) => {
                self.0 = rest;
                Some(Ok(batch))
            }
            Err(BatchError::Truncated { .. }) => None,
            Err(error) => {
                self.0 = &[];
                Some(Err(error))
            }
        }
    }
}

#[cfg(test)]
mod tests;
