//! A backend in memory, for tests and the test runner.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use parking_lot::RwLock;

use crate::window::ordered;
use crate::{Backend, Layout, Size, StateError, StoreRef, Visit, Writes, split_window_key};

/// An empty backend in memory.
pub fn memory() -> Arc<dyn Backend> {
    Arc::new(Memory::default())
}

#[derive(Default)]
struct Memory(RwLock<Tables>);

#[derive(Default)]
struct Tables {
    names: HashMap<String, (u32, i64)>,
    next_id: u32,
    rows: HashMap<(u32, u16), BTreeMap<Vec<u8>, Vec<u8>>>,
    meta: HashMap<Vec<u8>, Vec<u8>>,
}

impl Backend for Memory {
    fn open_store(&self, name: &str, partition: u16, layout: Layout) -> Result<StoreRef, StateError> {
        let mut tables = self.0.write();
        let bucket_ms = match layout {
            Layout::KeyValue => 0,
            Layout::Windowed { bucket_ms } => bucket_ms.max(1),
        };
        let next = tables.next_id;
        let (id, bucket_ms) = *tables.names.entry(name.to_string()).or_insert((next, bucket_ms));
        if id == next {
            tables.next_id += 1;
        }
        Ok(StoreRef { id, partition, bucket_ms })
    }

    fn find_store(&self, name: &str, partition: u16) -> Result<Option<StoreRef>, StateError> {
        let found = self.0.read().names.get(name).copied();
        Ok(found.map(|(id, bucket_ms)| StoreRef { id, partition, bucket_ms }))
    }

    fn get(&self, store: StoreRef, key: &[u8]) -> Result<Option<Vec<u8>>, StateError> {
        Ok(self.0.read().rows.get(&(store.id, store.partition)).and_then(|rows| rows.get(key)).cloned())
    }

    fn is_vacant(&self, store: StoreRef, bucket: i64) -> Result<bool, StateError> {
        let tables = self.0.read();
        let Some(rows) = tables.rows.get(&(store.id, store.partition)) else { return Ok(true) };
        let within = |key: &Vec<u8>| split_window_key(key).is_ok_and(|(_, start)| crate::bucket_of(start, store.bucket_ms) == bucket);
        Ok(if store.bucket_ms == 0 { rows.is_empty() } else { !rows.keys().any(within) })
    }

    fn scan(&self, store: StoreRef, from: Bound<&[u8]>, to: Bound<&[u8]>, visit: Visit<'_>) -> Result<(), StateError> {
        if is_empty(from, to) {
            return Ok(());
        }
        let tables = self.0.read();
        if let Some(rows) = tables.rows.get(&(store.id, store.partition)) {
            for (key, value) in rows.range::<[u8], _>((from, to)) {
                if !visit(key, value) {
                    break;
                }
            }
        }
        Ok(())
    }

    fn scan_windows(&self, store: StoreRef, key: &[u8], first: i64, last: i64, visit: Visit<'_>) -> Result<(), StateError> {
        let from = [key, &ordered(first)].concat();
        let to = [key, &ordered(last)].concat();
        let wanted = key.len() + 8;
        self.scan(store, Bound::Included(&from), Bound::Included(&to), &mut |k, v| k.len() != wanted || visit(k, v))
    }

    fn apply(&self, writes: &Writes<'_>) -> Result<(), StateError> {
        let mut tables = self.0.write();
        for (store, frozen) in &writes.stores {
            let rows = tables.rows.entry((store.id, store.partition)).or_default();
            for (key, value) in frozen.changes() {
                match value {
                    Some(value) => rows.insert(key.to_vec(), value.to_vec()),
                    None => rows.remove(key),
                };
            }
        }
        for (key, value) in &writes.meta {
            match value {
                Some(value) => tables.meta.insert(key.clone(), value.clone()),
                None => tables.meta.remove(key),
            };
        }
        Ok(())
    }

    fn expire(&self, store: StoreRef, before: i64) -> Result<(), StateError> {
        let first_kept = crate::bucket_of(before, store.bucket_ms);
        if let Some(rows) = self.0.write().rows.get_mut(&(store.id, store.partition)) {
            rows.retain(|k, _| split_window_key(k).is_ok_and(|(_, start)| crate::bucket_of(start, store.bucket_ms) >= first_kept));
        }
        Ok(())
    }

    fn meta(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StateError> {
        Ok(self.0.read().meta.get(key).cloned())
    }

    fn clear(&self, store: StoreRef) -> Result<(), StateError> {
        self.0.write().rows.remove(&(store.id, store.partition));
        Ok(())
    }

    fn drop_store(&self, name: &str) -> Result<(), StateError> {
        let mut tables = self.0.write();
        if let Some((id, _)) = tables.names.remove(name) {
            tables.rows.retain(|(store, _), _| *store != id);
        }
        Ok(())
    }

    fn measure(&self, store: StoreRef) -> Result<Size, StateError> {
        let tables = self.0.read();
        let rows = tables.rows.get(&(store.id, store.partition));
        let bytes = rows.iter().flat_map(|rows| rows.iter()).map(|(k, v)| (k.len() + v.len()) as u64).sum();
        Ok(Size { rows: rows.map_or(0, |r| r.len() as u64), bytes })
    }

    fn size_bytes(&self) -> u64 {
        let tables = self.0.read();
        tables.rows.values().flatten().map(|(k, v)| (k.len() + v.len()) as u64).sum()
    }
}

/// True for bounds that hold nothing, which a BTreeMap refuses with a panic.
fn is_empty(from: Bound<&[u8]>, to: Bound<&[u8]>) -> bool {
    match (from, to) {
        (Bound::Included(a), Bound::Included(b)) => a > b,
        (Bound::Included(a) | Bound::Excluded(a), Bound::Included(b) | Bound::Excluded(b)) => a >= b,
        _ => false,
    }
}
