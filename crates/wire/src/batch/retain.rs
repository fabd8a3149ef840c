//! A batch without some of its records, as compaction leaves it: what stays is copied byte for byte and keeps offset and timestamp.

use super::{
    Batch, Record,
    header::{HEADER_LEN, LENGTH_PREFIX, at},
    patch::set_crc,
    writer::put,
};
use crate::{compression::Compression, error::BatchError};

/// What is left of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Retained {
    /// Every record: the batch can stay as it is.
    All,
    /// No record.
    Nothing,
    /// A batch with the records that stay. Its first and last offset are those of the old one.
    Some(Vec<u8>),
}

impl Batch<'_> {
    /// Keeps the records for which `keep` holds. Those of a compressed batch are unpacked into `scratch` first, at most `limit` bytes.
    ///
    /// # Errors
    /// [`BatchError`] if the batch cannot be unpacked or read, or what is left cannot be packed.
    pub fn retain(&self, scratch: &mut Vec<u8>, limit: usize, mut keep: impl FnMut(&Record<'_>) -> bool) -> Result<Retained, BatchError> {
        let mut records = self.records(scratch, limit)?;
        let mut kept = Kept::default();
        loop {
            let before = records.rest();
            let Some(record) = records.next().transpose()? else { break };
            if keep(&record) {
                let size = before.len() - records.rest().len();
                kept.push(before.get(..size).unwrap_or_default(), record.timestamp);
            }
        }
        match kept.count {
            count if count == self.header.count => Ok(Retained::All),
            0 => Ok(Retained::Nothing),
            _ => self.with(&kept, self.header.attributes.compression()?).map(Retained::Some),
        }
    }

    fn with(&self, kept: &Kept, compression: Compression) -> Result<Vec<u8>, BatchError> {
        let mut bytes = Vec::with_capacity(HEADER_LEN + kept.bytes.len());
        bytes.extend_from_slice(self.bytes().get(..HEADER_LEN).unwrap_or_default());
        match compression {
            Compression::None => bytes.extend_from_slice(&kept.bytes),
            codec => codec.compress(&kept.bytes, &mut bytes)?,
        }
        let length = i32::try_from(bytes.len() - LENGTH_PREFIX).map_err(|_| BatchError::Full)?;
        put(&mut bytes, at::LENGTH, length.to_be_bytes());
        put(&mut bytes, at::COUNT, kept.count.to_be_bytes());
        if !self.header.attributes.is_append_time() {
            put(&mut bytes, at::MAX_TIMESTAMP, kept.max_timestamp.to_be_bytes());
        }
        set_crc(&mut bytes);
        Ok(bytes)
    }
}

/// The records that stay.
struct Kept {
    bytes: Vec<u8>,
    count: i32,
    max_timestamp: i64,
}

impl Default for Kept {
    fn default() -> Self {
        Self { bytes: Vec::new(), count: 0, max_timestamp: i64::MIN }
    }
}

impl Kept {
    fn push(&mut self, record: &[u8], timestamp: i64) {
        self.bytes.extend_from_slice(record);
        self.count += 1;
        self.max_timestamp = self.max_timestamp.max(timestamp);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{BatchWriter, Producer, set_base_offset};

    const LIMIT: usize = 1 << 20;

    fn batch(compression: Compression) -> Vec<u8> {
        let mut writer = BatchWriter::default();
        for i in 0..10i64 {
            let headers = [4, 2, b'h', 2, b'1', 2, b'h', 1];
            writer.push(1000 - i, Some(&[b'k', i as u8]), (i != 4).then_some(b"value"), &headers).unwrap();
        }
        let mut bytes = writer.finish(compression, Producer { id: 7, epoch: 1, sequence: 50, transactional: true }).unwrap();
        set_base_offset(&mut bytes, 500);
        bytes
    }

    #[test]
    fn what_stays_is_unchanged() {
        for compression in [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd] {
            let bytes = batch(compression);
            let (old, _) = Batch::split(&bytes).unwrap();
            let mut scratch = Vec::new();
            let Retained::Some(left) = old.retain(&mut scratch, LIMIT, |r| r.offset % 2 == 0 && r.offset > 500).unwrap() else {
                panic!("some stay");
            };
            let (new, rest) = Batch::split(&left).unwrap();
            assert!(rest.is_empty());
            new.check_crc().unwrap();
            let header = new.header;
            assert_eq!((header.base_offset, header.last_offset(), header.count), (500, 509, 4));
            assert_eq!((header.max_timestamp, header.base_timestamp), (998, 1000));
            assert_eq!((header.producer_id, header.producer_epoch, header.base_sequence), (7, 1, 50));
            assert_eq!(header.attributes, old.header.attributes);
            let (mut a, mut b) = (Vec::new(), Vec::new());
            let left: Vec<_> = new.records(&mut a, LIMIT).unwrap().map(Result::unwrap).collect();
            let expected: Vec<_> =
                old.records(&mut b, LIMIT).unwrap().map(Result::unwrap).filter(|r| r.offset % 2 == 0 && r.offset > 500).collect();
            assert_eq!(left, expected);
        }
    }

    #[test]
    fn all_or_nothing_needs_no_copy() {
        let bytes = batch(Compression::Lz4);
        let (old, _) = Batch::split(&bytes).unwrap();
        assert_eq!(old.retain(&mut Vec::new(), LIMIT, |_| true).unwrap(), Retained::All);
        assert_eq!(old.retain(&mut Vec::new(), LIMIT, |_| false).unwrap(), Retained::Nothing);
    }
}
