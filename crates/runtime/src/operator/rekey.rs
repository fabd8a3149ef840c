//! New key and value columns; on a table a row whose key changes becomes the removal of the old key, then the new row.

use arrow::array::{Array, ArrayRef, UInt32Array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::concat;
use flumen_expr::Selection;
use flumen_plan::NamedExpr;
use flumen_types::{PseudoColumn, SqlType, encode_rows};

use super::{Builder, Context, Inputs, Operator};
use crate::chunk::{OldRows, mask, pick_columns};
use crate::evaluate::{Expressions, Side, bits_of, present};
use crate::{Chunk, LogEntry, LogKind, RuntimeError};

pub(super) struct Rekey {
    /// Each key column with whether it is made of value columns: then it is NULL where the row has no value.
    keys: Vec<(Expressions, bool)>,
    key_types: Vec<SqlType>,
    values: Expressions,
    drop_null_keys: bool,
    table: bool,
    keep_windows: bool,
}

impl Rekey {
    pub fn new(builder: &Builder<'_>, keys: &[NamedExpr], values: &[NamedExpr], drop_null_keys: bool) -> Result<Self, RuntimeError> {
        let schema = &builder.input(0)?.schema;
        let window_bounds = [PseudoColumn::WindowStart, PseudoColumn::WindowEnd].map(|p| schema.pseudo_index(p));
        let in_key = |c: u32| (c as usize) < schema.keys.len() || window_bounds.contains(&c);
        let key = |k: &NamedExpr| {
            let of_value = !k.expr.columns_used().into_iter().all(in_key);
            Ok((Expressions::new([&k.expr], schema, builder.registry)?, of_value))
        };
        Ok(Rekey {
            keys: keys.iter().map(key).collect::<Result<_, RuntimeError>>()?,
            key_types: keys.iter().map(|k| k.expr.ty().clone()).collect(),
            values: Expressions::new(values.iter().map(|v| &v.expr), schema, builder.registry)?,
            drop_null_keys,
            table: builder.node.table,
            keep_windows: builder.node.schema.window.is_some(),
        })
    }

    fn stream(&self, mut chunk: Chunk, ctx: &mut Context<'_>) -> Result<Chunk, RuntimeError> {
        let rows = chunk.rows();
        let selection = if self.drop_null_keys { present(&chunk, Side::New) } else { Selection::All };
        let keys = self.keys(&chunk, Side::New, &selection, ctx)?;
        let values = self.values.eval(&chunk, Side::New, &present(&chunk, Side::New), ctx)?.0;
        let known = all_known(&keys, rows);
        let deleted = chunk.deleted.clone();
        chunk.null_keys = match keys.len() {
            0 => mask(BooleanBuffer::new_set(rows)),
            // A key of several columns is never null as a whole.
            1 => mask(!&known),
            _ => None,
        };
        chunk.keys = keys;
        chunk.values = values;
        if !self.drop_null_keys {
            return Ok(chunk);
        }
        let valued = deleted.map_or_else(|| BooleanBuffer::new_set(rows), |d| !&d);
        log_dropped(&(&valued & &!&known), ctx);
        chunk.keep(&(&valued & &known))
    }

    /// Old and new rows under their keys: one change where the key stays, else first the removal and then the new row.
    fn table(&self, chunk: Chunk, ctx: &mut Context<'_>) -> Result<Chunk, RuntimeError> {
        let rows = chunk.rows();
        let (new_keys, new_known, new_values) = self.side(&chunk, Side::New, ctx)?;
        let (old_keys, old_known, old_values) = match chunk.old {
            Some(_) => self.side(&chunk, Side::Old, ctx)?,
            None => (new_keys.clone(), BooleanBuffer::new_unset(rows), new_values.clone()),
        };
        let (new_bytes, old_bytes) = (self.encode(&new_keys, rows), self.encode(&old_keys, rows));
        let mut out = Changes::default();
        for row in 0..rows {
            let (new, old) = (new_known.value(row), old_known.value(row));
            let at = row as u32;
            match (old, new) {
                (true, true) if new_bytes.key(row) == old_bytes.key(row) => out.push(at, at, Some(at), Some(at)),
                _ => {
                    if old {
                        out.push(at, at + rows as u32, None, Some(at));
                    }
                    if new {
                        out.push(at, at, Some(at), None);
                    }
                }
            }
        }
        let mut picked = chunk.pick_meta(&UInt32Array::from(out.source))?;
        let key_rows = UInt32Array::from(out.key);
        let both = |(new, old): (&ArrayRef, &ArrayRef)| Ok(concat(&[new.as_ref(), old.as_ref()])?);
        let keys = new_keys.iter().zip(&old_keys).map(both).collect::<Result<Vec<ArrayRef>, RuntimeError>>()?;
        picked.keys = pick_columns(&keys, &key_rows)?;
        picked.null_keys = None;
        picked.deleted = mask(BooleanBuffer::collect_bool(out.new.len(), |i| out.new[i].is_none()));
        let present = BooleanBuffer::collect_bool(out.old.len(), |i| out.old[i].is_some());
        picked.values = pick_columns(&new_values, &UInt32Array::from(out.new))?;
        picked.old = Some(OldRows { values: pick_columns(&old_values, &UInt32Array::from(out.old))?, present });
        Ok(picked)
    }

    /// Keys, the rows that have a value and a known key, and values of one side.
    fn side(
        &self,
        chunk: &Chunk,
        side: Side,
        ctx: &mut Context<'_>,
    ) -> Result<(Vec<ArrayRef>, BooleanBuffer, Vec<ArrayRef>), RuntimeError> {
        let rows = chunk.rows();
        let selection = present(chunk, side);
        let keys = self.keys(chunk, side, &selection, ctx)?;
        let (values, _) = self.values.eval(chunk, side, &selection, ctx)?;
        let valued = match &selection {
            Selection::All => BooleanBuffer::new_set(rows),
            Selection::Rows(selected) => bits_of(selected, rows),
        };
        let known = all_known(&keys, rows);
        log_dropped(&(&valued & &!&known), ctx);
        Ok((keys, &valued & &known, values))
    }

    fn keys(&self, chunk: &Chunk, side: Side, selection: &Selection, ctx: &mut Context<'_>) -> Result<Vec<ArrayRef>, RuntimeError> {
        let mut columns = Vec::with_capacity(self.keys.len());
        for (key, of_value) in &self.keys {
            let valued = present(chunk, side);
            columns.extend(key.eval(chunk, side, if *of_value { &valued } else { selection }, ctx)?.0);
        }
        Ok(columns)
    }

    fn encode(&self, keys: &[ArrayRef], rows: usize) -> flumen_types::KeyRows {
        encode_rows(&keys.iter().zip(&self.key_types).collect::<Vec<_>>(), rows)
    }
}

impl Operator for Rekey {
    fn process(&mut self, inputs: Inputs, ctx: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError> {
        let Some(chunk) = inputs.left else { return Ok(None) };
        let mut out = if self.table { self.table(chunk, ctx)? } else { self.stream(chunk, ctx)? };
        if !self.keep_windows {
            out.windows = None;
        }
        Ok(Some(out))
    }
}

/// Rows of the output of a table: by output row, the row it stems from and those of its key, its value and its old value.
#[derive(Default)]
struct Changes {
    source: Vec<u32>,
    key: Vec<u32>,
    new: Vec<Option<u32>>,
    old: Vec<Option<u32>>,
}

impl Changes {
    fn push(&mut self, source: u32, key: u32, new: Option<u32>, old: Option<u32>) {
        self.source.push(source);
        self.key.push(key);
        self.new.push(new);
        self.old.push(old);
    }
}

/// Set where no key column is NULL.
fn all_known(keys: &[ArrayRef], rows: usize) -> BooleanBuffer {
    let nulls = keys.iter().filter_map(|k| k.nulls());
    nulls.fold(BooleanBuffer::new_set(rows), |known, n| &known & n.inner())
}

fn log_dropped(dropped: &BooleanBuffer, ctx: &mut Context<'_>) {
    let count = dropped.count_set_bits();
    if count > 0 {
        ctx.out.log.push(LogEntry {
            node: ctx.node,
            kind: LogKind::Processing,
            target: None,
            reason: format!("an expression of the new key is NULL; {count} row(s) were left out"),
            record: None,
        });
    }
}
