//! ARRAY, MAP and STRUCT, element by element; an element that fails fails its row.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, MapArray, StructArray};
use arrow::datatypes::{DataType, Field as ArrowField, Fields};
use flumen_types::{Field, SqlType, arrow_type, null_column};

use super::super::{Selection, internal};
use super::cast_array;
use crate::{ExprError, Failures};

fn wrong(array: &ArrayRef) -> ExprError {
    ExprError::User(format!("a column of type {} came to a CAST made for another", array.data_type()))
}

/// The elements of the selected rows and the row of each.
fn elements(array: &ArrayRef, offsets: &[i32], selection: &Selection) -> (Selection, Vec<(u32, u32)>) {
    let mut rows = Vec::new();
    let mut selected = Vec::new();
    selection.each(array.len(), |row| {
        if array.is_valid(row) {
            for element in offsets[row]..offsets[row + 1] {
                selected.push(element as u32);
                rows.push((element as u32, row as u32));
            }
        }
    });
    (Selection::Rows(selected), rows)
}

fn cast_elements(
    values: &ArrayRef,
    (from, to): (&SqlType, &SqlType),
    selected: &Selection,
    rows: &[(u32, u32)],
    failures: &mut Failures,
) -> Result<ArrayRef, ExprError> {
    let mut inner = Failures::new(values.len());
    let out = cast_array(values, from, to, selected, &mut inner)?;
    let row_of = |element: usize| match rows.binary_search_by_key(&(element as u32), |(e, _)| *e) {
        Ok(at) => rows[at].1 as usize,
        Err(_) => 0,
    };
    failures.absorb(inner, row_of);
    Ok(out)
}

pub(super) fn list(
    array: &ArrayRef,
    (from, to): (&SqlType, &SqlType),
    target: &SqlType,
    selection: &Selection,
    failures: &mut Failures,
) -> Result<ArrayRef, ExprError> {
    let (Some(list), DataType::List(field)) = (array.as_list_opt::<i32>(), arrow_type(target)) else {
        return Err(wrong(array));
    };
    let (selected, rows) = elements(array, list.value_offsets(), selection);
    let values = cast_elements(list.values(), (from, to), &selected, &rows, failures)?;
    let cast = ListArray::try_new(field, list.offsets().clone(), values, list.nulls().cloned());
    Ok(Arc::new(cast.map_err(internal)?))
}

pub(super) fn map(
    array: &ArrayRef,
    (key_from, value_from): (&SqlType, &SqlType),
    (key_to, value_to): (&SqlType, &SqlType),
    target: &SqlType,
    selection: &Selection,
    failures: &mut Failures,
) -> Result<ArrayRef, ExprError> {
    let (Some(map), DataType::Map(field, _)) = (array.as_map_opt(), arrow_type(target)) else {
        return Err(wrong(array));
    };
    let DataType::Struct(fields) = field.data_type().clone() else { return Err(wrong(array)) };
    let (selected, rows) = elements(array, map.value_offsets(), selection);
    // Keys are cast everywhere: none may be left NULL, or the array could not be built.
    let keys = if key_from == key_to {
        map.keys().clone()
    } else {
        let cast = cast_elements(map.keys(), (key_from, key_to), &Selection::All, &all_rows(map), failures)?;
        if cast.null_count() > 0 {
            return Err(ExprError::unsupported(format!("a CAST of keys from {key_from} to {key_to} where one does not convert")));
        }
        cast
    };
    let values = cast_elements(map.values(), (value_from, value_to), &selected, &rows, failures)?;
    let entries = StructArray::try_new(fields, vec![keys, values], None).map_err(internal)?;
    let cast = MapArray::try_new(field, map.offsets().clone(), entries, map.nulls().cloned(), false);
    Ok(Arc::new(cast.map_err(internal)?))
}

fn all_rows(map: &MapArray) -> Vec<(u32, u32)> {
    let offsets = map.value_offsets();
    (0..map.len()).flat_map(|row| (offsets[row]..offsets[row + 1]).map(move |e| (e as u32, row as u32))).collect()
}

pub(super) fn structure(
    array: &ArrayRef,
    from: &[Field],
    to: &[Field],
    selection: &Selection,
    failures: &mut Failures,
) -> Result<ArrayRef, ExprError> {
    let Some(structs) = array.as_struct_opt() else { return Err(wrong(array)) };
    let rows = array.len();
    if to.is_empty() {
        return Ok(Arc::new(StructArray::new_empty_fields(rows, structs.nulls().cloned())));
    }
    let present = selection.narrow(rows, |row| structs.is_valid(row));
    let mut columns = Vec::with_capacity(to.len());
    for field in to {
        let known = from.iter().zip(structs.columns()).find(|(f, _)| f.name == field.name);
        columns.push(match known {
            Some((f, column)) => cast_array(column, &f.ty, &field.ty, &present, failures)?,
            None => null_column(&field.ty, rows),
        });
    }
    let fields: Fields = to.iter().map(|f| ArrowField::new(&f.name, arrow_type(&f.ty), true)).collect();
    Ok(Arc::new(StructArray::try_new(fields, columns, structs.nulls().cloned()).map_err(internal)?))
}
