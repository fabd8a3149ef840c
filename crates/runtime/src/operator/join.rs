//! Stream-table join: each row of the stream looks up the row the table has for its key at that moment.

use arrow::array::UInt32Array;
use flumen_plan::JoinKind;
use flumen_state::Store;

use super::table_rows::{TableRows, Versions};
use super::{Builder, Context, Inputs, Operator};
use crate::{Chunk, RuntimeError};

pub(super) struct StreamTableJoin {
    table: TableRows,
    /// The stream's keys are read as the table's: same types, by the plan.
    left_join: bool,
}

impl StreamTableJoin {
    pub fn new(builder: &Builder<'_>, kind: JoinKind, store: Store) -> Result<Self, RuntimeError> {
        let (left, right) = (&builder.input(0)?.schema, &builder.input(1)?.schema);
        let types = |s: &flumen_plan::RowSchema| s.keys.iter().map(|(_, ty)| ty.clone()).collect::<Vec<_>>();
        if types(left) != types(right) {
            return Err(RuntimeError::Plan("the keys of a join have different types".to_string()));
        }
        Ok(StreamTableJoin { table: TableRows::new(builder, right, store)?, left_join: kind == JoinKind::Left })
    }
}

impl Operator for StreamTableJoin {
    fn process(&mut self, inputs: Inputs, _: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError> {
        let right = inputs.right;
        let mut updates = Updates::new(&self.table, right.as_ref());
        let mut versions = Versions::new(&self.table, right.as_ref().map_or(0, Chunk::rows));
        let Some(left) = inputs.left else {
            updates.until(None, &mut self.table, &mut versions);
            return Ok(None);
        };
        let keys = self.table.keys(&left);
        let mut buffer = Vec::new();
        let (mut rows, mut matches) = (Vec::with_capacity(left.rows()), Vec::with_capacity(left.rows()));
        for row in 0..left.rows() {
            updates.until(left.ord.get(row).copied(), &mut self.table, &mut versions);
            // Rows without a value or a key join nothing, in a left join too.
            if left.is_deleted(row) || left.has_null_key(row) {
                continue;
            }
            let key = self.table.store_key(&keys, &left, row, &mut buffer);
            let found = versions.find(&mut self.table, key)?;
            if found.is_some() || self.left_join {
                rows.push(row as u32);
                matches.push(found);
            }
        }
        updates.until(None, &mut self.table, &mut versions);
        let all = rows.len() == left.rows();
        let mut out = left.keep_rows((!all).then_some(rows))?;
        let own = right.as_ref().map(|r| r.values.as_slice());
        out.values.extend(versions.columns(own, &UInt32Array::from(matches))?);
        Ok(Some(out))
    }

    fn store(&mut self) -> Option<&mut Store> {
        Some(&mut self.table.store)
    }
}

/// The table's rows of a step, applied as the stream reaches their place.
struct Updates<'a> {
    chunk: Option<&'a Chunk>,
    keys: flumen_types::KeyRows,
    next: usize,
    buffer: Vec<u8>,
}

impl<'a> Updates<'a> {
    fn new(table: &TableRows, chunk: Option<&'a Chunk>) -> Self {
        let keys = chunk.map(|c| table.keys(c)).unwrap_or_default();
        Updates { chunk, keys, next: 0, buffer: Vec::new() }
    }

    /// Applies the rows that come before a rank, all of them without one.
    fn until(&mut self, rank: Option<u32>, table: &mut TableRows, versions: &mut Versions) {
        let Some(chunk) = self.chunk else { return };
        while chunk.ord.get(self.next).is_some_and(|o| rank.is_none_or(|r| *o < r)) {
            let row = self.next;
            self.next += 1;
            if chunk.has_null_key(row) {
                continue;
            }
            let key = table.store_key(&self.keys, chunk, row, &mut self.buffer);
            versions.set(key, (!chunk.is_deleted(row)).then_some(row as u32));
            table.put(key, chunk, row);
        }
    }
}
