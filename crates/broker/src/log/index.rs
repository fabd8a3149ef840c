//! The sparse index of a segment: every few kilobytes one entry with offset, position and the latest timestamp before it.
//!
//! Most entries lie in a file; memory holds the newest few hundred whatever the size of the segment. An entry is a hint: readers check what they
//! find at its position and fall back to the segment's beginning, so a lost or damaged index costs time, never data.

use flumen_wire::BatchHeader;
use std::{
    fs::{File, OpenOptions},
    io::Write,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// Offset, position, timestamp and a checksum of these.
const ENTRY_LEN: usize = 28;
/// Entries written to the file at a time; memory holds at most twice as many.
const SPILL: usize = 256;

/// A place where a batch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Base offset of the batch.
    pub offset: i64,
    /// Its place in the segment's file.
    pub position: u64,
    /// Latest timestamp of all batches of the segment before it.
    pub max_timestamp_before: i64,
}

impl Entry {
    fn to_bytes(self) -> [u8; ENTRY_LEN] {
        let mut bytes = [0; ENTRY_LEN];
        let fields = self.offset.to_be_bytes().into_iter().chain(self.position.to_be_bytes());
        for (to, from) in bytes.iter_mut().zip(fields.chain(self.max_timestamp_before.to_be_bytes())) {
            *to = from;
        }
        if let Some((fields, crc)) = bytes.split_last_chunk_mut::<4>() {
            *crc = crc32c::crc32c(fields).to_be_bytes();
        }
        bytes
    }

    /// `None` for an entry that is damaged.
    fn from_bytes(bytes: [u8; ENTRY_LEN]) -> Option<Self> {
        let (fields, crc) = bytes.split_last_chunk::<4>()?;
        if crc32c::crc32c(fields).to_be_bytes() != *crc {
            return None;
        }
        let word = |at: usize| bytes.get(at..).and_then(|b| b.first_chunk::<8>()).copied().unwrap_or_default();
        Some(Self {
            offset: i64::from_be_bytes(word(0)),
            position: u64::from_be_bytes(word(8)),
            max_timestamp_before: i64::from_be_bytes(word(16)),
        })
    }
}

/// The index of one segment.
#[derive(Debug)]
pub struct SparseIndex {
    path: PathBuf,
    stored: usize,
    tail: Vec<Entry>,
    interval: u64,
    since_entry: u64,
    max_timestamp: i64,
}

impl SparseIndex {
    /// The index of an empty segment.
    pub fn create(path: PathBuf, interval: u64) -> Self {
        let _ = std::fs::remove_file(&path);
        Self { path, stored: 0, tail: Vec::new(), interval, since_entry: 0, max_timestamp: i64::MIN }
    }

    /// The index of a segment whose batches up to `position` are known, with their latest timestamp. Entries beyond are dropped.
    pub fn open(path: PathBuf, interval: u64, position: u64, max_timestamp: i64) -> Self {
        let mut index = Self { path, stored: 0, tail: Vec::new(), interval, since_entry: interval, max_timestamp };
        let length = std::fs::metadata(&index.path).map_or(0, |m| m.len());
        let entries = usize::try_from(length).unwrap_or(0) / ENTRY_LEN;
        if entries > 0
            && let Ok(file) = OpenOptions::new().read(true).write(true).open(&index.path)
        {
            index.stored = partition_point(&file, entries, |e| e.position < position);
            let _ = file.set_len((index.stored * ENTRY_LEN) as u64);
        }
        index
    }

    /// How far the entries reach: the position of the last one.
    pub fn reach(&self) -> u64 {
        self.last(|_| true).map_or(0, |e| e.position)
    }

    /// Where the entries lie.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file was renamed.
    pub fn moved(&mut self, path: PathBuf) {
        self.path = path;
    }

    /// Notes the batch that was appended at `position`.
    pub fn add(&mut self, header: &BatchHeader, position: u64) {
        if self.since_entry >= self.interval && position > 0 {
            self.tail.push(Entry { offset: header.base_offset, position, max_timestamp_before: self.max_timestamp });
            self.since_entry = 0;
            if self.tail.len() >= 2 * SPILL {
                self.spill(SPILL);
            }
        }
        self.since_entry = self.since_entry.saturating_add(header.size as u64);
        // Markers carry the time of the broker; who asks for times asks for records.
        if !header.attributes.is_control() {
            self.max_timestamp = self.max_timestamp.max(header.max_timestamp);
        }
    }

    /// Latest timestamp of the segment's records; `i64::MIN` if it has none.
    pub fn max_timestamp(&self) -> i64 {
        self.max_timestamp
    }

