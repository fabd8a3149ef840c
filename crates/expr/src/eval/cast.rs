//! CAST: own loops, so that a value that does not convert fails its row alone.

mod nested;
mod number;
mod text;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::{Date32Type, Time32MillisecondType, TimestampMillisecondType};
use flumen_types::SqlType;

use super::Selection;
use super::operand::Operand;
use crate::function::{Column, Output};
use crate::{ExprError, Failures};

const DAY_MILLIS: i64 = 86_400_000;

pub(super) fn cast(
    operand: &Operand,
    from: &SqlType,
    to: &SqlType,
    rows: usize,
    selection: &Selection,
    failures: &mut Failures,
) -> Result<Operand, ExprError> {
    match operand {
        Operand::Column(array) => Ok(Operand::Column(cast_array(array, from, to, selection, failures)?)),
        Operand::Constant(array) => {
            let mut one = Failures::new(1);
            let value = cast_array(array, from, to, &Selection::All, &mut one)?;
            if let Some((_, text)) = one.messages().first() {
                selection.each(rows, |row| failures.fail(row, || text.clone()));
            }
            Ok(Operand::Constant(value))
        }
    }
}

/// True when every value converts.
pub(super) fn cannot_fail(from: &SqlType, to: &SqlType) -> bool {
    use SqlType::*;
    match (from, to) {
        (Integer | Bigint | Double | Decimal { .. }, Integer | Bigint | Double) => true,
        (Integer | Bigint | Decimal { .. }, Decimal { .. }) => crate::implicit_distance(from, to).is_some(),
        (Date | Time | Timestamp, Date | Time | Timestamp) => true,
        (from, String) => from.is_primitive(),
        _ => false,
    }
}

/// The selected values of an array as another type; others are NULL or mean nothing.
fn cast_array(
    array: &ArrayRef,
    from: &SqlType,
    to: &SqlType,
    selection: &Selection,
    failures: &mut Failures,
) -> Result<ArrayRef, ExprError> {
    use SqlType::*;
    match (from, to) {
        _ if from == to => Ok(array.clone()),
        (_, String) => text::to_text(array, from, selection),
        (String, _) => text::from_text(array, to, selection, failures),
        (a, b) if a.is_numeric() && b.is_numeric() => number::cast(array, a, b, selection, failures),
        (Timestamp, Date) => {
            let millis = primitive::<TimestampMillisecondType>(array)?;
            Ok(Arc::new(millis.unary::<_, Date32Type>(|v| saturate(v.div_euclid(DAY_MILLIS)))))
        }
        (Timestamp, Time) => {
            let millis = primitive::<TimestampMillisecondType>(array)?;
            Ok(Arc::new(millis.unary::<_, Time32MillisecondType>(|v| saturate(v.rem_euclid(DAY_MILLIS)))))
        }
        (Date, Timestamp) => {
            let days = primitive::<Date32Type>(array)?;
            Ok(Arc::new(days.unary::<_, TimestampMillisecondType>(|v| v as i64 * DAY_MILLIS)))
        }
        (Array(a), Array(b)) => nested::list(array, (a, b), to, selection, failures),
        (Map(k1, v1), Map(k2, v2)) => nested::map(array, (k1, v1), (k2, v2), to, selection, failures),
        (Struct(a), Struct(b)) => nested::structure(array, a, b, selection, failures),
        _ => Err(ExprError::user(format!("Cast of {from} to {to} is not supported."))),
    }
}

fn saturate(v: i64) -> i32 {
    v.clamp(i32::MIN as i64, i32::MAX as i64) as i32
}

fn primitive<T: arrow::array::ArrowPrimitiveType>(array: &ArrayRef) -> Result<&arrow::array::PrimitiveArray<T>, ExprError> {
    arrow::array::AsArray::as_primitive_opt::<T>(array)
        .ok_or_else(|| ExprError::User(format!("a column of type {} came where {} was expected", array.data_type(), T::DATA_TYPE)))
}

/// Converts the selected values one by one.
fn convert<A: Column + ?Sized, R: Output>(
    array: &ArrayRef,
    selection: &Selection,
    failures: &mut Failures,
    f: impl for<'a> Fn(A::Value<'a>) -> Result<R, String>,
) -> Result<ArrayRef, ExprError> {
    let column = A::array(array)
        .ok_or_else(|| ExprError::User(format!("a column of type {} came to a CAST made for another", array.data_type())))?;
    let rows = array.len();
    let mut out = R::Builder::default();
    let mut next = 0;
    selection.each(rows, |row| {
        (next..row).for_each(|_| R::append(&mut out, None));
        next = row + 1;
        let value = column.is_valid(row).then(|| f(A::get(column, row)));
        let value = value.and_then(|v| v.map_err(|text| failures.fail(row, || text)).ok());
        R::append(&mut out, value);
    });
    (next..rows).for_each(|_| R::append(&mut out, None));
    Ok(R::finish(out))
}
