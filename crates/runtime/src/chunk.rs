//! Rows between operators: Arrow columns and what every row carries besides.

mod pick;

use arrow::array::{Array, ArrayRef, BinaryArray, Int32Array, Int64Array};
use arrow::buffer::BooleanBuffer;

pub(crate) use pick::{pick_columns, rows_of};

/// Window bounds of rows, in milliseconds.
#[derive(Debug, Clone)]
pub struct Windows {
    /// Starts.
    pub starts: Int64Array,
    /// Ends: exclusive for time windows, inclusive for sessions.
    pub ends: Int64Array,
}

/// Where rows were read, for the pseudo columns ROWPARTITION and ROWOFFSET.
#[derive(Debug, Clone)]
pub struct Origin {
    /// Partitions.
    pub partitions: Int32Array,
    /// Offsets.
    pub offsets: Int64Array,
}

/// The rows a table change replaces.
#[derive(Debug, Clone)]
pub struct OldRows {
    /// One column per value column.
    pub values: Vec<ArrayRef>,
    /// Set where there was a row.
    pub present: BooleanBuffer,
}

/// Rows of a stream, or changes of a table. All columns are as long as `timestamps`.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// Key columns.
    pub keys: Vec<ArrayRef>,
    /// Value columns; NULL where the row has no value.
    pub values: Vec<ArrayRef>,
    /// Set where the record's key as a whole is null; `None`: nowhere.
    pub null_keys: Option<BooleanBuffer>,
    /// Set where the record's value as a whole is null: a deletion on a table. `None`: nowhere.
    pub deleted: Option<BooleanBuffer>,
    /// Tables only: the rows that were, where they are known.
    pub old: Option<OldRows>,
    /// Event times in milliseconds.
    pub timestamps: Int64Array,
    /// Bounds of the window in the key.
    pub windows: Option<Windows>,
    /// Where the rows came from; only kept when an expression reads it.
    pub origin: Option<Origin>,
    /// Raw record headers; `None` when no row has any.
    pub headers: Option<BinaryArray>,
    /// Rank of the input row each row stems from within this step, never falling.
    pub ord: Vec<u32>,
}

impl Chunk {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.timestamps.len()
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows() == 0
    }

    /// True when this row has no value.
    pub fn is_deleted(&self, row: usize) -> bool {
        self.deleted.as_ref().is_some_and(|d| d.value(row))
    }

    /// True when this row's key is null.
    pub fn has_null_key(&self, row: usize) -> bool {
        self.null_keys.as_ref().is_some_and(|n| n.value(row))
    }

    /// The headers of a row, none when empty.
    pub fn raw_headers(&self, row: usize) -> &[u8] {
        self.headers.as_ref().filter(|h| h.is_valid(row)).map(|h| h.value(row)).unwrap_or_default()
    }

    /// The rows that have a value and whose key is not null; `None` when these are all.
    pub(crate) fn complete_rows(&self) -> Option<Vec<u32>> {
        if self.deleted.is_none() && self.null_keys.is_none() {
            return None;
        }
        Some((0..self.rows() as u32).filter(|r| !self.is_deleted(*r as usize) && !self.has_null_key(*r as usize)).collect())
    }
}

/// A mask, or nothing when no bit is set.
pub(crate) fn mask(bits: BooleanBuffer) -> Option<BooleanBuffer> {
    (bits.count_set_bits() > 0).then_some(bits)
}
