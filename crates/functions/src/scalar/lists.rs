//! Elements of a chunk's arrays or maps laid out one after the other, so that a lambda runs over all of them at once.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, MapArray, StructArray, UInt32Array};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::take;
use arrow::datatypes::DataType;
use flumen_expr::ExprError;
use flumen_expr::function::CallArgs;
use flumen_types::{SqlType, arrow_type};

/// The elements of the rows to compute: their place in the child arrays, and their row.
pub(super) struct Elements {
    pub places: Vec<u32>,
    pub rows: Vec<u32>,
}

impl Elements {
    /// Those of the rows to compute whose collection is not NULL.
    pub fn of(call: &CallArgs<'_>, collection: &ArrayRef) -> Result<Elements, ExprError> {
        let offsets = offsets(collection)?;
        let mut elements = Elements { places: Vec::new(), rows: Vec::new() };
        call.each_row(|row| {
            if let (true, Some([start, end])) = (collection.is_valid(row), offsets.get(row..row + 2)) {
                for place in *start..*end {
                    elements.places.push(place as u32);
                    elements.rows.push(row as u32);
                }
            }
        });
        Ok(elements)
    }

    /// The elements themselves, from a child array of the collection.
    pub fn take(&self, child: &ArrayRef) -> Result<ArrayRef, ExprError> {
        take(child, &UInt32Array::from(self.places.clone()), None).map_err(internal)
    }
}

fn offsets(collection: &ArrayRef) -> Result<&[i32], ExprError> {
    match collection.data_type() {
        DataType::List(_) => Ok(collection.as_list::<i32>().value_offsets()),
        DataType::Map(..) => Ok(collection.as_map().value_offsets()),
        other => Err(ExprError::user(format!("a collection was expected, not {other}"))),
    }
}

/// The child array of a list, or the keys and values of a map.
pub(super) fn children(collection: &ArrayRef) -> Result<Vec<ArrayRef>, ExprError> {
    match collection.data_type() {
        DataType::List(_) => Ok(vec![collection.as_list::<i32>().values().clone()]),
        DataType::Map(..) => {
            let map = collection.as_map();
            Ok(vec![map.keys().clone(), map.values().clone()])
        }
        other => Err(ExprError::user(format!("a collection was expected, not {other}"))),
    }
}

/// Builds the resulting collections: `rows` gives the row of each element, ascending; a row is NULL unless `present`.
pub(super) fn collect(
    ty: &SqlType,
    rows: &[u32],
    count: usize,
    present: impl Fn(usize) -> bool,
    mut children: Vec<ArrayRef>,
) -> Result<ArrayRef, ExprError> {
    let mut ends = Vec::with_capacity(count + 1);
    ends.push(0i32);
    let mut at = 0;
    for row in 0..count {
        while rows.get(at).is_some_and(|r| *r as usize <= row) {
            at += 1;
        }
        ends.push(at as i32);
    }
    let offsets = OffsetBuffer::new(ends.into());
    let nulls = Some(NullBuffer::from_iter((0..count).map(present)));
    match (arrow_type(ty), children.len()) {
        (DataType::List(item), 1) => {
            let list = ListArray::try_new(item, offsets, children.remove(0), nulls).map_err(internal)?;
            Ok(Arc::new(list))
        }
        (DataType::Map(entry, sorted), 2) => {
            let DataType::Struct(fields) = entry.data_type() else { return Err(ExprError::user("a map without entries")) };
            let entries = StructArray::try_new(fields.clone(), children, None).map_err(internal)?;
            Ok(Arc::new(MapArray::try_new(entry, offsets, entries, nulls, sorted).map_err(internal)?))
        }
        (other, _) => Err(ExprError::user(format!("a collection was expected, not {other}"))),
    }
}

pub(super) fn internal(error: arrow::error::ArrowError) -> ExprError {
    ExprError::user(error.to_string())
}
