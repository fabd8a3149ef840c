//! Reading whole batches: the place is found under the log's lock, the bytes are read beside it.

use super::{
    Log,
    scan::{HeaderScan, read_at},
    segment::Segment,
};
use flumen_wire::{Batch, BatchError};
use std::{fs::File, io, sync::Arc};

/// Bytes read before the wanted batch at most, as an index entry is that much coarse.
const SLACK: usize = 8 << 10;

/// Where to read. Valid beside appends and after the removal of the segment.
#[derive(Clone, Debug)]
pub struct ReadPlan {
    file: Arc<File>,
    position: u64,
    end: u64,
    offset: i64,
    until: i64,
    next_segment: Option<i64>,
}

impl Log {
    /// How to read the batches from the one with `offset` on, as far as they begin before `until`. `None` if there are none.
    pub fn plan_read(&self, offset: i64, until: i64) -> Option<ReadPlan> {
        if offset >= until.min(self.next) {
            return None;
        }
        let at = self.segments.partition_point(|s| s.base_offset() <= offset).saturating_sub(1);
        let segment = self.segments.get(at)?;
        Some(ReadPlan {
            file: segment.file().clone(),
            position: segment.position_before(offset),
            end: segment.size(),
            offset,
            until,
            next_segment: self.segments.get(at + 1).map(Segment::base_offset),
        })
    }
}

impl ReadPlan {
    /// The next segment's first offset, to go on at if this one has nothing more.
    pub fn next_segment(&self) -> Option<i64> {
        self.next_segment.filter(|next| *next < self.until)
    }

    /// Whole batches of at most `max` bytes together; with `at_least_one` the first may be larger. Also the offset after the last one.
    pub fn read(&self, max: usize, at_least_one: bool) -> io::Result<(Vec<u8>, i64)> {
        let left = usize::try_from(self.end.saturating_sub(self.position)).unwrap_or(usize::MAX);
        let mut bytes = read_at(&self.file, self.position, left.min(max.saturating_add(SLACK)))?;
        let (mut first, mut last, mut next) = (None, 0, self.offset);
        let mut at = 0;
        loop {
            match Batch::split(bytes.get(at..).unwrap_or_default()) {
                Ok((batch, _)) => {
                    let size = batch.header.size;
                    if batch.header.base_offset >= self.until {
                        break;
                    }
                    if batch.header.last_offset() >= self.offset {
                        let begin = *first.get_or_insert(at);
                        let fits = at + size - begin <= max || (at == begin && at_least_one);
                        if !fits {
                            break;
                        }
                        (last, next) = (at + size, batch.header.next_offset());
                    }
                    at += size;
                }
                // The first wanted batch is larger than what was read, or lies further behind than usual.
                Err(BatchError::Truncated { .. }) if last == 0 && at < left => {
                    return self.read_first(self.position + at as u64, max, at_least_one);
                }
                Err(_) => break,
            }
        }
        bytes.truncate(last);
        let begin = first.unwrap_or(last).min(last);
        bytes.drain(..begin);
        Ok((bytes, next))
    }

    /// Finds the first wanted batch from `position` on by its header and reads it alone.
    fn read_first(&self, position: u64, max: usize, at_least_one: bool) -> io::Result<(Vec<u8>, i64)> {
        let mut scan = HeaderScan::new(&self.file, position, self.end);
        while let Some((position, header)) = scan.next_header()? {
            if header.base_offset >= self.until {
                break;
            }
            if header.last_offset() >= self.offset {
                if header.size > max && !at_least_one {
                    break;
                }
                return Ok((read_at(&self.file, position, header.size)?, header.next_offset()));
            }
        }
        Ok((Vec::new(), self.offset))
    }
}
