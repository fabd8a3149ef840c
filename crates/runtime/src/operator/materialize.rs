//! Keeps a table's rows in a store and tells each change the row it replaces.

use arrow::array::{Array, UInt32Array};
use arrow::buffer::BooleanBuffer;
use flumen_state::Store;

use super::table_rows::{TableRows, Versions};
use super::{Builder, Context, Inputs, Operator};
use crate::chunk::OldRows;
use crate::{Chunk, RuntimeError};

pub(super) struct Materialize {
    table: TableRows,
    old: bool,
}

impl Materialize {
    pub fn new(builder: &Builder<'_>, store: Store) -> Result<Self, RuntimeError> {
        let table = TableRows::new(builder, &builder.input(0)?.schema, store)?;
        Ok(Materialize { table, old: builder.needs.old(builder.node.id) })
    }
}

impl Operator for Materialize {
    fn process(&mut self, inputs: Inputs, _: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError> {
        let Some(mut chunk) = inputs.left else { return Ok(None) };
        let keys = self.table.keys(&chunk);
        let mut versions = Versions::new(&self.table, chunk.rows());
        let mut old = Vec::with_capacity(chunk.rows());
        let mut buffer = Vec::new();
        for row in 0..chunk.rows() {
            if chunk.has_null_key(row) {
                old.push(None);
                continue;
            }
            let key = self.table.store_key(&keys, &chunk, row, &mut buffer);
            if self.old {
                old.push(versions.find(&mut self.table, key)?);
                versions.set(key, (!chunk.is_deleted(row)).then_some(row as u32));
            }
            self.table.put(key, &chunk, row);
        }
        if self.old {
            let rows = UInt32Array::from(old);
            let present = BooleanBuffer::collect_bool(rows.len(), |i| rows.is_valid(i));
            chunk.old = Some(OldRows { values: versions.columns(Some(&chunk.values), &rows)?, present });
        }
        Ok(Some(chunk))
    }

    fn store(&mut self) -> Option<&mut Store> {
        Some(&mut self.table.store)
    }
}
