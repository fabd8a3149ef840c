//! Elements of ARRAY, MAP and STRUCT, and their constructors.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, ListArray, MapArray, StructArray, UInt32Array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{interleave, take};
use arrow::datatypes::{DataType, Int64Type};
use flumen_types::{ColumnBuilder, SqlType, Value, arrow_type, value_at};

use super::node::{Cx, Node};
use super::operand::Operand;
use super::{Selection, compare, internal, null_where, values_equal};
use crate::{ExprError, Failures};

fn wrong(operand: &Operand, wanted: &str) -> ExprError {
    ExprError::User(format!("a column of type {} came where {wanted} was expected", operand.array().data_type()))
}

/// `base[index]`; NULL where there is no such element.
pub(super) fn subscript(base: &Operand, index: &Operand, base_type: &SqlType, rows: usize) -> Result<Operand, ExprError> {
    let (values, places) = match base_type {
        SqlType::Array(_) => {
            let list = base.array().as_list_opt::<i32>().ok_or_else(|| wrong(base, "ARRAY"))?;
            let numbers = index.numbers::<Int64Type>()?;
            let offsets = list.value_offsets();
            let place = |row: usize| {
                let at = base.index(row);
                if list.is_null(at) || index.is_null(row) {
                    return None;
                }
                let (start, len) = (offsets[at], (offsets[at + 1] - offsets[at]) as i64);
                let position = numbers.at(row);
                let from_zero = if position < 0 { len.checked_add(position)? } else { position - 1 };
                (0..len).contains(&from_zero).then(|| start as u32 + from_zero as u32)
            };
            (list.values().clone(), (0..rows).map(place).collect::<UInt32Array>())
        }
        SqlType::Map(key_type, _) => {
            let map = base.array().as_map_opt().ok_or_else(|| wrong(base, "MAP"))?;
            (map.values().clone(), map_places(map, base, index, key_type, rows))
        }
        _ => return Err(wrong(base, "ARRAY or MAP")),
    };
    Ok(Operand::Column(take(&values, &places, None).map_err(internal)?))
}

fn map_places(map: &MapArray, base: &Operand, index: &Operand, key_type: &SqlType, rows: usize) -> UInt32Array {
    let offsets = map.value_offsets();
    let entries = |row: usize| {
        let at = base.index(row);
        let present = map.is_valid(at) && !index.is_null(row);
        present.then(|| offsets[at] as usize..offsets[at + 1] as usize)
    };
    match (map.keys().as_string_opt::<i32>(), index.array().as_string_opt::<i32>()) {
        (Some(keys), Some(wanted)) => (0..rows)
            .map(|row| {
                let text = wanted.value(index.index(row));
                entries(row)?.find(|e| keys.value(*e) == text).map(|e| e as u32)
            })
            .collect(),
        _ => (0..rows)
            .map(|row| {
                let key = value_at(index.array().as_ref(), key_type, index.index(row));
                entries(row)?.find(|e| values_equal(&value_at(map.keys().as_ref(), key_type, *e), &key)).map(|e| e as u32)
            })
            .collect(),
    }
}

/// `base->field`; NULL where the struct is.
pub(super) fn field(base: &Operand, index: usize) -> Result<Operand, ExprError> {
    let structs = base.array().as_struct_opt().ok_or_else(|| wrong(base, "STRUCT"))?;
    let column = structs.columns().get(index).ok_or_else(|| wrong(base, "a STRUCT with more fields"))?;
    let column = match structs.nulls() {
        Some(nulls) if nulls.null_count() > 0 => null_where(column, &BooleanArray::new(!nulls.inner(), None))?,
        _ => column.clone(),
    };
    Ok(if base.is_constant() { Operand::Constant(column) } else { Operand::Column(column) })
}

/// An element of a constructor: where it fails it alone is NULL, and the error is noted.
fn element(node: &Node, cx: &Cx<'_>, selection: &Selection, failures: &mut Failures) -> Result<Operand, ExprError> {
    let mut own = Failures::new(cx.rows);
    let value = node.eval(cx, selection, &mut own)?;
    for (row, text) in own.messages().iter().chain(own.notes()) {
        failures.note(*row as usize, || text.clone());
    }
    match own.bitmap() {
        Some(failed) => Ok(Operand::Column(null_where(&value.into_rows(cx.rows)?, &failed)?)),
        None => Ok(value),
    }
}

fn elements(nodes: &[Node], cx: &Cx<'_>, selection: &Selection, failures: &mut Failures) -> Result<Vec<Operand>, ExprError> {
    nodes.iter().map(|node| element(node, cx, selection, failures)).collect()
}

/// One column with the elements of row 0, then those of row 1, …
fn interleaved(elements: &[Operand], rows: usize) -> Result<ArrayRef, ExprError> {
    let arrays: Vec<&dyn Array> = elements.iter().map(|e| e.array().as_ref()).collect();
    let places: Vec<(usize, usize)> = (0..rows).flat_map(|row| elements.iter().enumerate().map(move |(i, e)| (i, e.index(row)))).collect();
    interleave(&arrays, &places).map_err(internal)
}

