//! Opening a log: what the snapshot knows is believed, what came after it is checked batch by batch, and a torn tail is cut off.

use super::{
    History, Log,
    append::{LEADER_EPOCH, Unflushed},
    scan::{HeaderScan, read_at},
    segment::{BESIDE, Known, Segment, put_in_place, remove_segment, segment_path},
    snapshot::{Snapshot, load_start},
};
use crate::{clock::now_ms, config::LogSettings};
use flumen_wire::{Batch, BatchHeader, batch::Marker};
use std::{
    io,
    path::{Path, PathBuf},
};

impl Log {
    /// Opens the log in `folder`, which need not be there.
    pub fn open(folder: PathBuf, settings: LogSettings) -> io::Result<Self> {
        let mut log = Self {
            start: 0,
            next: 0,
            segments: Vec::new(),
            producers: Default::default(),
            since_snapshot: 0,
            history: History::load(&folder),
            swap: None,
            stored_swap: false,
            unflushed: Unflushed::default(),
            removed: Vec::new(),
            folder,
            settings,
        };
        if !log.folder.exists() {
            return Ok(log);
        }
        log.start = load_start(&log.folder);
        let snapshot = Snapshot::load(&log.folder);
        if let Some(swap) = snapshot.as_ref().and_then(|s| s.swap.as_ref()) {
            put_in_place(&log.folder, swap.base_offset)?;
            swap.removed.iter().for_each(|base| remove_segment(&log.folder, *base));
            log.stored_swap = true;
        }
        remove_unfinished(&log.folder)?;
        let bases = segment_bases(&log.folder)?;
        let mut from = 0;
        // After a loss of power the files may not hold what the snapshot knew of them.
        let snapshot = snapshot.filter(|s| !settings.power_lost && matches(s, &bases, &log.folder));
        if snapshot.is_none() {
            // It would seem to fit again once the log has grown anew to the length it speaks of.
            Snapshot::forget(&log.folder)?;
        }
        if let Some(snapshot) = snapshot {
            for known in snapshot.segments.iter().filter(|k| bases.contains(&k.base_offset)) {
                log.segments.push(Segment::open(&log.folder, *known, settings.index_interval_bytes)?);
            }
            log.next = snapshot.next_offset;
            log.producers = snapshot.producers;
            from = log.segments.len();
            log.check_tail()?;
        }
        for base in bases.get(from..).unwrap_or_default() {
            let follows = log.segments.is_empty() || *base >= log.next;
            let whole = log.segments.last().is_none_or(|s| s.path().metadata().is_ok_and(|m| m.len() == s.size()));
            // What a failed write has left behind the last batch hides nothing if this segment goes on right there.
            if !follows || (!whole && *base != log.next) {
                tracing::warn!(folder = %log.folder.display(), base, "dropped a segment behind damaged ones");
                std::fs::remove_file(segment_path(&log.folder, *base))?;
                continue;
            }
            if let Some(last) = log.segments.last() {
                last.truncate()?;
            }
            log.next = *base;
            let known = Known { base_offset: *base, size: 0, max_timestamp: i64::MIN };
            log.segments.push(Segment::open(&log.folder, known, settings.index_interval_bytes)?);
            log.check_tail()?;
        }
        if let Some(last) = log.segments.last() {
            last.truncate()?;
        }
        if let Some(first) = log.segments.first() {
            log.start = log.start.max(first.base_offset());
        }
        if log.next < log.start {
            // A loss of power took records of which the deletion has reached the disk. Behind a gap the next start would find nothing.
            log.segments.drain(..).for_each(|segment| drop(segment.remove()));
            log.next = log.start;
        }
        log.producers.forget_before(log.start);
        Ok(log)
    }

    /// Takes the batches behind the known part of the last segment as far as they are sound.
    fn check_tail(&mut self) -> io::Result<()> {
        let now = now_ms();
        let Some(segment) = self.segments.last_mut() else { return Ok(()) };
        let length = segment.file().metadata()?.len();
        let file = segment.file().clone();
        let mut scan = HeaderScan::new(&file, segment.size(), length);
        while let Some((position, header)) = scan.next_header()? {
            let bytes = read_at(&file, position, header.size)?;
            let Some(marker) = sound(&bytes, &header, self.next, self.history.gaps()) else { break };
            segment.admit(&header);
            self.next = header.next_offset();
            self.since_snapshot += header.size as u64;
            match marker {
                Some(marker) => self.producers.ended(&header, marker, now),
                None if header.attributes.is_control() => {}
                None => self.producers.appended(&header, now),
            }
        }
        if segment.size() < length {
            tracing::warn!(path = %segment.path().display(), bytes = length - segment.size(), "cut a torn tail off");
        }
        Ok(())
    }
}

/// `None` for a batch that is damaged or out of place, else its marker if it is one.
fn sound(bytes: &[u8], header: &BatchHeader, next: i64, gaps_until: i64) -> Option<Option<Marker>> {
    let (batch, _) = Batch::split(bytes).ok()?;
    // The checksum does not cover the base offset and the leader's epoch. Only compaction leaves gaps, and the epoch is always the same.
    let follows = header.base_offset == next || (next..=gaps_until).contains(&header.base_offset);
    if !follows || header.leader_epoch != LEADER_EPOCH || batch.check_crc().is_err() {
        return None;
    }
    if header.attributes.is_control() { batch.marker().ok() } else { Some(None) }
}

/// Whether the files are those the snapshot speaks of, perhaps with more at the end.
fn matches(snapshot: &Snapshot, bases: &[i64], folder: &Path) -> bool {
    let Some(last) = snapshot.segments.last() else { return false };
    let known = |base: &i64| snapshot.segments.iter().any(|k| k.base_offset == *base);
    let old = bases.iter().filter(|base| **base <= last.base_offset);
    old.clone().all(known)
        && bases.contains(&last.base_offset)
        && snapshot.segments.iter().filter(|k| bases.contains(&k.base_offset)).all(|k| {
            let length = segment_path(folder, k.base_offset).metadata().map_or(0, |m| m.len());
            if k == last { length >= k.size } else { length == k.size }
        })
}

/// Removes what a compaction left that did not come to its end.
fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e.to_str().is_some_and(|e| e.starts_with(BESIDE))) {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

fn segment_bases(folder: &Path) -> io::Result<Vec<i64>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut bases = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        if let Some(base) = name.to_str().and_then(|n| n.strip_suffix(".log")).and_then(|n| n.parse().ok()) {
            bases.push(base);
        }
    }
    bases.sort_unstable();
    Ok(bases)
}
