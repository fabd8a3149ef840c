//! The RocksDB backend: one database a process, its WAL on and never synced (a killed process keeps it; after a power
//! loss the changelogs replay what is missing).
//!
//! Column families: `kv` and `window` hold rows under a prefix of store id (u32) and partition (u16), big-endian, `window`
//! with the time bucket (i64, memcomparable) before the key; the default family holds meta entries and, below
//! `N`, the store names.

mod bytes;
mod ids;

use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use rocksdb::{
    BlockBasedOptions, Cache, ColumnFamily, ColumnFamilyDescriptor, DB, DBCompressionType, Direction, IteratorMode, Options, ReadOptions,
    WriteBatch, WriteBufferManager,
};

use crate::{Backend, Frozen, Layout, Size, StateError, StoreRef, Visit, Writes, bucket_of, split_window_key};
use bytes::{BUCKET, PREFIX, bucket_prefix, next_prefix, prefix, strip};
use ids::Ids;

/// Rows that are counted to estimate the size of a store.
const SAMPLE: u64 = 10_000;

const KV: &str = "kv";
const WINDOW: &str = "window";

/// Memory the database of a process may use.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Block cache, in bytes.
    pub block_cache: usize,
    /// Write buffers of all column families, in bytes.
    pub write_buffers: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { block_cache: 256 << 20, write_buffers: 128 << 20 }
    }
}

/// Opens or creates the database in this folder. [`StateError::Corrupt`] tells that it has to be rebuilt.
pub fn open_rocksdb(path: &Path, budget: &Budget) -> Result<Arc<dyn Backend>, StateError> {
    let cache = Cache::new_lru_cache(budget.block_cache);
    let buffers = WriteBufferManager::new_write_buffer_manager(budget.write_buffers, false);
    let mut options = Options::default();
    options.create_if_missing(true);
    options.create_missing_column_families(true);
    options.set_write_buffer_manager(&buffers);
    options.set_max_background_jobs(2);
    options.set_keep_log_file_num(2);
    options.set_max_total_wal_size(budget.write_buffers as u64 * 2);
    let family = |name: &str| ColumnFamilyDescriptor::new(name, family_options(&cache, budget));
    let families = vec![family("default"), family(KV), family(WINDOW)];
    let db = DB::open_cf_descriptors(&options, path, families).map_err(fault)?;
    let ids = Mutex::new(Ids::load(&db)?);
    Ok(Arc::new(Rocks { db, ids }))
}

fn family_options(cache: &Cache, budget: &Budget) -> Options {
    let mut table = BlockBasedOptions::default();
    table.set_block_cache(cache);
    table.set_bloom_filter(10.0, false);
    table.set_cache_index_and_filter_blocks(true);
    table.set_pin_l0_filter_and_index_blocks_in_cache(true);
    table.set_block_size(8 << 10);
    let mut options = Options::default();
    options.set_block_based_table_factory(&table);
    options.set_compression_type(DBCompressionType::Lz4);
    options.set_write_buffer_size((budget.write_buffers / 4).max(1 << 20));
    // Most keys of a windowed aggregate are new: a filter on the memtable answers for them without a search.
    options.set_memtable_prefix_bloom_ratio(0.1);
    options.set_memtable_whole_key_filtering(true);
    options
}

/// Changes in the order of their physical keys: a sorted batch goes into the memtable's skip list at half the cost.
fn in_key_order(store: StoreRef, frozen: &Frozen) -> Result<Vec<(&[u8], Option<&[u8]>)>, StateError> {
    let mut changes = Vec::with_capacity(frozen.len());
    for (key, value) in frozen.changes() {
        let bucket = if store.bucket_ms == 0 { 0 } else { bucket_of(split_window_key(key)?.1, store.bucket_ms) };
        // The first bytes as a number decide nearly always.
        let mut head = [0; 8];
        let len = key.len().min(8);
        head[..len].copy_from_slice(&key[..len]);
        changes.push((bucket, u64::from_be_bytes(head), key, value));
    }
    // A stable sort: of two changes of one key the last counts.
    changes.sort_by(|a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)));
    Ok(changes.into_iter().map(|(_, _, key, value)| (key, value)).collect())
}

fn fault(error: rocksdb::Error) -> StateError {
    match error.kind() {
        rocksdb::ErrorKind::Corruption => StateError::Corrupt(error.into_string()),
        _ => StateError::Database(error.into_string()),
    }
}

struct Rocks {
    db: DB,
    ids: Mutex<Ids>,
}

impl Rocks {
    fn family(&self, store: StoreRef) -> Result<&ColumnFamily, StateError> {
        let name = if store.bucket_ms == 0 { KV } else { WINDOW };
        self.named_family(name)
    }

