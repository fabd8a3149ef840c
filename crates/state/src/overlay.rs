//! One task's view of a store: uncommitted changes and cached rows above the backend.
//!
//! Each entry carries the generation of its last change, 0 when the backend has it. A freeze copies the current
//! generation's changes for the commit and begins the next, so that processing goes on while the commit is under way.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use crate::{Backend, StateError, StoreRef};

/// Changes of one generation in the order their keys were first changed, in one buffer.
#[derive(Debug, Default)]
pub struct Frozen {
    bytes: Vec<u8>,
    entries: Vec<(u32, u32, Option<u32>)>,
    generation: u64,
}

impl Frozen {
    /// Number of changed keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True without changes.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Each key with its new value, `None` when it was deleted.
    pub fn changes(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        self.entries.iter().map(|&(start, key_end, value_end)| {
            let key = &self.bytes[start as usize..key_end as usize];
            (key, value_end.map(|end| &self.bytes[key_end as usize..end as usize]))
        })
    }

    /// Adds a change, for restoring from a changelog.
    pub fn push(&mut self, key: &[u8], value: Option<&[u8]>) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(key);
        let key_end = self.bytes.len() as u32;
        let value_end = value.map(|v| {
            self.bytes.extend_from_slice(v);
            self.bytes.len() as u32
        });
        self.entries.push((start, key_end, value_end));
    }

    /// Bytes held.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }
}

struct Entry {
    value: Vec<u8>,
    present: bool,
    generation: u64,
    used: bool,
}

/// A store partition as its task sees it.
pub struct Store {
    backend: Arc<dyn Backend>,
    store: StoreRef,
    entries: HashMap<Arc<[u8]>, Entry, ahash::RandomState>,
    changed: Vec<Arc<[u8]>>,
    generation: u64,
    bytes: usize,
    dirty_bytes: usize,
    budget: usize,
}

/// What an entry costs beyond its key and value.
const ENTRY_BYTES: usize = 80;

impl Store {
    /// A view without changes; `budget` bounds its cached rows, in bytes.
    pub fn new(backend: Arc<dyn Backend>, store: StoreRef, budget: usize) -> Store {
        Store {
            backend,
            store,
            entries: HashMap::with_hasher(ahash::RandomState::with_seeds(1, 2, 3, 4)),
            changed: Vec::new(),
            generation: 1,
            bytes: 0,
            dirty_bytes: 0,
            budget,
        }
    }

    /// The store partition below.
    pub fn store_ref(&self) -> StoreRef {
        self.store
    }

    /// Bytes of changes not frozen yet; a task commits early when they grow large.
    pub fn dirty_bytes(&self) -> usize {
        self.dirty_bytes
    }

    /// The newest value of a key.
    pub fn get(&mut self, key: &[u8]) -> Result<Option<&[u8]>, StateError> {
        // Looked up twice on a hit: the borrow checker does not let a conditional return keep the first one.
        if !self.entries.contains_key(key) {
            let found = self.backend.get(self.store, key)?;
            let present = found.is_some();
            let value = found.unwrap_or_default();
            self.bytes += key.len() + value.len() + ENTRY_BYTES;
            self.entries.insert(key.into(), Entry { value, present, generation: 0, used: true });
        }
        Ok(self.entries.get_mut(key).and_then(|e| {
            e.used = true;
            e.present.then_some(e.value.as_slice())
        }))
    }

    /// Sets the value of a key, `None` to delete it.
    pub fn put(&mut self, key: &[u8], value: Option<&[u8]>) {
        let size = key.len() + value.map_or(0, <[u8]>::len);
        let generation = self.generation;
        match self.entries.get_mut(key) {
            Some(entry) => {
                self.bytes = (self.bytes + size).saturating_sub(key.len() + entry.value.len());
                entry.value.clear();
                entry.value.extend_from_slice(value.unwrap_or_default());
                entry.present = value.is_some();
                entry.used = true;
                if entry.generation == generation {
                    return;
                }
                entry.generation = generation;
                if let Some((shared, _)) = self.entries.get_key_value(key) {
                    self.changed.push(shared.clone());
                }
            }
            None => {
                let shared: Arc<[u8]> = key.into();
                let entry = Entry { value: value.unwrap_or_default().to_vec(), present: value.is_some(), generation, used: true };
                self.bytes += size + ENTRY_BYTES;
                self.changed.push(shared.clone());
                self.entries.insert(shared, entry);
            }
        }
        self.dirty_bytes += size + ENTRY_BYTES;
    }

