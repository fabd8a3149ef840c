//! Numbers to numbers, as Java narrows and rounds them.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::{Decimal128Type, Float64Type, Int32Type, Int64Type};
use flumen_types::{Decimal, SqlType};

use super::super::Selection;
use super::super::decimal::{Decimals, array_of, narrow_array, power};
use super::super::operand::Operand;
use super::primitive;
use crate::{ExprError, Failures, implicit_distance};

pub(super) fn cast(
    array: &ArrayRef,
    from: &SqlType,
    to: &SqlType,
    selection: &Selection,
    failures: &mut Failures,
) -> Result<ArrayRef, ExprError> {
    use SqlType::{Bigint, Decimal as Dec, Double, Integer};
    Ok(match (from, to) {
        (Integer, Bigint) => Arc::new(primitive::<Int32Type>(array)?.unary::<_, Int64Type>(|v| v as i64)),
        (Integer, Double) => Arc::new(primitive::<Int32Type>(array)?.unary::<_, Float64Type>(|v| v as f64)),
        (Bigint, Integer) => Arc::new(primitive::<Int64Type>(array)?.unary::<_, Int32Type>(|v| v as i32)),
        (Bigint, Double) => Arc::new(primitive::<Int64Type>(array)?.unary::<_, Float64Type>(|v| v as f64)),
        (Double, Integer) => Arc::new(primitive::<Float64Type>(array)?.unary::<_, Int32Type>(|v| v as i32)),
        (Double, Bigint) => Arc::new(primitive::<Float64Type>(array)?.unary::<_, Int64Type>(|v| v as i64)),
        (Integer, Dec { precision, scale }) => {
            let numbers = primitive::<Int32Type>(array)?;
            let wide = numbers.values().iter().map(|v| *v as i64);
            whole_to_decimal(array, wide, (*precision, *scale), implicit_distance(from, to).is_some(), selection, failures)
        }
        (Bigint, Dec { precision, scale }) => {
            let numbers = primitive::<Int64Type>(array)?;
            let wide = numbers.values().iter().copied();
            whole_to_decimal(array, wide, (*precision, *scale), implicit_distance(from, to).is_some(), selection, failures)
        }
        (Double, Dec { precision, scale }) => {
            let numbers = primitive::<Float64Type>(array)?;
            fitted(array, (*precision, *scale), selection, failures, |row| Decimal::from_f64(numbers.value(row)).map_err(|e| e.to_string()))
        }
        (Dec { .. }, _) => from_decimal(array, from, to, selection, failures)?,
        _ => return Err(ExprError::user(format!("Cast of {from} to {to} is not supported."))),
    })
}

fn whole_to_decimal(
    array: &ArrayRef,
    numbers: impl Iterator<Item = i64>,
    (precision, scale): (u8, u8),
    has_room: bool,
    selection: &Selection,
    failures: &mut Failures,
) -> ArrayRef {
    if let (true, true, Some(factor)) = (has_room, precision <= 38, power(scale)) {
        let values = numbers.map(|v| v as i128 * factor).collect();
        return narrow_array(values, (precision, scale), array.nulls().cloned());
    }
    let numbers: Vec<i64> = numbers.collect();
    fitted(array, (precision, scale), selection, failures, |row| Ok(Decimal::from_i64(numbers[row])))
}

/// Decimals of the selected rows, rounded half up to the type; those that do not fit fail.
fn fitted(
    array: &ArrayRef,
    (precision, scale): (u8, u8),
    selection: &Selection,
    failures: &mut Failures,
    value: impl Fn(usize) -> Result<Decimal, String>,
) -> ArrayRef {
    let mut values = vec![None; array.len()];
    selection.each(array.len(), |row| {
        if array.is_valid(row) {
            match value(row).and_then(|d| d.fit(precision, scale).map_err(|e| e.to_string())) {
                Ok(d) => values[row] = Some(d),
                Err(text) => failures.fail(row, || text),
            }
        }
    });
    array_of(&values, (precision, scale))
}

fn from_decimal(
    array: &ArrayRef,
    from: &SqlType,
    to: &SqlType,
    selection: &Selection,
    failures: &mut Failures,
) -> Result<ArrayRef, ExprError> {
    let operand = Operand::Column(array.clone());
    let decimals = Decimals::of(&operand)?;
    let present = |row: usize| array.is_valid(row).then(|| decimals.at(row));
    let rows = 0..array.len();
    Ok(match to {
        SqlType::Integer => {
            Arc::new(rows.map(|row| present(row).map(|d| d.to_i64_wrapping() as i32)).collect::<arrow::array::Int32Array>())
        }
        SqlType::Bigint => Arc::new(rows.map(|row| present(row).map(|d| d.to_i64_wrapping())).collect::<arrow::array::Int64Array>()),
        SqlType::Double => Arc::new(rows.map(|row| present(row).map(|d| to_double(&d))).collect::<arrow::array::Float64Array>()),
        SqlType::Decimal { precision, scale } => {
            let narrow = *precision <= 38 && decimals.narrow().is_some() && implicit_distance(from, to).is_some();
            match scale.checked_sub(decimals.scale).and_then(power) {
                Some(factor) if narrow => {
                    let values = primitive::<Decimal128Type>(array)?.values().iter().map(|v| v.wrapping_mul(factor));
                    narrow_array(values.collect(), (*precision, *scale), array.nulls().cloned())
                }
                _ => fitted(array, (*precision, *scale), selection, failures, |row| Ok(decimals.at(row))),
            }
        }
        other => return Err(ExprError::user(format!("Cast of {from} to {other} is not supported."))),
    })
}

/// The nearest double: a division of two exact doubles where both are, else by way of text.
fn to_double(decimal: &Decimal) -> f64 {
    const EXACT: i128 = 1 << 53;
    match decimal.unscaled.to_i128() {
        Some(n) if n.abs() <= EXACT && decimal.scale <= 22 => n as f64 / 10f64.powi(decimal.scale as i32),
        _ => decimal.to_f64(),
    }
}
