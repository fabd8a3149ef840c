//! Where the latest record of each key lies, in bounded memory.

use super::{Compaction, Pace, Source, rewrite::Reader};
use flumen_wire::BatchHeader;
use std::{
    collections::{HashMap, hash_map::RandomState},
    hash::BuildHasher,
    io,
};

/// Most keys remembered, about 100 MB. What lies behind them waits for the next pass.
const MOST_KEYS: usize = 3_500_000;

/// Offsets by key. Keys are told apart by 128 bits of keyed hashes: no two of them meet by chance or intent.
#[derive(Debug)]
pub struct Latest {
    hashers: (RandomState, RandomState),
    offsets: HashMap<(u64, u64), i64>,
    most: usize,
}

impl Latest {
    /// Reads the keys that are new since the last compaction. If there are too many, the work ends earlier.
    pub fn read(work: &mut Compaction, pace: &mut Pace<'_>) -> io::Result<Self> {
        Self::bounded(work, pace, MOST_KEYS)
    }

    /// As [`Latest::read`], with so many keys at most, or as many as the first batch has.
    pub fn bounded(work: &mut Compaction, pace: &mut Pace<'_>, most: usize) -> io::Result<Self> {
        let mut latest = Self { hashers: Default::default(), offsets: HashMap::new(), most };
        let ends = work.sources.iter().skip(1).map(|s| s.base_offset).chain([i64::MAX]);
        for (source, end) in work.sources.iter().zip(ends) {
            if end > work.first_dirty
                && let Some(full_at) = latest.read_source(source, work, pace)?
            {
                work.until = full_at;
                break;
            }
        }
        Ok(latest)
    }

    /// Gives the offset of the first batch that was too much.
    fn read_source(&mut self, source: &Source, work: &Compaction, pace: &mut Pace<'_>) -> io::Result<Option<i64>> {
        let mut reader = Reader::new(source);
        while let Some((header, batch)) = reader.next_batch()? {
            pace.spend(header.size as u64)?;
            if header.base_offset >= work.until {
                break;
            }
            if !holds_keys(&header, work) {
                continue;
            }
            let count = usize::try_from(header.count).unwrap_or(0);
            if !self.offsets.is_empty() && self.offsets.len().saturating_add(count) > self.most {
                return Ok(Some(header.base_offset));
            }
            reader.records(&batch, |key, offset| {
                let key = self.hash(key);
                self.offsets.insert(key, offset);
            })?;
        }
        Ok(None)
    }

    /// Whether a later record has the same key.
    pub fn supersedes(&self, key: &[u8], offset: i64) -> bool {
        self.offsets.get(&self.hash(key)).is_some_and(|latest| *latest > offset)
    }

    fn hash(&self, key: &[u8]) -> (u64, u64) {
        (self.hashers.0.hash_one(key), self.hashers.1.hash_one(key))
    }
}

fn holds_keys(header: &BatchHeader, work: &Compaction) -> bool {
    !header.attributes.is_control() && header.last_offset() >= work.first_dirty && !work.ended.is_aborted(header)
}
