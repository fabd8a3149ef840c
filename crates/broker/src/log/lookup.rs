//! Offsets by time.

use super::{Log, scan::read_at, segment::Segment};
use flumen_wire::{Batch, BatchHeader};
use std::io;

/// Most bytes a batch may unpack to while its timestamps are looked at.
const UNPACK_LIMIT: usize = 256 << 20;

/// A record's place in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOffset {
    /// Its offset.
    pub offset: i64,
    /// Its timestamp in milliseconds since 1970.
    pub timestamp: i64,
}

impl Log {
    /// The first record at or after `timestamp`.
    pub fn offset_for_time(&self, timestamp: i64) -> io::Result<Option<TimeOffset>> {
        for segment in self.segments.iter().filter(|s| s.max_timestamp() >= timestamp) {
            if let Some(found) = self.first_in(segment, timestamp)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The first record that has the latest timestamp of the log.
    pub fn latest_by_time(&self) -> io::Result<Option<TimeOffset>> {
        let Some(latest) = self.segments.iter().filter(|s| s.size() > 0).map(Segment::max_timestamp).max() else { return Ok(None) };
        self.offset_for_time(latest)
    }

    fn first_in(&self, segment: &Segment, timestamp: i64) -> io::Result<Option<TimeOffset>> {
        let mut scan = segment.scan_from_time(timestamp);
        while let Some((position, header)) = scan.next_header()? {
            let candidate = header.max_timestamp >= timestamp && header.last_offset() >= self.start && !header.attributes.is_control();
            if candidate && let Some(found) = self.first_of(segment, position, &header, timestamp)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn first_of(&self, segment: &Segment, position: u64, header: &BatchHeader, timestamp: i64) -> io::Result<Option<TimeOffset>> {
        let bytes = read_at(segment.file(), position, header.size)?;
        let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
        let (batch, _) = Batch::split(&bytes).map_err(invalid)?;
        let mut scratch = Vec::new();
        for record in batch.records(&mut scratch, UNPACK_LIMIT).map_err(invalid)? {
            let record = record.map_err(invalid)?;
            if record.timestamp >= timestamp && record.offset >= self.start {
                return Ok(Some(TimeOffset { offset: record.offset, timestamp: record.timestamp }));
            }
        }
        Ok(None)
    }
}
