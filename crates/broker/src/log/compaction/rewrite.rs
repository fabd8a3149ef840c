//! Rewriting segments: batch by batch, what stays goes to a new file.

use super::{Compaction, Ended, Latest, Pace, Source};
use crate::log::{
    scan::{HeaderScan, read_at},
    segment::Segment,
};
use flumen_wire::{Batch, BatchHeader, batch::Retained};
use std::{collections::HashSet, fs::File, io, path::Path};

/// Most bytes a batch may unpack to.
const UNPACK_LIMIT: usize = 256 << 20;
/// Bytes written at a time.
const CHUNK: usize = 1 << 20;

/// A segment that can take the place of others.
#[derive(Debug)]
pub struct Rewritten {
    /// The new segment, not in its place yet.
    pub segment: Segment,
    /// Offsets of transaction markers that are gone.
    pub removed_markers: HashSet<i64>,
}

/// Rewrites segments into one. `None` if a single one would stay as it is.
pub fn rewrite(
    sources: &[Source],
    work: &Compaction,
    latest: &Latest,
    ended: &mut Ended,
    folder: &Path,
    index_interval: u64,
    pace: &mut Pace<'_>,
) -> io::Result<Option<Rewritten>> {
    let Some(first) = sources.first() else { return Ok(None) };
    let segment = Segment::create_beside(folder, first.base_offset, index_interval)?;
    let mut output = Output { segment, buffer: Vec::new(), written: 0, removed_markers: HashSet::new() };
    match output.fill(sources, work, latest, ended, pace) {
        Ok(changed) if changed || sources.len() > 1 => {
            Ok(Some(Rewritten { segment: output.segment, removed_markers: output.removed_markers }))
        }
        Ok(_) => {
            output.segment.remove();
            Ok(None)
        }
        Err(error) => {
            output.segment.remove();
            Err(error)
        }
    }
}

struct Output {
    segment: Segment,
    buffer: Vec<u8>,
    written: u64,
    removed_markers: HashSet<i64>,
}

impl Output {
    /// Gives whether anything is missing.
    fn fill(&mut self, sources: &[Source], work: &Compaction, latest: &Latest, ended: &mut Ended, pace: &mut Pace<'_>) -> io::Result<bool> {
        let mut changed = false;
        for source in sources {
            let mut reader = Reader::new(source);
            while let Some((header, bytes)) = reader.next_batch()? {
                let before = self.segment.size();
                self.take(&header, &bytes, work, latest, ended, &mut reader.scratch)?;
                let after = self.segment.size() - before;
                changed |= after != header.size as u64;
                pace.spend(header.size as u64 + after)?;
            }
            if reader.position != source.size {
                return Err(io::Error::new(io::ErrorKind::InvalidData, format!("segment {} is damaged", source.base_offset)));
            }
        }
        self.flush()?;
        self.segment.seal();
        Ok(changed)
    }

    fn take(
        &mut self,
        header: &BatchHeader,
        bytes: &[u8],
        work: &Compaction,
        latest: &Latest,
        ended: &mut Ended,
        scratch: &mut Vec<u8>,
    ) -> io::Result<()> {
        if header.base_offset >= work.until {
            return self.push(bytes);
        }
        if header.attributes.is_control() {
            if ended.marks_something(header) || header.base_offset >= work.horizon {
                return self.push(bytes);
            }
            self.removed_markers.insert(header.base_offset);
            return Ok(());
        }
        if ended.is_aborted(header) {
            return Ok(());
        }
        let (batch, _) = Batch::split(bytes).map_err(invalid)?;
        let retained = batch.retain(scratch, UNPACK_LIMIT, |record| match record.key {
            Some(_) if record.value.is_none() && record.offset < work.horizon => false,
            Some(key) => !latest.supersedes(key, record.offset),
            // A record from the time before the topic was compacted: nothing could ever replace it.
            None => false,
        });
        match retained.map_err(invalid)? {
            Retained::All => {
                ended.kept(header);
                self.push(bytes)
            }
            Retained::Some(left) => {
                ended.kept(header);
                self.push(&left)
            }
            Retained::Nothing => Ok(()),
        }
    }

    fn push(&mut self, batch: &[u8]) -> io::Result<()> {
        let header = BatchHeader::parse(batch).map_err(invalid)?;
        self.buffer.extend_from_slice(batch);
        self.segment.admit(&header);
        if self.buffer.len() >= CHUNK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.segment.write_at(&self.buffer, self.written)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// Reads a segment batch by batch.
pub struct Reader<'a> {
    file: &'a File,
    scan: HeaderScan<'a>,
    position: u64,
    scratch: Vec<u8>,
}

impl<'a> Reader<'a> {
    /// From the beginning.
    pub fn new(source: &'a Source) -> Self {
        Self { file: &source.file, scan: HeaderScan::new(&source.file, 0, source.size), position: 0, scratch: Vec::new() }
    }

    /// The next batch, whose checksum is right.
    pub fn next_batch(&mut self) -> io::Result<Option<(BatchHeader, Vec<u8>)>> {
        let Some((position, header)) = self.scan.next_header()? else { return Ok(None) };
        let bytes = read_at(self.file, position, header.size)?;
        Batch::split(&bytes).and_then(|(batch, _)| batch.check_crc()).map_err(invalid)?;
        self.position = position + header.size as u64;
        Ok(Some((header, bytes)))
    }

    /// Calls `each` with key and offset of the records of a batch.
    pub fn records(&mut self, batch: &[u8], mut each: impl FnMut(&[u8], i64)) -> io::Result<()> {
        let (batch, _) = Batch::split(batch).map_err(invalid)?;
        for record in batch.records(&mut self.scratch, UNPACK_LIMIT).map_err(invalid)? {
            let record = record.map_err(invalid)?;
            if let Some(key) = record.key {
                each(key, record.offset);
            }
        }
        Ok(())
    }
}

fn invalid(error: flumen_wire::BatchError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
