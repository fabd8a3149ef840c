//! A table's rows in a store, and the versions of them that one step sees.

use std::collections::HashMap;

use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute::concat;
use flumen_state::{RowBuilder, RowCodec, Store, split_stored, stored_value, window_key};
use flumen_types::{KeyRows, SqlType, encode_rows};

use super::Builder;
use crate::chunk::pick_columns;
use crate::{Chunk, RuntimeError};
use flumen_plan::RowSchema;
use flumen_types::WindowKind;

/// The store of a table: memcomparable key (and window start) to the row's bytes.
pub(super) struct TableRows {
    pub store: Store,
    key_types: Vec<SqlType>,
    codec: RowCodec,
    windowed: bool,
    value: Vec<u8>,
    body: Vec<u8>,
}

impl TableRows {
    pub fn new(builder: &Builder<'_>, schema: &RowSchema, store: Store) -> Result<Self, RuntimeError> {
        if schema.window == Some(WindowKind::Session) {
            let node = builder.node.id.0;
            return Err(RuntimeError::Unsupported(format!("keeping a table with session windows in a store (node {node})")));
        }
        Ok(TableRows {
            store,
            key_types: schema.keys.iter().map(|(_, ty)| ty.clone()).collect(),
            codec: RowCodec::new(schema.values.iter().map(|(_, ty)| ty.clone()).collect()),
            windowed: schema.window.is_some(),
            value: Vec::new(),
            body: Vec::new(),
        })
    }

    /// The store keys of a chunk's rows.
    pub fn keys(&self, chunk: &Chunk) -> KeyRows {
        let columns: Vec<(&ArrayRef, &SqlType)> = chunk.keys.iter().zip(&self.key_types).collect();
        encode_rows(&columns, chunk.rows())
    }

    /// The key of one row as its store has it.
    pub fn store_key<'a>(&self, keys: &'a KeyRows, chunk: &Chunk, row: usize, buffer: &'a mut Vec<u8>) -> &'a [u8] {
        match &chunk.windows {
            Some(windows) if self.windowed => {
                buffer.clear();
                window_key(keys.key(row), windows.starts.value(row), buffer);
                buffer
            }
            _ => keys.key(row),
        }
    }

    /// Stores a row of a chunk, or deletes its key.
    pub fn put(&mut self, key: &[u8], chunk: &Chunk, row: usize) {
        if chunk.is_deleted(row) {
            self.store.put(key, None);
            return;
        }
        self.body.clear();
        self.codec.encode(&chunk.values, row, &mut self.body);
        self.value.clear();
        stored_value(chunk.timestamps.value(row), &self.body, &mut self.value);
        self.store.put(key, Some(&self.value));
    }
}

/// The rows of a table during one step: those of the step's own chunk, then those read from the store.
pub(super) struct Versions {
    current: HashMap<Box<[u8]>, Option<u32>, ahash::RandomState>,
    read_rows: RowBuilder,
    own: u32,
    read: u32,
}

impl Versions {
    /// No key looked at yet; the step's chunk has `own` rows.
    pub fn new(table: &TableRows, own: usize) -> Self {
        Versions {
            current: HashMap::with_hasher(ahash::RandomState::with_seeds(1, 2, 3, 4)),
            read_rows: RowBuilder::new(&table.codec),
            own: own as u32,
            read: 0,
        }
    }

    /// The number of the row that a key has now, for [`Versions::columns`].
    pub fn find(&mut self, table: &mut TableRows, key: &[u8]) -> Result<Option<u32>, RuntimeError> {
        if let Some(found) = self.current.get(key) {
            return Ok(*found);
        }
        let found = match table.store.get(key)? {
            None => None,
            Some(stored) => {
                let (_, body) = split_stored(stored)?;
                self.read_rows.append(body)?;
                self.read += 1;
                Some(self.own + self.read - 1)
            }
        };
        self.current.insert(key.into(), found);
        Ok(found)
    }

    /// From here on a key has this row of the chunk, or none.
    pub fn set(&mut self, key: &[u8], row: Option<u32>) {
        match self.current.get_mut(key) {
            Some(current) => *current = row,
            None => {
                self.current.insert(key.into(), row);
            }
        }
    }

    /// The value columns of numbered rows; NULLs where there is none. `own` are the chunk's columns.
    pub fn columns(mut self, own: Option<&[ArrayRef]>, rows: &UInt32Array) -> Result<Vec<ArrayRef>, RuntimeError> {
        let read = self.read_rows.finish();
        let all = match own {
            None => read,
            Some(own) if self.read == 0 => own.to_vec(),
            Some(own) => {
                let both = |(a, b): (&ArrayRef, &ArrayRef)| Ok(concat(&[a.as_ref(), b.as_ref()])?);
                own.iter().zip(&read).map(both).collect::<Result<_, RuntimeError>>()?
            }
        };
        pick_columns(&all, rows)
    }
}
