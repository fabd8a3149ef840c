//! What is known of a log up to a point, so that a start reads only what came after it.

use super::{producers::Producers, segment::Known};
use crate::{
    codec::{Damaged, Input, Stored},
    config::Fsync,
    datadir::{replace_file, write_durably},
};
use std::{io, path::Path};

const FILE: &str = "snapshot";
const START_FILE: &str = "start";
const VERSION: u8 = 2;

/// A rewritten segment that takes the place of others: promised by a snapshot, then carried out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swap {
    /// Its first offset, which is that of the first one it replaces.
    pub base_offset: i64,
    /// First offsets of the others it replaces.
    pub removed: Vec<i64>,
}

/// The state of a log. The last segment is known up to its size here; what lies beyond came later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The segments, oldest first.
    pub segments: Vec<Known>,
    /// The next offset.
    pub next_offset: i64,
    /// The producers.
    pub producers: Producers,
    /// What was about to be done on disk.
    pub swap: Option<Swap>,
}

impl Stored for Swap {
    fn write(&self, out: &mut Vec<u8>) {
        self.base_offset.write(out);
        self.removed.write(out);
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        Ok(Self { base_offset: i64::read(input)?, removed: Vec::read(input)? })
    }
}

impl Stored for Known {
    fn write(&self, out: &mut Vec<u8>) {
        self.base_offset.write(out);
        self.size.write(out);
        self.max_timestamp.write(out);
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        Ok(Self { base_offset: i64::read(input)?, size: u64::read(input)?, max_timestamp: i64::read(input)? })
    }
}

impl Stored for Snapshot {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        self.segments.write(out);
        self.next_offset.write(out);
        self.producers.write(out);
        self.swap.write(out);
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        let version = input.version(VERSION)?;
        let (segments, next_offset, producers) = (Vec::read(input)?, i64::read(input)?, Producers::read(input)?);
        let swap = if version < 2 { None } else { Option::read(input)? };
        Ok(Self { segments, next_offset, producers, swap })
    }
}

impl Snapshot {
    /// Writes the snapshot of the log in `folder`.
    pub fn save(&self, folder: &Path) -> io::Result<()> {
        let mut body = Vec::new();
        self.write(&mut body);
        let mut bytes = Vec::with_capacity(body.len() + 4);
        crc32c::crc32c(&body).write(&mut bytes);
        bytes.extend(body);
        replace_file(&folder.join(FILE), &bytes)
    }

    /// Removes it, if there is one.
    pub fn forget(folder: &Path) -> io::Result<()> {
        match std::fs::remove_file(folder.join(FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Reads it. Without a sound one the log is read from its beginning instead.
    pub fn load(folder: &Path) -> Option<Self> {
        let bytes = std::fs::read(folder.join(FILE)).ok()?;
        let mut input = Input(&bytes);
        let crc = u32::read(&mut input).ok()?;
        if crc32c::crc32c(input.0) != crc {
            return None;
        }
        Self::read(&mut input).ok()
    }
}

/// Remembers that the log in `folder` begins at `offset`.
pub fn save_start(folder: &Path, offset: i64, fsync: Fsync) -> io::Result<()> {
    let write = if fsync == Fsync::Always { write_durably } else { replace_file };
    write(&folder.join(START_FILE), format!("{offset}\n").as_bytes())
}

/// Where the log in `folder` begins; 0 if that was never said.
pub fn load_start(folder: &Path) -> i64 {
    std::fs::read_to_string(folder.join(START_FILE)).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}
