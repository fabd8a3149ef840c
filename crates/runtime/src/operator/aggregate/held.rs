//! Results held back until the next commit: the last one per key, as a cached store of Kafka Streams gives them.

use std::collections::HashMap;

use arrow::array::{ArrayRef, Int64Array};
use arrow::buffer::BooleanBuffer;
use flumen_state::{split_stored, split_window_key};
use flumen_types::{ColumnBuilder, decode_key};

use super::{Fold, hasher};
use crate::chunk::{OldRows, Windows};
use crate::{Chunk, RuntimeError};

/// The store keys whose results changed since the last flush.
pub(super) struct Held {
    /// With the place of the last change and, where old results are read, the value stored before the first one.
    keys: HashMap<Box<[u8]>, (u64, Option<Vec<u8>>), ahash::RandomState>,
    changes: u64,
    keep_old: bool,
}

impl Held {
    pub fn new(keep_old: bool) -> Self {
        Held { keys: HashMap::with_hasher(hasher()), changes: 0, keep_old }
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub fn clear(&mut self) {
        self.keys.clear();
    }

    /// A key is about to change; `stored` is its value now.
    pub fn touch(&mut self, key: &[u8], stored: Option<&[u8]>) {
        self.changes += 1;
        match self.keys.get_mut(key) {
            Some((place, _)) => *place = self.changes,
            None => {
                let old = stored.filter(|_| self.keep_old).map(<[u8]>::to_vec);
                self.keys.insert(key.into(), (self.changes, old));
            }
        }
    }

    /// All keys with the values before, in the order of their last changes; none are held afterwards.
    fn take(&mut self) -> Vec<(Box<[u8]>, Option<Vec<u8>>)> {
        let mut keys: Vec<_> = self.keys.drain().map(|(key, (place, old))| (place, key, old)).collect();
        keys.sort_unstable_by_key(|(place, ..)| *place);
        keys.into_iter().map(|(_, key, old)| (key, old)).collect()
    }
}

impl Fold {
    /// True while there are results to flush.
    pub(super) fn holds_results(&self) -> bool {
        self.held.as_ref().is_some_and(|h| !h.is_empty())
    }

    /// The results held back, as rows; with a window size the keys are windowed.
    pub(super) fn flush(&mut self, window: Option<i64>) -> Result<Option<Chunk>, RuntimeError> {
        let changed = self.held.as_mut().map(Held::take).unwrap_or_default();
        self.reset();
        let mut keys: Vec<ColumnBuilder> = self.key_types.iter().map(ColumnBuilder::new).collect();
        let (mut new, mut old, mut times) = (Vec::new(), Vec::new(), Vec::new());
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        for (store_key, before) in changed {
            let Some(stored) = self.store.get(&store_key)?.map(<[u8]>::to_vec) else { continue };
            let (time, body) = split_stored(&stored)?;
            let mut key = store_key.as_ref();
            if let Some(size) = window {
                let (inner, start) = split_window_key(key)?;
                key = inner;
                starts.push(start);
                ends.push(start.saturating_add(size));
            }
            self.push_key(key, &mut keys)?;
            times.push(time);
            new.push(Some(self.load_new(body)?));
            old.push(match &before {
                Some(before) => Some(self.load_new(split_stored(before)?.1)?),
                None => None,
            });
        }
        let rows = times.len();
        if rows == 0 {
            return Ok(None);
        }
        let present = BooleanBuffer::collect_bool(rows, |i| old.get(i).is_some_and(Option::is_some));
        let old = match self.old {
            true => Some(OldRows { values: self.results_at(&old)?, present }),
            false => None,
        };
        Ok(Some(Chunk {
            keys: keys.iter_mut().map(ColumnBuilder::finish).collect::<Vec<ArrayRef>>(),
            values: self.results_at(&new)?,
            null_keys: None,
            deleted: None,
            old,
            timestamps: Int64Array::from(times),
            windows: window.map(|_| Windows { starts: Int64Array::from(starts), ends: Int64Array::from(ends) }),
            origin: None,
            headers: None,
            ord: (0..rows as u32).collect(),
        }))
    }

    /// Appends the columns of a memcomparable key.
    pub(super) fn push_key(&self, key: &[u8], columns: &mut [ColumnBuilder]) -> Result<(), RuntimeError> {
        let damaged = |e: flumen_types::TypeError| RuntimeError::Internal(e.to_string());
        let types: Vec<_> = self.key_types.iter().collect();
        for (value, column) in decode_key(key, &types).map_err(damaged)?.iter().zip(columns) {
            column.append(value).map_err(damaged)?;
        }
        Ok(())
    }
}
