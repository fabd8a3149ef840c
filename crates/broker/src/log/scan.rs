//! Walking the batch headers of a segment's file without reading the records.

use flumen_wire::{BatchError, BatchHeader, batch::HEADER_LEN};
use std::{fs::File, io, os::unix::fs::FileExt};

const WINDOW: usize = 16 << 10;

/// Walks the headers from a position to the end. Stops at the first thing that is no whole batch.
#[derive(Debug)]
pub struct HeaderScan<'a> {
    file: &'a File,
    position: u64,
    end: u64,
    window: Vec<u8>,
    window_at: u64,
}

impl<'a> HeaderScan<'a> {
    /// A walk of `file` from `position`, where a batch begins, to `end`.
    pub fn new(file: &'a File, position: u64, end: u64) -> Self {
        Self { file, position, end, window: Vec::new(), window_at: position }
    }

    /// The next batch that lies whole before the end: its position and header. `None` at the end, or before what is no batch.
    pub fn next_header(&mut self) -> io::Result<Option<(u64, BatchHeader)>> {
        let left = self.end.saturating_sub(self.position);
        if left < HEADER_LEN as u64 {
            return Ok(None);
        }
        let header = match BatchHeader::parse(self.bytes()?) {
            Ok(header) if header.size as u64 <= left => header,
            Ok(_) | Err(BatchError::Magic(_) | BatchError::Malformed(_) | BatchError::Truncated { .. }) => return Ok(None),
            Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        };
        let position = self.position;
        self.position += header.size as u64;
        Ok(Some((position, header)))
    }

    fn bytes(&mut self) -> io::Result<&[u8]> {
        let inside = self.position.checked_sub(self.window_at).and_then(|at| usize::try_from(at).ok());
        let have = inside.is_some_and(|at| self.window.len().saturating_sub(at) >= HEADER_LEN);
        if !have {
            let length = usize::try_from(self.end - self.position).unwrap_or(WINDOW).min(WINDOW);
            self.window.resize(length, 0);
            self.file.read_exact_at(&mut self.window, self.position)?;
            self.window_at = self.position;
        }
        let at = usize::try_from(self.position - self.window_at).unwrap_or(0);
        Ok(self.window.get(at..).unwrap_or_default())
    }
}

/// Reads `length` bytes at `position`.
pub fn read_at(file: &File, position: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, position)?;
    Ok(bytes)
}
