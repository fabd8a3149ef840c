//! Windows whose final result is still to come, ordered as they close.

use std::collections::BTreeSet;
use std::ops::Bound;

use arrow::array::{Array, ArrayRef, Int64Array, UInt32Array};
use arrow::buffer::BooleanBuffer;
use flumen_state::{Store, split_stored, split_window_key};
use flumen_types::ColumnBuilder;

use super::Fold;
use crate::chunk::{OldRows, Windows};
use crate::{Chunk, RuntimeError};

/// End, start and memcomparable key of a window: results are given in this order.
pub(super) type Due = (i64, i64, Vec<u8>);

/// The windows not closed yet. They can be told from the store and the stream time, so nothing of this is persisted.
#[derive(Default)]
pub(super) struct Pending {
    known: Option<BTreeSet<Due>>,
}

impl Pending {
    /// Forgets what is known, after the store or the stream time were set anew.
    pub fn forget(&mut self) {
        self.known = None;
    }

    /// Finds the open windows in the store where that is not known. `bounds` gives a window's end from its start and the
    /// timestamp stored with it; `open` says of an end whether the window is.
    pub fn find(&mut self, store: &Store, end: impl Fn(i64, i64) -> i64, open: impl Fn(i64) -> bool) -> Result<(), RuntimeError> {
        if self.known.is_some() {
            return Ok(());
        }
        let mut known = BTreeSet::new();
        for (store_key, stored) in store.scan(Bound::Unbounded, Bound::Unbounded)? {
            let (key, start) = split_window_key(&store_key)?;
            let end = end(start, split_stored(&stored)?.0);
            if open(end) {
                known.insert((end, start, key.to_vec()));
            }
        }
        self.known = Some(known);
        Ok(())
    }

    pub fn insert(&mut self, due: Due) {
        self.known.get_or_insert_default().insert(due);
    }

    pub fn remove(&mut self, due: &Due) {
        self.known.get_or_insert_default().remove(due);
    }

    /// The first window whose end `closed` holds for; it is no longer pending.
    pub fn pop(&mut self, closed: impl Fn(i64) -> bool) -> Option<Due> {
        let known = self.known.get_or_insert_default();
        let first = known.first()?;
        if closed(first.0) { known.pop_first() } else { None }
    }
}

/// Final results as rows: `rows` are the input rows that closed the windows.
pub(super) fn final_rows(
    chunk: &Chunk,
    rows: Vec<u32>,
    due: &[Due],
    fold: &Fold,
    times: Vec<i64>,
    results: Vec<ArrayRef>,
) -> Result<Chunk, RuntimeError> {
    let count = rows.len();
    let mut out = chunk.pick_meta(&UInt32Array::from(rows))?;
    let mut keys: Vec<ColumnBuilder> = fold.key_types.iter().map(ColumnBuilder::new).collect();
    for (_, _, key) in due {
        fold.push_key(key, &mut keys)?;
    }
    out.keys = keys.iter_mut().map(ColumnBuilder::finish).collect();
    out.null_keys = None;
    out.timestamps = Int64Array::from(times);
    out.windows = Some(Windows {
        starts: due.iter().map(|d| d.1).collect::<Vec<i64>>().into(),
        ends: due.iter().map(|d| d.0).collect::<Vec<i64>>().into(),
    });
    // There was no row before: one that a HAVING refuses now is not deleted but never there.
    let old = results.iter().map(|r| arrow::array::new_null_array(r.data_type(), count)).collect();
    out.old = Some(OldRows { values: old, present: BooleanBuffer::new_unset(count) });
    out.values = results;
    Ok(out)
}