    fn named_family(&self, name: &str) -> Result<&ColumnFamily, StateError> {
        self.db.cf_handle(name).ok_or_else(|| StateError::Corrupt(format!("column family {name} is missing")))
    }

    /// The physical key of a store key.
    fn row_key(&self, store: StoreRef, key: &[u8], out: &mut Vec<u8>) -> Result<(), StateError> {
        out.clear();
        if store.bucket_ms == 0 {
            out.extend(prefix(store));
        } else {
            let (_, start) = split_window_key(key)?;
            out.extend(bucket_prefix(store, bucket_of(start, store.bucket_ms)));
        }
        out.extend_from_slice(key);
        Ok(())
    }

    /// Visits physical keys in `[from, to)`, with `skip` bytes cut off in front. False when the visitor ended it.
    fn range(&self, store: StoreRef, from: &[u8], to: &[u8], skip: usize, visit: Visit<'_>) -> Result<bool, StateError> {
        let mut read = ReadOptions::default();
        read.set_iterate_upper_bound(to.to_vec());
        let mode = IteratorMode::From(from, Direction::Forward);
        for row in self.db.iterator_cf_opt(self.family(store)?, read, mode) {
            let (key, value) = row.map_err(fault)?;
            if !visit(strip(&key, skip), &value) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The first bucket at or after this one that has rows.
    fn next_bucket(&self, store: StoreRef, bucket: i64) -> Result<Option<i64>, StateError> {
        let mut found = None;
        let end = next_prefix(&prefix(store));
        self.range(store, &bucket_prefix(store, bucket), &end, PREFIX, &mut |key, _| {
            found = key.first_chunk::<8>().map(|b| (u64::from_be_bytes(*b) ^ (1 << 63)) as i64);
            false
        })?;
        Ok(found)
    }

    fn delete_range(&self, store: StoreRef, from: &[u8], to: &[u8]) -> Result<(), StateError> {
        let family = self.family(store)?;
        self.db.delete_file_in_range_cf(family, from, to).map_err(fault)?;
        let mut batch = WriteBatch::default();
        batch.delete_range_cf(family, from, to);
        self.db.write(batch).map_err(fault)
    }
}

impl Backend for Rocks {
    fn open_store(&self, name: &str, partition: u16, layout: Layout) -> Result<StoreRef, StateError> {
        let bucket_ms = match layout {
            Layout::KeyValue => 0,
            Layout::Windowed { bucket_ms } => bucket_ms.max(1),
        };
        let (id, bucket_ms) = self.ids.lock().open(&self.db, name, bucket_ms)?;
        Ok(StoreRef { id, partition, bucket_ms })
    }

    fn find_store(&self, name: &str, partition: u16) -> Result<Option<StoreRef>, StateError> {
        Ok(self.ids.lock().find(name).map(|(id, bucket_ms)| StoreRef { id, partition, bucket_ms }))
    }

    fn get(&self, store: StoreRef, key: &[u8]) -> Result<Option<Vec<u8>>, StateError> {
        let mut physical = Vec::with_capacity(key.len() + PREFIX + BUCKET);
        self.row_key(store, key, &mut physical)?;
        self.db.get_cf(self.family(store)?, physical).map_err(fault)
    }

    fn is_vacant(&self, store: StoreRef, bucket: i64) -> Result<bool, StateError> {
        let base = if store.bucket_ms == 0 { prefix(store).to_vec() } else { bucket_prefix(store, bucket).to_vec() };
        self.range(store, &base, &next_prefix(&base), base.len(), &mut |_, _| false)
    }

    fn scan(&self, store: StoreRef, from: Bound<&[u8]>, to: Bound<&[u8]>, visit: Visit<'_>) -> Result<(), StateError> {
        let mut bucket = None;
        loop {
            let base = if store.bucket_ms == 0 {
                prefix(store).to_vec()
            } else {
                let Some(found) = self.next_bucket(store, bucket.map_or(i64::MIN, |b: i64| b.saturating_add(1)))? else {
                    return Ok(());
                };
                bucket = Some(found);
                bucket_prefix(store, found).to_vec()
            };
            let low = match from {
                Bound::Included(key) => [&base, key].concat(),
                Bound::Excluded(key) => [&base, key, &[0]].concat(),
                Bound::Unbounded => base.clone(),
            };
            let high = match to {
                Bound::Included(key) => [&base, key, &[0]].concat(),
                Bound::Excluded(key) => [&base, key].concat(),
                Bound::Unbounded => next_prefix(&base),
            };
            let goes_on = low >= high || self.range(store, &low, &high, base.len(), visit)?;
            if !goes_on || bucket.is_none() || bucket == Some(i64::MAX) {
                return Ok(());
            }
        }
    }

    fn scan_windows(&self, store: StoreRef, key: &[u8], first: i64, last: i64, visit: Visit<'_>) -> Result<(), StateError> {
        let last_bucket = bucket_of(last, store.bucket_ms);
        let mut from = bucket_of(first, store.bucket_ms);
        while let Some(bucket) = self.next_bucket(store, from)?.filter(|b| *b <= last_bucket) {
            let base = bucket_prefix(store, bucket);
            let mut low = base.to_vec();
            crate::window_key(key, first, &mut low);
            let mut high = base.to_vec();
            crate::window_key(key, last, &mut high);
            high.push(0);
            let wanted = key.len() + 8;
            let mut each = |k: &[u8], v: &[u8]| k.len() != wanted || visit(k, v);
            let goes_on = low >= high || self.range(store, &low, &high, base.len(), &mut each)?;
            if !goes_on || bucket == i64::MAX {
                break;
            }
            from = bucket + 1;
        }
        Ok(())
    }

    fn apply(&self, writes: &Writes<'_>) -> Result<(), StateError> {
        let mut batch = WriteBatch::default();
        let mut key_bytes = Vec::new();
        for (store, frozen) in &writes.stores {
            let family = self.family(*store)?;
            for (key, value) in in_key_order(*store, frozen)? {
                self.row_key(*store, key, &mut key_bytes)?;
                match value {
                    Some(value) => batch.put_cf(family, &key_bytes, value),
                    None => batch.delete_cf(family, &key_bytes),
                }
            }
        }
        for (key, value) in &writes.meta {
            match value {
                Some(value) => batch.put(ids::meta_key(key), value),
                None => batch.delete(ids::meta_key(key)),
            }
        }
        self.db.write(batch).map_err(fault)
    }

    fn expire(&self, store: StoreRef, before: i64) -> Result<(), StateError> {
        if store.bucket_ms == 0 {
            return Ok(());
        }
        let end = bucket_prefix(store, bucket_of(before, store.bucket_ms));
        self.delete_range(store, &prefix(store), &end)
    }

    fn meta(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StateError> {
        self.db.get(ids::meta_key(key)).map_err(fault)
    }

    fn clear(&self, store: StoreRef) -> Result<(), StateError> {
        let start = prefix(store);
        self.delete_range(store, &start, &next_prefix(&start))
    }

    fn drop_store(&self, name: &str) -> Result<(), StateError> {
        let Some((id, bucket_ms)) = self.ids.lock().remove(&self.db, name)? else { return Ok(()) };
        let first = prefix(StoreRef { id, partition: 0, bucket_ms });
        let all = next_prefix(&first[..4]);
        self.delete_range(StoreRef { id, partition: 0, bucket_ms }, &first, &all)
    }

    fn measure(&self, store: StoreRef) -> Result<Size, StateError> {
        let from = prefix(store);
        let (to, skip) = (next_prefix(&from), if store.bucket_ms == 0 { PREFIX } else { PREFIX + BUCKET });
        let (mut size, mut last) = (Size::default(), Vec::new());
        let all = self.range(store, &from, &to, 0, &mut |key, value| {
            size.rows += 1;
            size.bytes += (key.len().saturating_sub(skip) + value.len()) as u64;
            if size.rows == SAMPLE {
                last = key.to_vec();
            }
            size.rows < SAMPLE
        })?;
        if all {
            return Ok(size);
        }
        let ranges = [rocksdb::Range::new(&from, &last), rocksdb::Range::new(&from, &to)];
        let times = match self.db.get_approximate_sizes_cf(self.family(store)?, &ranges)[..] {
            [sampled, whole] if sampled > 0 && whole > sampled => whole as f64 / sampled as f64,
            // Nothing is in files yet.
            _ => 1.0,
        };
        let scaled = |n: u64| (n as f64 * times) as u64;
        Ok(Size { rows: scaled(size.rows), bytes: scaled(size.bytes) })
    }

    fn size_bytes(&self) -> u64 {
        let live = |name| {
            let family = self.db.cf_handle(name)?;
            let files = self.db.property_int_value_cf(family, "rocksdb.live-sst-files-size").ok()??;
            let memory = self.db.property_int_value_cf(family, "rocksdb.cur-size-all-mem-tables").ok()??;
            Some(files + memory)
        };
        live(KV).unwrap_or(0) + live(WINDOW).unwrap_or(0)
    }
}
