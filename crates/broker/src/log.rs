//! The log of one partition: segments of verbatim record batches, and what is known of their producers.

mod append;
mod compaction;
mod index;
mod lookup;
mod producers;
mod read;
mod recovery;
mod scan;
mod segment;
mod snapshot;

pub use append::{AppendError, Appended, Rules};
pub use compaction::{CompactionRules, Pace, compact};
pub use lookup::TimeOffset;
pub use producers::{Aborted, Refusal};

use crate::{
    config::{Fsync, LogSettings},
    datadir::sync_folder,
};
use append::Unflushed;
use compaction::History;
use producers::Producers;
use segment::Segment;
use snapshot::{Snapshot, Swap};
use std::{fs::File, io, path::PathBuf, sync::Arc};

/// The log of one partition. The folder appears with the first append.
#[derive(Debug)]
pub struct Log {
    folder: PathBuf,
    settings: LogSettings,
    segments: Vec<Segment>,
    start: i64,
    next: i64,
    producers: Producers,
    since_snapshot: u64,
    history: History,
    /// A rewritten segment not in its place yet.
    swap: Option<Swap>,
    /// Whether the snapshot on disk speaks of a swap.
    stored_swap: bool,
    unflushed: Unflushed,
    /// Files of removed segments.
    removed: Vec<Arc<File>>,
}

impl Log {
    /// The first offset that can be read.
    pub fn start(&self) -> i64 {
        self.start
    }

    /// The offset the next record will get. With one node this is the high watermark too.
    pub fn end(&self) -> i64 {
        self.next
    }

    /// The offset before which every transaction has ended.
    pub fn stable_end(&self) -> i64 {
        self.producers.first_open().map_or(self.next, |open| open.max(self.start))
    }

    /// Whether this producer has an open transaction here.
    pub fn has_open(&self, producer_id: i64) -> bool {
        self.producers.is_open(producer_id)
    }

    /// The producers with open transactions, and their epochs.
    pub fn open_transactions(&self) -> Vec<(i64, i16)> {
        self.producers.open()
    }

    /// The aborted transactions with records or marker between two offsets, the second one excluded.
    pub fn aborted_between(&self, from: i64, to: i64) -> Vec<Aborted> {
        self.producers.aborted_between(from, to)
    }

    /// Bytes of all segments.
    pub fn size(&self) -> u64 {
        self.segments.iter().map(Segment::size).sum()
    }

    /// How many segments there are.
    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// Makes `offset` the first one that can be read, and removes the segments that hold only older ones.
    ///
    /// The caller has checked that `offset` is not beyond the end.
    pub fn delete_before(&mut self, offset: i64) -> io::Result<()> {
        if offset > self.start {
            self.make_folder()?;
            snapshot::save_start(&self.folder, offset, self.settings.fsync)?;
            self.start = offset;
        }
        // The last segment stays: its name carries the next offset over a restart.
        while self.segments.get(1).is_some_and(|second| second.base_offset() <= self.start) {
            self.removed.push(self.segments.remove(0).remove());
        }
        self.producers.forget_before(self.start);
        Ok(())
    }

    /// Removes old segments until every one left is young enough and all together are small enough. Negative bounds do not bind.
    ///
    /// The last segment is removed only if nothing was appended to it for so long either: rows with old timestamps would be gone at once else.
    pub fn retain(&mut self, now: i64, retention_ms: i64, retention_bytes: i64) -> io::Result<()> {
        if let Some(active) = self.segments.last()
            && retention_ms >= 0
            && active.size() > 0
            && now.saturating_sub(active.max_timestamp().max(active.last_append()?)) > retention_ms
        {
            self.roll()?;
        }
        let mut size = i64::try_from(self.size()).unwrap_or(i64::MAX);
        while let [first, second, ..] = self.segments.as_slice() {
            let too_old = retention_ms >= 0 && now.saturating_sub(first.max_timestamp()) > retention_ms;
            let first_size = i64::try_from(first.size()).unwrap_or(i64::MAX);
            let too_large = retention_bytes >= 0 && size - first_size >= retention_bytes;
            if !too_old && !too_large {
                break;
            }
            size -= first_size;
            self.delete_before(second.base_offset())?;
        }
        Ok(())
    }

    /// The files of segments that were removed. To be dropped when the log is not locked any more.
    pub fn take_removed(&mut self) -> Vec<Arc<File>> {
        std::mem::take(&mut self.removed)
    }

    /// Forgets idempotent producers that have long been silent.
    pub fn expire_producers(&mut self, now: i64) {
        let kept = i64::try_from(self.settings.producer_expiration.as_millis()).unwrap_or(i64::MAX);
        self.producers.expire(now.saturating_sub(kept));
    }

    /// Writes down what a start would otherwise have to find by reading.
    pub fn save_snapshot(&mut self) -> io::Result<()> {
        if self.segments.is_empty() {
            return Ok(());
        }
        let segments = self.segments.iter().map(Segment::known).collect();
        Snapshot { segments, next_offset: self.next, producers: self.producers.clone(), swap: self.swap.clone() }.save(&self.folder)?;
        self.since_snapshot = 0;
        self.stored_swap = self.swap.is_some();
        Ok(())
    }

    /// Forces to the disk what has waited at least `flush_ms`.
    pub fn flush_overdue(&mut self, flush_ms: i64, now: i64) -> io::Result<()> {
        if self.unflushed.is_overdue(flush_ms, now) { self.flush() } else { Ok(()) }
    }

    /// Forces everything to the disk.
    fn flush(&mut self) -> io::Result<()> {
        let Some(first) = self.unflushed.first_offset() else { return Ok(()) };
        let at = self.segments.partition_point(|s| s.base_offset() <= first).saturating_sub(1);
        for segment in self.segments.iter().skip(at) {
            segment.file().sync_data()?;
        }
        self.unflushed = Unflushed::default();
        Ok(())
    }

    /// Makes the folder, which lies in that of the topic, which lies in that of all logs.
    fn make_folder(&self) -> io::Result<()> {
        if self.folder.exists() {
            return Ok(());
        }
        std::fs::create_dir_all(&self.folder)?;
        if self.settings.fsync == Fsync::Always {
            self.folder.ancestors().skip(1).take(2).try_for_each(sync_folder)?;
        }
        Ok(())
    }

    /// Leaves the files as a quick start wants them, on the disk.
    pub fn close(&mut self) {
        if let Err(error) = self.flush() {
            tracing::warn!(folder = %self.folder.display(), %error, "cannot force a log to the disk");
        }
        if self.since_snapshot == 0 && !self.stored_swap {
            return;
        }
        if let Some(active) = self.segments.last_mut() {
            active.seal();
        }
        if let Err(error) = self.save_snapshot() {
            tracing::warn!(folder = %self.folder.display(), %error, "cannot write a snapshot");
        }
    }
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod torn;
