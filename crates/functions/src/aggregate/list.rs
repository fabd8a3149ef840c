//! Building ARRAY results of cells.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ListArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::Field;

use super::cell::{Cell, load_count, save_count};

/// A column of arrays under construction; no array is NULL.
pub(super) struct Lists<C: Cell> {
    ends: Vec<i32>,
    last: i32,
    items: C::Builder,
}

impl<C: Cell> Lists<C> {
    pub fn new(cell: &C) -> Self {
        Lists { ends: vec![0], last: 0, items: cell.builder() }
    }

    /// Appends an array.
    pub fn append<'a>(&mut self, cell: &C, items: impl Iterator<Item = Option<&'a C::Owned>>) {
        for item in items {
            cell.append(&mut self.items, item);
            self.last = self.last.saturating_add(1);
        }
        self.ends.push(self.last);
    }

    pub fn finish(self, cell: &C) -> ArrayRef {
        let items = cell.finish(self.items);
        let field = Arc::new(Field::new("item", items.data_type().clone(), true));
        Arc::new(ListArray::new(field, OffsetBuffer::new(self.ends.into()), items, None))
    }
}

/// Saves values that may be NULL: their number, then each.
pub(super) fn save_items<C: Cell>(cell: &C, items: &[Option<C::Owned>], out: &mut Vec<u8>) {
    save_count(items.len(), out);
    for item in items {
        cell.save_option(item.as_ref(), out);
    }
}

/// Loads what `save_items` wrote.
pub(super) fn load_items<C: Cell>(cell: &C, bytes: &mut &[u8]) -> Option<Vec<Option<C::Owned>>> {
    let count = load_count(bytes)?;
    (0..count).map(|_| cell.load_option(bytes)).collect()
}
