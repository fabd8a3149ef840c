//! Control batches: the markers that end a transaction in a partition.

use super::{
    Batch,
    header::Attributes,
    writer::{BatchWriter, Producer},
};
use crate::{compression::Compression, error::BatchError};

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// Its records do not count.
    Abort,
    /// Its records count.
    Commit,
}

/// A batch with one marker, timestamp `now` (milliseconds since 1970) and base offset 0.
///
/// # Errors
/// [`BatchError::Full`], which cannot happen for so small a batch.
pub fn control_batch(marker: Marker, producer_id: i64, epoch: i16, now: i64) -> Result<Vec<u8>, BatchError> {
    let kind: u8 = match marker {
        Marker::Abort => 0,
        Marker::Commit => 1,
    };
    let mut writer = BatchWriter::default();
    // Key: version, kind. Value: version, coordinator epoch.
    writer.push(now, Some(&[0, 0, 0, kind]), Some(&[0; 6]), &[])?;
    let producer = Producer { id: producer_id, epoch, sequence: -1, transactional: true };
    writer.seal(Compression::None, producer, Attributes::TRANSACTIONAL | Attributes::CONTROL)
}

impl Batch<'_> {
    /// The marker of a control batch; `None` for control records of another kind.
    ///
    /// # Errors
    /// [`BatchError`] if the record cannot be read.
    pub fn marker(&self) -> Result<Option<Marker>, BatchError> {
        let mut scratch = Vec::new();
        let record = self.records(&mut scratch, 1 << 16)?.next().transpose()?;
        Ok(match record.and_then(|r| r.key).and_then(|key| key.get(2..4)) {
            Some([0, 0]) => Some(Marker::Abort),
            Some([0, 1]) => Some(Marker::Commit),
            _ => None,
        })
    }
}
