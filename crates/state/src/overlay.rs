//! One task's view of a store: uncommitted changes and cached rows above the backend.
//!
//! Each row carries the generation of its last change, 0 when the backend has it. A freeze copies the current
//! generation's changes for the commit and begins the next, so that processing goes on while the commit is under way.

mod absent;
mod frozen;
mod rows;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use crate::window::ordered;
use crate::{Backend, StateError, StoreRef};
use absent::Absent;
use rows::{GONE, ROW_BYTES, Rows};

pub use frozen::Frozen;

/// A store partition as its task sees it.
///
/// An operator that works on many rows at once gives each key it meets a slot ([`Store::begin`], [`Store::slot`]): one
/// look-up a row, and none to read and write the values.
pub struct Store {
    backend: Arc<dyn Backend>,
    store: StoreRef,
    rows: Rows,
    absent: Absent,
    hasher: ahash::RandomState,
    /// Rows changed in this generation.
    changed: Vec<u32>,
    /// Rows changed in generations that are frozen and not applied.
    frozen: VecDeque<(u64, Vec<u32>)>,
    generation: u64,
    /// Keys of changed rows in order; only for a store whose windows are looked for by key.
    windows: Option<BTreeMap<Vec<u8>, u32>>,
    slots: Vec<u32>,
    step: u32,
    dirty_bytes: usize,
    budget: usize,
}