    /// Rows with keys in bounds, in key order, changes included. For a windowed store the bounds are of window keys.
    pub fn scan(&self, from: Bound<&[u8]>, to: Bound<&[u8]>) -> Result<Vec<(Vec<u8>, Vec<u8>)>, StateError> {
        let mut rows = BTreeMap::new();
        self.backend.scan(self.store, from, to, &mut |k, v| {
            rows.insert(k.to_vec(), v.to_vec());
            true
        })?;
        self.overlay(&mut rows, |k| in_bounds(k, from, to));
        Ok(rows.into_iter().collect())
    }

    /// Windows of one key with `first <= start <= last`, ascending, changes included.
    pub fn scan_windows(&self, key: &[u8], first: i64, last: i64) -> Result<Vec<(i64, Vec<u8>)>, StateError> {
        let mut rows = BTreeMap::new();
        self.backend.scan_windows(self.store, key, first, last, &mut |k, v| {
            rows.insert(k.to_vec(), v.to_vec());
            true
        })?;
        self.overlay(&mut rows, |k| crate::split_window_key(k).is_ok_and(|(inner, start)| inner == key && first <= start && start <= last));
        let start = |(k, v): (Vec<u8>, Vec<u8>)| crate::split_window_key(&k).map(|(_, start)| (start, v));
        rows.into_iter().map(start).collect()
    }

    fn overlay(&self, rows: &mut BTreeMap<Vec<u8>, Vec<u8>>, wanted: impl Fn(&[u8]) -> bool) {
        for (key, entry) in self.entries.iter().filter(|(k, e)| e.generation != 0 && wanted(k)) {
            if entry.present {
                rows.insert(key.to_vec(), entry.value.clone());
            } else {
                rows.remove(key.as_ref());
            }
        }
    }

    /// Copies the changes since the last freeze for a commit and begins the next generation.
    pub fn freeze(&mut self) -> Frozen {
        let mut frozen = Frozen { generation: self.generation, ..Frozen::default() };
        for key in self.changed.drain(..) {
            if let Some(entry) = self.entries.get(&key) {
                frozen.push(&key, entry.present.then_some(entry.value.as_slice()));
            }
        }
        self.generation += 1;
        self.dirty_bytes = 0;
        frozen
    }

    /// Tells that the backend has these changes now, and drops cached rows beyond the budget.
    pub fn applied(&mut self, frozen: &Frozen) {
        for (key, _) in frozen.changes() {
            if let Some(entry) = self.entries.get_mut(key).filter(|e| e.generation == frozen.generation) {
                entry.generation = 0;
            }
        }
        if self.bytes > self.budget {
            self.sweep();
        }
    }

    /// Second chance: drops clean rows not used since the last sweep, then all clean rows if that was not enough.
    fn sweep(&mut self) {
        let before = self.entries.len();
        self.entries.retain(|_, e| e.generation != 0 || std::mem::take(&mut e.used));
        if self.entries.len() * 4 > before * 3 {
            self.entries.retain(|_, e| e.generation != 0);
        }
        self.bytes = self.entries.iter().map(|(k, e)| k.len() + e.value.len() + ENTRY_BYTES).sum();
    }

    /// Forgets all changes not applied; the view is the backend's again.
    pub fn rollback(&mut self) {
        self.entries.clear();
        self.changed.clear();
        self.bytes = 0;
        self.dirty_bytes = 0;
        self.generation += 1;
    }
}

fn in_bounds(key: &[u8], from: Bound<&[u8]>, to: Bound<&[u8]>) -> bool {
    let after = match from {
        Bound::Included(b) => key >= b,
        Bound::Excluded(b) => key > b,
        Bound::Unbounded => true,
    };
    let before = match to {
        Bound::Included(b) => key <= b,
        Bound::Excluded(b) => key < b,
        Bound::Unbounded => true,
    };
    after && before
}
