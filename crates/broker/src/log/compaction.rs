//! Compaction: of every key only the latest record stays. Offsets stay what they were; records are copied as they are.
//!
//! The work is planned under the log's lock, done beside it on segments that no longer change, and each rewritten segment is put in place
//! under the lock again, so produce and fetch never wait for it.

mod history;
mod latest;
mod pace;
mod rewrite;
mod transactions;

pub use history::History;
pub use pace::Pace;
pub use rewrite::Rewritten;

use super::{
    Log,
    scan::HeaderScan,
    segment::{Segment, remove_segment},
    snapshot::Swap,
};
use latest::Latest;
use std::{fs::File, io, sync::Arc};
use transactions::Ended;

/// What a topic's configs say about its compaction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompactionRules {
    /// Part of the log that must be new since the last compaction.
    pub min_dirty_ratio: f64,
    /// Milliseconds that a record stays at least.
    pub min_lag_ms: i64,
    /// Milliseconds after which a record is compacted whatever the ratio.
    pub max_lag_ms: i64,
    /// Milliseconds that tombstones stay visible after the compaction that met them first.
    pub delete_retention_ms: i64,
    /// Most bytes of a segment made of several small ones.
    pub segment_bytes: u64,
}

/// A segment as it was when the work was planned.
#[derive(Clone, Debug)]
pub struct Source {
    base_offset: i64,
    file: Arc<File>,
    size: u64,
}

/// Work to be done on a log.
#[derive(Debug)]
pub struct Compaction {
    /// Segments to be rewritten, oldest first.
    sources: Vec<Source>,
    /// The first offset the last compaction did not reach.
    first_dirty: i64,
    /// The offset before which records may go.
    until: i64,
    /// The offset before which tombstones and markers have been seen long enough.
    horizon: i64,
    /// The aborted transactions.
    ended: Ended,
}

impl Log {
    /// What there is to compact now; `None` if it is not worth it yet.
    pub fn plan_compaction(&mut self, rules: &CompactionRules, now: i64) -> io::Result<Option<Compaction>> {
        self.roll_if_overdue(rules, now)?;
        // The last segment with records stays as it is: the log must not end in a gap that no fetch can pass.
        let Some(last) = self.segments.iter().rposition(|s| s.size() > 0) else { return Ok(None) };
        let stable = self.stable_end();
        let settled = |s: &Segment| s.base_offset() < stable && now.saturating_sub(s.max_timestamp()) >= rules.min_lag_ms;
        let count = self.segments.iter().take(last).take_while(|s| settled(s)).count();
        let Some(end) = self.segments.get(count).map(Segment::base_offset) else { return Ok(None) };
        let (first_dirty, until) = (self.history.until().max(self.start), stable.min(end));
        if count == 0 || until <= first_dirty {
            return Ok(None);
        }
        let candidates = self.segments.get(..count).unwrap_or_default();
        let clean = candidates.iter().zip(self.segments.iter().skip(1)).take_while(|(_, next)| next.base_offset() <= first_dirty).count();
        let bytes = |segments: &[Segment]| segments.iter().map(Segment::size).sum::<u64>() as f64;
        let dirty = candidates.get(clean..).unwrap_or_default();
        let enough = bytes(dirty) > rules.min_dirty_ratio * bytes(candidates);
        if !enough && !overdue(dirty.first(), rules, now)? {
            return Ok(None);
        }
        let sources = candidates.iter().map(|s| Source { base_offset: s.base_offset(), file: s.file().clone(), size: s.size() });
        Ok(Some(Compaction {
            sources: sources.collect(),
            first_dirty,
            until,
            horizon: self.history.horizon(now.saturating_sub(rules.delete_retention_ms)),
            ended: Ended::new(self.aborted_between(0, until)),
        }))
    }

    /// Closes the last segment for appends if its records have waited too long to be compacted.
    fn roll_if_overdue(&mut self, rules: &CompactionRules, now: i64) -> io::Result<()> {
        match self.segments.last() {
            Some(active) if active.size() > 0 && overdue(Some(active), rules, now)? => self.roll(),
            _ => Ok(()),
        }
    }

    /// Says that from now on offsets may be missing before `until`. Has to be on disk before the first record goes.
    fn allow_gaps(&mut self, until: i64) -> io::Result<()> {
        self.history.begin(&self.folder, until)?;
        self.finish_swap()?;
        // A swap that a start would finish must not meet the file of the next one.
        if self.stored_swap { self.save_snapshot() } else { Ok(()) }
    }

