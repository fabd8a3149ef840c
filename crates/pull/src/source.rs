//! Which rows to read: look-ups, ranges and scans of a store's partitions.

use std::ops::Bound;

use flumen_expr::Registry;
use flumen_plan::{KeyBounds, PullPlan, QueryPlan, names};
use flumen_state::{Backend, StoreRef, split_window_key};
use flumen_types::{SqlType, Value, encode_key};

use crate::PullError;

/// Where a pull query finds what it reads.
pub struct Tables<'a> {
    /// The plan of the query that keeps the table.
    pub plan: &'a QueryPlan,
    /// The committed state.
    pub backend: &'a dyn Backend,
    /// Number of partitions of the store.
    pub partitions: i32,
    /// The functions.
    pub registry: &'a Registry,
    /// The wall clock, in milliseconds.
    pub now_ms: i64,
    /// Seed of functions that are random.
    pub seed: u64,
}

/// A row as the store has it.
pub(crate) struct Stored {
    /// Memcomparable key.
    pub(crate) key: Vec<u8>,
    /// Start of its window, for a windowed store.
    pub(crate) start: Option<i64>,
    /// Stored value.
    pub(crate) value: Vec<u8>,
}

/// Reads the rows within the key and window bounds from all partitions. A key is in one of them only.
pub(crate) fn read(pull: &PullPlan, tables: &Tables<'_>) -> Result<Vec<Stored>, PullError> {
    let name = names::store_name(&pull.query, &pull.store);
    let mut found = false;
    let mut rows = Vec::new();
    for partition in 0..tables.partitions {
        let partition = u16::try_from(partition).map_err(|_| PullError::Plan(format!("partition {partition} is too large")))?;
        if let Some(store) = tables.backend.find_store(&name, partition)? {
            found = true;
            read_partition(pull, tables.backend, store, &mut rows)?;
        }
    }
    if found { Ok(rows) } else { Err(PullError::NotHere(pull.source.clone())) }
}

fn read_partition(pull: &PullPlan, backend: &dyn Backend, store: StoreRef, rows: &mut Vec<Stored>) -> Result<(), PullError> {
    let types: Vec<&SqlType> = pull.stored.keys.iter().map(|(_, ty)| ty).collect();
    let windowed = store.bucket_ms != 0;
    match &pull.keys {
        KeyBounds::Lookup(keys) => {
            for key in keys {
                let key = encode_key(key, &types)?;
                if windowed {
                    windows(pull, backend, store, &key, rows)?;
                } else if let Some(value) = backend.get(store, &key)? {
                    rows.push(Stored { key, start: None, value });
                }
            }
            Ok(())
        }
        KeyBounds::Range { low, high } => {
            let low = edge(low, &types)?;
            // Longer than any window start behind the key: the filter decides about the edges themselves.
            let high = match edge(high, &types)? {
                Bound::Unbounded => Bound::Unbounded,
                Bound::Included(mut key) | Bound::Excluded(mut key) => {
                    key.extend([0xFF; 9]);
                    Bound::Included(key)
                }
            };
            scan(backend, store, low, high, rows)
        }
        KeyBounds::Scan => scan(backend, store, Bound::Unbounded, Bound::Unbounded, rows),
    }
}

/// An edge of a range as an inclusive bound of encoded keys.
fn edge(bound: &Bound<Value>, types: &[&SqlType]) -> Result<Bound<Vec<u8>>, PullError> {
    Ok(match bound {
        Bound::Unbounded => Bound::Unbounded,
        Bound::Included(value) | Bound::Excluded(value) => Bound::Included(encode_key(std::slice::from_ref(value), types)?),
    })
}

fn windows(pull: &PullPlan, backend: &dyn Backend, store: StoreRef, key: &[u8], rows: &mut Vec<Stored>) -> Result<(), PullError> {
    let (first, last) = (pull.windows.start_from.unwrap_or(i64::MIN), pull.windows.start_to.unwrap_or(i64::MAX));
    let mut damaged = None;
    backend.scan_windows(store, key, first, last, &mut |k, value| match split_window_key(k) {
        Ok((key, start)) => {
            rows.push(Stored { key: key.to_vec(), start: Some(start), value: value.to_vec() });
            true
        }
        Err(error) => {
            damaged = Some(error);
            false
        }
    })?;
    damaged.map_or(Ok(()), |e| Err(e.into()))
}

fn scan(
    backend: &dyn Backend,
    store: StoreRef,
    low: Bound<Vec<u8>>,
    high: Bound<Vec<u8>>,
    rows: &mut Vec<Stored>,
) -> Result<(), PullError> {
    let mut damaged = None;
    backend.scan(store, low.as_ref().map(Vec::as_slice), high.as_ref().map(Vec::as_slice), &mut |k, value| {
        let split = if store.bucket_ms == 0 { Ok((k, None)) } else { split_window_key(k).map(|(k, s)| (k, Some(s))) };
        match split {
            Ok((key, start)) => {
                rows.push(Stored { key: key.to_vec(), start, value: value.to_vec() });
                true
            }
            Err(error) => {
                damaged = Some(error);
                false
            }
        }
    })?;
    damaged.map_or(Ok(()), |e| Err(e.into()))
}