impl Store {
    /// A view without changes; `budget` bounds its cached rows, in bytes.
    pub fn new(backend: Arc<dyn Backend>, store: StoreRef, budget: usize) -> Store {
        Store {
            backend,
            store,
            rows: Rows::default(),
            absent: Absent::new(),
            hasher: ahash::RandomState::with_seeds(1, 2, 3, 4),
            changed: Vec::new(),
            frozen: VecDeque::new(),
            generation: 1,
            windows: None,
            slots: Vec::new(),
            step: 0,
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
        let row = self.load(key)?;
        Ok(self.rows.value(row))
    }

    /// Sets the value of a key, `None` to delete it.
    pub fn put(&mut self, key: &[u8], value: Option<&[u8]>) {
        let hash = self.hasher.hash_one(key);
        let row = match self.rows.find(key, hash) {
            Some(row) => row,
            None => self.rows.insert(key, hash, None),
        };
        self.change(row, value);
    }

    /// Begins to give slots, from 0 on.
    pub fn begin(&mut self) {
        self.slots.clear();
        self.step = self.step.wrapping_add(1);
    }

    /// The slot of a key: the same one until the next [`Store::begin`]. It is good until then, or until changes are applied
    /// or rolled back.
    pub fn slot(&mut self, key: &[u8]) -> Result<u32, StateError> {
        let id = self.load(key)?;
        let (step, next) = (self.step, self.slots.len() as u32);
        let row = self.rows.row(id);
        if row.step != step || self.slots.get(row.slot as usize) != Some(&id) {
            (row.step, row.slot) = (step, next);
            self.slots.push(id);
        }
        Ok(self.rows.row(id).slot)
    }

    /// How many slots were given.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The key of a slot.
    pub fn slot_key(&self, slot: usize) -> &[u8] {
        self.slots.get(slot).map(|id| self.rows.key(*id)).unwrap_or_default()
    }

    /// The newest value of a slot's key.
    pub fn slot_value(&self, slot: usize) -> Option<&[u8]> {
        self.slots.get(slot).and_then(|id| self.rows.value(*id))
    }

    /// Sets the value of a slot's key, `None` to delete it.
    pub fn set_slot(&mut self, slot: usize, value: Option<&[u8]>) {
        let Some(id) = self.slots.get(slot).copied() else { return };
        self.change(id, value);
    }

    /// The row of a key, read from the backend when it is not here.
    fn load(&mut self, key: &[u8]) -> Result<u32, StateError> {
        let hash = self.hasher.hash_one(key);
        if let Some(id) = self.rows.find(key, hash) {
            self.rows.row(id).used = true;
            return Ok(id);
        }
        let found = match self.absent.lacks(self.backend.as_ref(), self.store, key, hash)? {
            true => None,
            false => self.backend.get(self.store, key)?,
        };
        Ok(self.rows.insert(key, hash, found.as_deref()))
    }

    fn change(&mut self, id: u32, value: Option<&[u8]>) {
        if value.is_some() && self.rows.value(id).is_none() {
            self.absent.note(self.store, self.rows.key(id), self.rows.hash(id));
        }
        self.rows.set(id, value);
        let row = self.rows.row(id);
        row.used = true;
        if std::mem::replace(&mut row.generation, self.generation) == self.generation {
            return;
        }
        self.changed.push(id);
        let key = self.rows.key(id);
        self.dirty_bytes += key.len() + value.map_or(0, <[u8]>::len) + ROW_BYTES;
        if let Some(windows) = &mut self.windows {
            windows.insert(key.to_vec(), id);
        }
    }

    /// Rows with keys in bounds, in key order, changes included. For a windowed store the bounds are of window keys.
    pub fn scan(&self, from: Bound<&[u8]>, to: Bound<&[u8]>) -> Result<Vec<(Vec<u8>, Vec<u8>)>, StateError> {
        let mut rows = BTreeMap::new();
        self.backend.scan(self.store, from, to, &mut |k, v| {
            rows.insert(k.to_vec(), v.to_vec());
            true
        })?;
        for id in self.dirty().filter(|id| in_bounds(self.rows.key(*id), from, to)) {
            self.lay_over(&mut rows, id);
        }
        Ok(rows.into_iter().collect())
    }

    /// Windows of one key with `first <= start <= last`, ascending, changes included.
    pub fn scan_windows(&mut self, key: &[u8], first: i64, last: i64) -> Result<Vec<(i64, Vec<u8>)>, StateError> {
        let mut rows = BTreeMap::new();
        if first > last {
            return Ok(Vec::new());
        }
        self.backend.scan_windows(self.store, key, first, last, &mut |k, v| {
            rows.insert(k.to_vec(), v.to_vec());
            true
        })?;
        if self.windows.is_none() {
            self.windows = Some(self.dirty().map(|id| (self.rows.key(id).to_vec(), id)).collect());
        }
        let (from, to) = ([key, &ordered(first)].concat(), [key, &ordered(last)].concat());
        let found = self.windows.iter().flat_map(|w| w.range(from.clone()..=to.clone()));
        for (_, id) in found.filter(|(k, _)| k.len() == from.len()) {
            self.lay_over(&mut rows, *id);
        }
        let start = |(k, v): (Vec<u8>, Vec<u8>)| crate::split_window_key(&k).map(|(_, start)| (start, v));
        rows.into_iter().map(start).collect()
    }

    /// The rows that the backend does not have as they are here.
    fn dirty(&self) -> impl Iterator<Item = u32> {
        let frozen = self.frozen.iter().flat_map(|(_, rows)| rows);
        frozen.chain(&self.changed).copied().filter(|id| self.rows.generation(*id) != 0)
    }

    fn lay_over(&self, rows: &mut BTreeMap<Vec<u8>, Vec<u8>>, id: u32) {
        match self.rows.value(id) {
            Some(value) => rows.insert(self.rows.key(id).to_vec(), value.to_vec()),
            None => rows.remove(self.rows.key(id)),
        };
    }

    /// Copies the changes since the last freeze for a commit and begins the next generation.
    pub fn freeze(&mut self) -> Frozen {
        let mut frozen = Frozen::with_room(self.generation, self.changed.len(), self.dirty_bytes);
        for id in &self.changed {
            frozen.push(self.rows.key(*id), self.rows.value(*id));
        }
        self.frozen.push_back((self.generation, std::mem::take(&mut self.changed)));
        self.generation += 1;
        self.dirty_bytes = 0;
        frozen
    }

    /// Tells that the backend has these changes now, and drops cached rows beyond the budget.
    pub fn applied(&mut self, frozen: &Frozen) {
        let Some(at) = self.frozen.iter().position(|(generation, _)| *generation == frozen.generation) else { return };
        for id in self.frozen.remove(at).map(|(_, rows)| rows).unwrap_or_default() {
            if self.rows.generation(id) != frozen.generation {
                continue;
            }
            self.rows.row(id).generation = 0;
            if let Some(windows) = &mut self.windows {
                windows.remove(self.rows.key(id));
            }
        }
        if self.rows.cost() > self.budget {
            self.sweep();
        }
    }

    /// Second chance: drops clean rows not used since the last sweep, then all clean rows if that was not enough.
    fn sweep(&mut self) {
        self.slots.clear();
        let moved = self.rows.retain(|row| row.generation != 0 || std::mem::take(&mut row.used));
        self.renumber(&moved);
        if self.rows.cost() > self.budget / 4 * 3 {
            let moved = self.rows.retain(|row| row.generation != 0);
            self.renumber(&moved);
        }
    }

    fn renumber(&mut self, moved: &[u32]) {
        let lists = self.frozen.iter_mut().map(|(_, rows)| rows).chain([&mut self.changed]);
        for list in lists {
            list.iter_mut().for_each(|id| *id = moved[*id as usize]);
            list.retain(|id| *id != GONE);
        }
        for id in self.windows.iter_mut().flat_map(BTreeMap::values_mut) {
            *id = moved[*id as usize];
        }
    }

    /// Forgets all changes not applied; the view is the backend's again.
    pub fn rollback(&mut self) {
        self.rows.clear();
        self.absent.clear();
        self.changed.clear();
        self.frozen.clear();
        self.windows = None;
        self.slots.clear();
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