    /// Writes all entries to the file.
    pub fn flush(&mut self) {
        self.spill(self.tail.len());
        self.tail.shrink_to_fit();
    }

    /// The last entry whose batch does not begin after `offset`.
    pub fn floor_offset(&self, offset: i64) -> Option<Entry> {
        self.last(|e| e.offset <= offset)
    }

    /// The last entry before which every timestamp is below `timestamp`.
    pub fn floor_time(&self, timestamp: i64) -> Option<Entry> {
        self.last(|e| e.max_timestamp_before < timestamp)
    }

    /// The last entry for which `holds`, which must hold for a prefix of the entries.
    fn last(&self, holds: impl Fn(&Entry) -> bool) -> Option<Entry> {
        let in_tail = self.tail.partition_point(&holds);
        if let Some(entry) = in_tail.checked_sub(1).and_then(|at| self.tail.get(at)) {
            return Some(*entry);
        }
        if self.stored == 0 {
            return None;
        }
        let file = File::open(&self.path).ok()?;
        let at = partition_point(&file, self.stored, holds).checked_sub(1)?;
        entry_at(&file, at)
    }

    fn spill(&mut self, count: usize) {
        let Some(spilled) = self.tail.get(..count).filter(|s| !s.is_empty()) else { return };
        let bytes: Vec<u8> = spilled.iter().flat_map(|e| e.to_bytes()).collect();
        let written = OpenOptions::new().create(true).truncate(false).write(true).open(&self.path).and_then(|mut file| {
            let at = (self.stored * ENTRY_LEN) as u64;
            file.set_len(at)?;
            std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(at))?;
            file.write_all(&bytes)
        });
        if written.is_ok() {
            self.stored += count;
        }
        // What cannot be written is forgotten: finding it again takes a longer scan.
        self.tail.drain(..count);
    }
}

fn entry_at(file: &File, at: usize) -> Option<Entry> {
    let mut bytes = [0; ENTRY_LEN];
    file.read_exact_at(&mut bytes, (at * ENTRY_LEN) as u64).ok()?;
    Entry::from_bytes(bytes)
}

fn partition_point(file: &File, entries: usize, holds: impl Fn(&Entry) -> bool) -> usize {
    let (mut low, mut high) = (0, entries);
    while low < high {
        let middle = low + (high - low) / 2;
        if entry_at(file, middle).is_some_and(|e| holds(&e)) { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(offset: i64, size: usize, timestamp: i64) -> BatchHeader {
        let mut writer = flumen_wire::BatchWriter::default();
        writer.push(timestamp, None, None, &[]).unwrap();
        let bytes = writer.finish(flumen_wire::Compression::None, flumen_wire::batch::Producer::PLAIN).unwrap();
        BatchHeader { base_offset: offset, size, ..BatchHeader::parse(&bytes).unwrap() }
    }

    #[test]
    fn entries_are_found_in_memory_and_in_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("0.index");
        let mut index = SparseIndex::create(path.clone(), 100);
        for i in 0..5000i64 {
            index.add(&header(i, 50, i * 10), i as u64 * 50);
        }
        assert!(index.tail.len() < 2 * SPILL && index.stored >= 1000, "{} {}", index.tail.len(), index.stored);
        let check = |index: &SparseIndex| {
            for offset in [2, 3, 700, 4998, 4999, 10_000] {
                let entry = index.floor_offset(offset).unwrap();
                assert!(entry.offset <= offset && entry.position == entry.offset as u64 * 50);
                assert!(entry.offset >= offset.min(4999) - 2, "{entry:?} for {offset}");
            }
            assert_eq!(index.floor_offset(1), None);
            let entry = index.floor_time(30_000).unwrap();
            assert!(entry.max_timestamp_before < 30_000 && entry.offset >= 2998, "{entry:?}");
            assert_eq!(index.max_timestamp(), 49_990);
        };
        check(&index);
        index.flush();
        assert!(index.tail.is_empty());
        check(&index);
        check(&SparseIndex::open(path.clone(), 100, 250_000, 49_990));
        let cut = SparseIndex::open(path, 100, 1000, 190);
        assert!(cut.floor_offset(5000).unwrap().position < 1000);
    }

    #[test]
    fn a_missing_file_gives_no_hint() {
        let dir = tempfile::tempdir().unwrap();
        let index = SparseIndex::open(dir.path().join("0.index"), 100, 5000, 7);
        assert_eq!(index.floor_offset(3), None);
        assert_eq!(index.floor_time(3), None);
    }
}
