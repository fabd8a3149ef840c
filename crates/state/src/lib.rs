//! State stores: what a task remembers between records.
//!
//! A [`Store`] is one task's view of one store partition: an overlay of changes and cached rows above a [`Backend`], which
//! holds only what is committed. Changes are frozen for a commit ([`Store::freeze`]), written to the changelog and, once
//! Kafka has said yes, to the backend in one atomic batch with the task's positions ([`Writes`]). Two backends, in memory
//! and on RocksDB, pass one suite of tests.

mod backend;
mod changelog;
mod error;
mod memory;
mod overlay;
mod rocks;
mod row;
mod window;

pub use backend::{Backend, Layout, Size, StoreRef, Visit, Writes};
pub use changelog::{changelog_key, parse_changelog_key, split_stored, stored_value};
pub use error::StateError;
pub use memory::memory;
pub use overlay::{Frozen, Store};
pub use rocks::{Budget, open_rocksdb};
pub use row::{RowBuilder, RowCodec};
pub use window::{bucket_of, split_window_key, window_key};