    /// Carries out on disk what the snapshot has promised.
    fn finish_swap(&mut self) -> io::Result<()> {
        let Some(swap) = &self.swap else { return Ok(()) };
        if let Some(segment) = self.segments.iter_mut().find(|s| s.base_offset() == swap.base_offset) {
            segment.put_in_place(&self.folder)?;
        }
        for base in &swap.removed {
            remove_segment(&self.folder, *base);
        }
        self.swap = None;
        Ok(())
    }

    /// Puts a rewritten segment in the place of its sources. `false` if they are not there any more.
    fn swap(&mut self, sources: &[Source], rewritten: Rewritten) -> io::Result<bool> {
        let promised = self.promise_swap(sources, rewritten)?;
        self.finish_swap()?;
        Ok(promised)
    }

    /// Decides the swap: from now on it counts, and a start would finish it.
    fn promise_swap(&mut self, sources: &[Source], rewritten: Rewritten) -> io::Result<bool> {
        let Rewritten { segment, removed_markers } = rewritten;
        let at = self.segments.iter().position(|s| sources.first().is_some_and(|f| Arc::ptr_eq(s.file(), &f.file)));
        let place = at.and_then(|at| self.segments.get(at..at + sources.len()).map(|_| at..at + sources.len()));
        let Some(place) = place else {
            segment.remove();
            return Ok(false);
        };
        self.finish_swap()?;
        let base_offset = segment.base_offset();
        let removed = sources.iter().map(|s| s.base_offset).filter(|b| *b != base_offset).collect();
        let at = place.start;
        let old: Vec<Segment> = self.segments.splice(place, [segment]).collect();
        let producers = self.producers.clone();
        self.producers.forget_markers(&removed_markers);
        self.swap = Some(Swap { base_offset, removed });
        if let Err(error) = self.save_snapshot() {
            // Nothing has happened on disk.
            (self.swap, self.producers) = (None, producers);
            let unused: Vec<Segment> = self.segments.splice(at..=at, old).collect();
            unused.into_iter().for_each(|segment| drop(segment.remove()));
            return Err(error);
        }
        Ok(true)
    }
}

/// Whether the first record of a segment has waited too long.
fn overdue(segment: Option<&Segment>, rules: &CompactionRules, now: i64) -> io::Result<bool> {
    let Some(segment) = segment.filter(|_| rules.max_lag_ms < i64::MAX) else { return Ok(false) };
    let first = HeaderScan::new(segment.file(), 0, segment.size()).next_header()?;
    Ok(first.is_some_and(|(_, header)| now.saturating_sub(header.base_timestamp) > rules.max_lag_ms))
}

/// Compacts the log behind `lock` if it is worth it. Gives whether it was.
pub fn compact<'a, G>(lock: impl Fn() -> G + 'a, rules: &CompactionRules, pace: &mut Pace<'_>, now: impl Fn() -> i64) -> io::Result<bool>
where
    G: std::ops::DerefMut<Target = Log>,
{
    let Some(mut work) = lock().plan_compaction(rules, now())? else { return Ok(false) };
    let latest = Latest::read(&mut work, pace)?;
    let folder = {
        let mut log = lock();
        log.allow_gaps(work.until)?;
        log.folder.clone()
    };
    let interval = lock().settings.index_interval_bytes;
    let mut rest = work.sources.as_slice();
    let mut ended = work.ended.clone();
    while let Some(group) = next_group(rest, work.until, rules.segment_bytes) {
        rest = rest.get(group.len()..).unwrap_or_default();
        let rewritten = rewrite::rewrite(group, &work, &latest, &mut ended, &folder, interval, pace)?;
        let Some(rewritten) = rewritten else { continue };
        rewritten.segment.file().sync_data()?;
        if !lock().swap(group, rewritten)? {
            return Ok(false);
        }
    }
    let mut log = lock();
    let done = now();
    let folder = log.folder.clone();
    log.history.finish(&folder, work.until, done)?;
    log.save_snapshot()?;
    Ok(true)
}

/// The next segments that are rewritten into one: together they are not larger than one may be.
fn next_group(rest: &[Source], until: i64, segment_bytes: u64) -> Option<&[Source]> {
    let first = rest.first().filter(|s| s.base_offset < until)?;
    let mut size = first.size;
    let more = rest.iter().skip(1).take_while(|s| {
        size = size.saturating_add(s.size);
        s.base_offset < until && size <= segment_bytes
    });
    rest.get(..=more.count())
}

#[cfg(test)]
mod tests;
