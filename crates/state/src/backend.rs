//! The committed state below the overlays: the trait both adapters implement.

use std::ops::Bound;

use crate::{Frozen, StateError};

/// How a store's keys are laid out; decided when the store is first opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Keys in memcomparable order.
    KeyValue,
    /// Keys are [`crate::window_key`]s, kept by time bucket so that old windows are dropped whole.
    Windowed {
        /// Width of a bucket in milliseconds, at least 1.
        bucket_ms: i64,
    },
}

/// A store partition within one data directory. Ids are never reused and mean nothing elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StoreRef {
    /// The store's id in this data directory.
    pub id: u32,
    /// The task's partition.
    pub partition: u16,
    /// Bucket width of a windowed store, 0 for a key-value store.
    pub bucket_ms: i64,
}

/// How much a store holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Rows.
    pub rows: u64,
    /// Bytes of keys and values, not compressed.
    pub bytes: u64,
}

/// Called with each key and value of a scan; false ends it.
pub type Visit<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> bool;

/// One atomic batch of a commit: the frozen changes of stores, and meta entries (positions, changelog offsets).
#[derive(Default)]
pub struct Writes<'a> {
    /// Changes by store.
    pub stores: Vec<(StoreRef, &'a Frozen)>,
    /// Meta keys with their new values, `None` to remove.
    pub meta: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

/// Committed state. Shared by all threads of a process; readers see whole batches only.
pub trait Backend: Send + Sync {
    /// The store of this full name and partition, made when new.
    fn open_store(&self, name: &str, partition: u16, layout: Layout) -> Result<StoreRef, StateError>;

    /// The store of this name and partition if it was ever opened.
    fn find_store(&self, name: &str, partition: u16) -> Result<Option<StoreRef>, StateError>;

    /// The value of a key.
    fn get(&self, store: StoreRef, key: &[u8]) -> Result<Option<Vec<u8>>, StateError>;

    /// True when a key-value store, or this time bucket of a windowed one, has no rows.
    fn is_vacant(&self, store: StoreRef, bucket: i64) -> Result<bool, StateError>;

    /// Visits a key-value store in key order; a windowed store bucket by bucket (bounds then apply to each bucket).
    fn scan(&self, store: StoreRef, from: Bound<&[u8]>, to: Bound<&[u8]>, visit: Visit<'_>) -> Result<(), StateError>;

    /// Visits the windows of one memcomparable key with `first <= start <= last`, ascending by start.
    fn scan_windows(&self, store: StoreRef, key: &[u8], first: i64, last: i64, visit: Visit<'_>) -> Result<(), StateError>;

    /// Applies a commit, all or nothing.
    fn apply(&self, writes: &Writes<'_>) -> Result<(), StateError>;

    /// Drops every bucket of a windowed store whose windows all start before this time.
    fn expire(&self, store: StoreRef, before: i64) -> Result<(), StateError>;

    /// A meta entry.
    fn meta(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StateError>;

    /// Removes all rows of a store partition; its id stays.
    fn clear(&self, store: StoreRef) -> Result<(), StateError>;

    /// Removes a store, all its partitions and its name.
    fn drop_store(&self, name: &str) -> Result<(), StateError>;

    /// Rows of a store partition and their bytes: counted when they are few, else estimated from a sample.
    fn measure(&self, store: StoreRef) -> Result<Size, StateError>;

    /// Bytes the state takes, approximately.
    fn size_bytes(&self) -> u64;
}
