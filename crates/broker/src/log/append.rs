//! Appending to a log: a client's batch is checked, gets its offset and is written as it came.

use super::{
    Log,
    producers::{Refusal, Verdict},
    segment::Segment,
};
use crate::{config::Fsync, datadir::sync_folder};
use flumen_wire::{
    Batch, BatchError, BatchHeader,
    batch::{self, Marker},
};
use std::io;

/// Most bytes a batch may unpack to while its keys are looked at.
const UNPACK_LIMIT: usize = 256 << 20;
/// The epoch of the only leader there ever is.
pub(super) const LEADER_EPOCH: i32 = 0;

/// What a topic's configs demand of its batches.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Largest batch in bytes.
    pub max_batch_bytes: usize,
    /// Whether the broker stamps the records.
    pub append_time: bool,
    /// Whether every record needs a key, as in compacted topics.
    pub needs_keys: bool,
    /// How far timestamps may lie in the future, in milliseconds.
    pub max_ahead_ms: i64,
    /// How far timestamps may lie in the past, in milliseconds.
    pub max_behind_ms: i64,
    /// Bytes of a segment after which another is begun.
    pub segment_bytes: u64,
    /// Milliseconds after which another segment is begun.
    pub segment_ms: i64,
    /// Records after which the log is forced to the disk.
    pub flush_messages: u64,
    /// Milliseconds after which a record is forced to the disk.
    pub flush_ms: i64,
}

impl Rules {
    /// Transaction markers go to the segment that is there.
    const MARKERS: Self = Self {
        max_batch_bytes: usize::MAX,
        append_time: false,
        needs_keys: false,
        max_ahead_ms: i64::MAX,
        max_behind_ms: i64::MAX,
        segment_bytes: u64::MAX,
        segment_ms: i64::MAX,
        flush_messages: u64::MAX,
        flush_ms: i64::MAX,
    };
}

/// What was appended since the log was last forced to the disk.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unflushed {
    records: u64,
    /// Offset of the first of them, and when it came in milliseconds since 1970.
    first: Option<(i64, i64)>,
}

impl Unflushed {
    fn add(&mut self, header: &BatchHeader, now: i64) {
        self.records = self.records.saturating_add(u64::try_from(header.count).unwrap_or(0));
        self.first.get_or_insert((header.base_offset, now));
    }

    /// Offset of the first of them.
    pub(super) fn first_offset(&self) -> Option<i64> {
        self.first.map(|(offset, _)| offset)
    }

    /// Whether so many more records make it time to flush.
    fn is_due(&self, rules: &Rules, more: i32, now: i64) -> bool {
        self.records.saturating_add(u64::try_from(more).unwrap_or(0)) >= rules.flush_messages || self.is_overdue(rules.flush_ms, now)
    }

    /// Whether the oldest record has waited this long.
    pub(super) fn is_overdue(&self, flush_ms: i64, now: i64) -> bool {
        self.first.is_some_and(|(_, since)| now.saturating_sub(since) >= flush_ms)
    }
}

/// Where a batch lies now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// Offset of its first record.
    pub base_offset: i64,
    /// The broker's stamp, if the topic asks for it, in milliseconds since 1970.
    pub append_time: Option<i64>,
}