fn even_offsets(rows: usize, each: usize) -> Result<OffsetBuffer<i32>, ExprError> {
    if i32::try_from(rows.saturating_mul(each)).is_err() {
        return Err(ExprError::user("a chunk's ARRAYs or MAPs have more than 2,147,483,647 elements"));
    }
    Ok(OffsetBuffer::from_lengths(std::iter::repeat_n(each, rows)))
}

pub(super) fn array(
    items: &[Node],
    ty: &SqlType,
    cx: &Cx<'_>,
    selection: &Selection,
    failures: &mut Failures,
) -> Result<Operand, ExprError> {
    let DataType::List(item) = arrow_type(ty) else { return Err(ExprError::user("an ARRAY of another type")) };
    let offsets = even_offsets(cx.rows, items.len())?;
    let items = elements(items, cx, selection, failures)?;
    let list = ListArray::try_new(item, offsets, interleaved(&items, cx.rows)?, None).map_err(internal)?;
    Ok(Operand::Column(Arc::new(list)))
}

pub(super) fn structure(
    values: &[Node],
    ty: &SqlType,
    cx: &Cx<'_>,
    selection: &Selection,
    failures: &mut Failures,
) -> Result<Operand, ExprError> {
    let DataType::Struct(fields) = arrow_type(ty) else { return Err(ExprError::user("a STRUCT of another type")) };
    if fields.is_empty() {
        return Ok(Operand::Column(Arc::new(StructArray::new_empty_fields(cx.rows, None))));
    }
    let columns = elements(values, cx, selection, failures)?;
    let columns = columns.into_iter().map(|c| c.into_rows(cx.rows)).collect::<Result<Vec<_>, _>>()?;
    Ok(Operand::Column(Arc::new(StructArray::try_new(fields, columns, None).map_err(internal)?)))
}

pub(super) fn map(
    keys: &[Node],
    values: &[Node],
    ty: &SqlType,
    cx: &Cx<'_>,
    selection: &Selection,
    failures: &mut Failures,
) -> Result<Operand, ExprError> {
    let (SqlType::Map(key_type, value_type), DataType::Map(entries_field, _)) = (ty, arrow_type(ty)) else {
        return Err(ExprError::user("a MAP of another type"));
    };
    let keys = elements(keys, cx, selection, failures)?;
    let values = elements(values, cx, selection, failures)?;
    if distinct_constants(&keys, key_type) {
        let DataType::Struct(fields) = entries_field.data_type() else { return Err(ExprError::user("a MAP of another type")) };
        let columns = vec![interleaved(&keys, cx.rows)?, interleaved(&values, cx.rows)?];
        let entries = StructArray::try_new(fields.clone(), columns, None).map_err(internal)?;
        let offsets = even_offsets(cx.rows, keys.len())?;
        let map = MapArray::try_new(entries_field, offsets, entries, None, false).map_err(internal)?;
        return Ok(Operand::Column(Arc::new(map)));
    }
    let mut out = ColumnBuilder::new(ty);
    let mut next = 0;
    let mut problem = None;
    selection.each(cx.rows, |row| {
        (next..row).for_each(|_| out.append_null());
        next = row + 1;
        let mut entries: Vec<(Value, Value)> = Vec::with_capacity(keys.len());
        for (k, v) in keys.iter().zip(&values) {
            let key = match value_at(k.array().as_ref(), key_type, k.index(row)) {
                // Formats write the NULL key that ksqlDB's maps may have as this text.
                Value::Null if **key_type == SqlType::String => Value::from("null"),
                key => key,
            };
            let value = value_at(v.array().as_ref(), value_type, v.index(row));
            match entries.iter_mut().find(|(known, _)| values_equal(known, &key)) {
                Some(entry) => entry.1 = value,
                None => entries.push((key, value)),
            }
        }
        if entries.iter().any(|(k, _)| k.is_null()) {
            failures.fail(row, || "a key of MAP is NULL".to_string());
            out.append_null();
        } else if let Err(error) = out.append(&Value::Map(entries)) {
            problem = Some(error);
        }
    });
    if let Some(error) = problem {
        return Err(error.into());
    }
    (next..cx.rows).for_each(|_| out.append_null());
    Ok(Operand::Column(out.finish()))
}

fn distinct_constants(keys: &[Operand], key_type: &SqlType) -> bool {
    if !keys.iter().all(|k| k.is_constant() && k.array().is_valid(0)) {
        return false;
    }
    let values: Vec<Value> = keys.iter().map(|k| value_at(k.array().as_ref(), key_type, 0)).collect();
    values.iter().enumerate().all(|(i, a)| values.iter().skip(i + 1).all(|b| !compare::values_equal(a, b)))
}
