//! Choosing rows of a chunk.

use arrow::array::{ArrayRef, AsArray, BinaryArray, PrimitiveArray, UInt32Array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::take;
use arrow::datatypes::{ArrowPrimitiveType, Int64Type};

use super::{Chunk, OldRows, Origin, Windows, mask};
use crate::RuntimeError;

/// The bits of these rows.
pub(crate) fn pick_bits(bits: &BooleanBuffer, rows: &UInt32Array) -> BooleanBuffer {
    let rows = rows.values();
    BooleanBuffer::collect_bool(rows.len(), |i| bits.value(rows[i] as usize))
}

/// The set bits as row numbers.
pub(crate) fn rows_of(bits: &BooleanBuffer) -> Vec<u32> {
    bits.set_indices().map(|i| i as u32).collect()
}

/// These rows of each column; a NULL row number gives NULL.
pub(crate) fn pick_columns(columns: &[ArrayRef], rows: &UInt32Array) -> Result<Vec<ArrayRef>, RuntimeError> {
    columns.iter().map(|c| Ok(take(c.as_ref(), rows, None)?)).collect()
}

fn pick_primitive<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, rows: &UInt32Array) -> Result<PrimitiveArray<T>, RuntimeError> {
    Ok(take(array, rows, None)?.as_primitive::<T>().clone())
}

fn pick_headers(headers: &BinaryArray, rows: &UInt32Array) -> Result<BinaryArray, RuntimeError> {
    Ok(take(headers, rows, None)?.as_binary::<i32>().clone())
}

impl Chunk {
    /// These rows, in this order; one may be named more than once. `ord` follows its row.
    ///
    /// # Errors
    /// A row number that is not below [`Chunk::rows`].
    pub fn pick(&self, rows: &UInt32Array) -> Result<Chunk, RuntimeError> {
        let mut picked = self.pick_meta(rows)?;
        picked.values = pick_columns(&self.values, rows)?;
        picked.deleted = self.deleted.as_ref().and_then(|d| mask(pick_bits(d, rows)));
        if let Some(old) = &self.old {
            picked.old = Some(OldRows { values: pick_columns(&old.values, rows)?, present: pick_bits(&old.present, rows) });
        }
        Ok(picked)
    }

    /// Keys and what a row carries besides its value, for these rows; without values, deletions and old rows.
    pub(crate) fn pick_meta(&self, rows: &UInt32Array) -> Result<Chunk, RuntimeError> {
        let count = self.rows();
        if rows.values().iter().any(|r| *r as usize >= count) {
            return Err(RuntimeError::Internal(format!("a row beyond the {count} of a chunk was asked for")));
        }
        let windows = match &self.windows {
            Some(w) => Some(Windows { starts: pick_primitive(&w.starts, rows)?, ends: pick_primitive(&w.ends, rows)? }),
            None => None,
        };
        let origin = match &self.origin {
            Some(o) => {
                let partitions = pick_primitive(&o.partitions, rows)?;
                Some(Origin { partitions, offsets: pick_primitive(&o.offsets, rows)? })
            }
            None => None,
        };
        Ok(Chunk {
            keys: pick_columns(&self.keys, rows)?,
            values: Vec::new(),
            null_keys: self.null_keys.as_ref().and_then(|n| mask(pick_bits(n, rows))),
            deleted: None,
            old: None,
            timestamps: pick_primitive::<Int64Type>(&self.timestamps, rows)?,
            windows,
            origin,
            headers: self.headers.as_ref().map(|h| pick_headers(h, rows)).transpose()?,
            ord: rows.values().iter().filter_map(|r| self.ord.get(*r as usize).copied()).collect(),
        })
    }

    /// The rows whose bit is set, in order.
    ///
    /// # Errors
    /// None for bits as long as the chunk.
    pub fn keep(self, bits: &BooleanBuffer) -> Result<Chunk, RuntimeError> {
        if bits.count_set_bits() == self.rows() && bits.len() == self.rows() {
            return Ok(self);
        }
        self.pick(&UInt32Array::from(rows_of(bits)))
    }

    /// These rows in order, or all of them.
    pub(crate) fn keep_rows(self, rows: Option<Vec<u32>>) -> Result<Chunk, RuntimeError> {
        match rows {
            Some(rows) => self.pick(&UInt32Array::from(rows)),
            None => Ok(self),
        }
    }
}