/// Why a batch is not taken.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The bytes are damaged.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The batch is larger than the topic allows.
    #[error("the batch has {size} bytes, the topic allows {limit} (max.message.bytes)")]
    TooLarge {
        /// Its bytes.
        size: usize,
        /// The topic's limit.
        limit: usize,
    },
    /// The batch breaks a rule.
    #[error("{0}")]
    Invalid(&'static str),
    /// A timestamp is outside the topic's bounds.
    #[error("the timestamp {timestamp} is further from the broker's clock than the topic allows")]
    Timestamp {
        /// The timestamp in milliseconds since 1970.
        timestamp: i64,
    },
    /// The producer's sequence or epoch is wrong.
    #[error("the producer's sequence or epoch is wrong: {0:?}")]
    Producer(Refusal),
    /// The disk refused.
    #[error("the log cannot be written: {0}")]
    Io(#[from] io::Error),
}

impl Log {
    /// Appends the one batch in `records`. A batch that is there already is answered with its old place.
    pub fn append(&mut self, records: &[u8], rules: &Rules, now: i64) -> Result<Appended, AppendError> {
        let (batch, rest) = Batch::split(records)?;
        if !rest.is_empty() {
            return Err(AppendError::Invalid("a partition takes one batch a request"));
        }
        check(&batch, rules, now)?;
        match self.producers.check(&batch.header).map_err(AppendError::Producer)? {
            Verdict::New => {}
            Verdict::Duplicate { base_offset, timestamp } => {
                return Ok(Appended { base_offset, append_time: rules.append_time.then_some(timestamp) });
            }
        }
        let mut bytes = batch.bytes().to_vec();
        let append_time = rules.append_time.then_some(now);
        if append_time.is_some() {
            batch::set_append_time(&mut bytes, now);
        }
        let header = self.write(bytes, rules, now)?;
        self.producers.appended(&header, now);
        self.snapshot_if_due();
        Ok(Appended { base_offset: header.base_offset, append_time })
    }

    /// Appends the marker that ends a producer's transaction here.
    pub fn append_marker(&mut self, marker: Marker, producer_id: i64, epoch: i16, now: i64) -> Result<i64, AppendError> {
        let bytes = batch::control_batch(marker, producer_id, epoch, now)?;
        let header = self.write(bytes, &Rules::MARKERS, now)?;
        self.producers.ended(&header, marker, now);
        self.snapshot_if_due();
        Ok(header.base_offset)
    }

    fn write(&mut self, mut bytes: Vec<u8>, rules: &Rules, now: i64) -> Result<BatchHeader, AppendError> {
        batch::set_base_offset(&mut bytes, self.next);
        batch::set_leader_epoch(&mut bytes, LEADER_EPOCH);
        let header = BatchHeader::parse(&bytes)?;
        let size = header.size as u64;
        let full = |s: &Segment| s.size() > 0 && (s.size().saturating_add(size) > rules.segment_bytes || s.age(now) > rules.segment_ms);
        if self.segments.last().is_none_or(full) {
            self.roll()?;
        }
        let flush = self.unflushed.is_due(rules, header.count, now) || self.settings.fsync == Fsync::Always;
        if flush && self.unflushed.first_offset() < self.segments.last().map(Segment::base_offset) {
            self.flush()?;
        }
        let active = self.segments.last_mut().ok_or(AppendError::Invalid("the log has no segment"))?;
        active.append(&bytes, &header, now, flush)?;
        if flush {
            self.unflushed = Unflushed::default()
        } else {
            self.unflushed.add(&header, now)
        }
        self.next = header.next_offset();
        self.since_snapshot = self.since_snapshot.saturating_add(size);
        Ok(header)
    }

    /// Only when producers know of all batches: a start believes the snapshot for them.
    fn snapshot_if_due(&mut self) {
        if self.since_snapshot >= self.settings.snapshot_interval_bytes
            && let Err(error) = self.save_snapshot()
        {
            tracing::warn!(folder = %self.folder.display(), %error, "cannot write a snapshot");
            self.since_snapshot = 0;
        }
    }

    /// Begins another segment at the end of the log.
    pub(super) fn roll(&mut self) -> io::Result<()> {
        if self.segments.is_empty() {
            self.make_folder()?;
        }
        if let Some(last) = self.segments.last() {
            // What a failed write has left must not stay within the log: a start would take it for damage.
            last.truncate()?;
        }
        let next = Segment::create(&self.folder, self.next, self.settings.index_interval_bytes)?;
        if self.settings.fsync == Fsync::Always {
            sync_folder(&self.folder)?;
        }
        if let Some(last) = self.segments.last_mut() {
            last.seal();
        }
        self.segments.push(next);
        if let Err(error) = self.save_snapshot() {
            tracing::warn!(folder = %self.folder.display(), %error, "cannot write a snapshot");
        }
        Ok(())
    }
}

fn check(batch: &Batch<'_>, rules: &Rules, now: i64) -> Result<(), AppendError> {
    let header = &batch.header;
    if header.size > rules.max_batch_bytes {
        return Err(AppendError::TooLarge { size: header.size, limit: rules.max_batch_bytes });
    }
    batch.check_crc()?;
    header.attributes.compression()?;
    if header.attributes.is_control() {
        return Err(AppendError::Invalid("control batches are written by the broker only"));
    }
    if header.count < 1 || header.last_offset_delta != header.count - 1 {
        return Err(AppendError::Invalid("the number of records contradicts the last offset"));
    }
    if header.producer_id >= 0 && (header.producer_epoch < 0 || header.base_sequence < 0) {
        return Err(AppendError::Invalid("an idempotent producer needs an epoch and a sequence number"));
    }
    if header.attributes.is_transactional() && header.producer_id < 0 {
        return Err(AppendError::Invalid("a transaction needs a producer id"));
    }
    check_times(batch, rules, now)?;
    if rules.needs_keys {
        let mut scratch = Vec::new();
        for record in batch.records(&mut scratch, UNPACK_LIMIT)? {
            if record?.key.is_none() {
                return Err(AppendError::Invalid("a compacted topic takes no record without a key"));
            }
        }
    }
    Ok(())
}

fn check_times(batch: &Batch<'_>, rules: &Rules, now: i64) -> Result<(), AppendError> {
    if rules.append_time {
        return Ok(());
    }
    let latest = batch.header.max_timestamp;
    if latest.saturating_sub(now) > rules.max_ahead_ms {
        return Err(AppendError::Timestamp { timestamp: latest });
    }
    if rules.max_behind_ms < i64::MAX {
        let mut scratch = Vec::new();
        for record in batch.records(&mut scratch, UNPACK_LIMIT)? {
            let timestamp = record?.timestamp;
            if timestamp >= 0 && now.saturating_sub(timestamp) > rules.max_behind_ms {
                return Err(AppendError::Timestamp { timestamp });
            }
        }
    }
    Ok(())
}
