//! `+ - * / %` and the sign: own loops, so that a bad row fails alone.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array, Int32Array, Int64Array, StringBuilder};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{Float64Type, Int32Type, Int64Type};
use flumen_types::SqlType;

use super::operand::{Numbers, Operand, fail_nulls, validity};
use super::{Selection, decimal};
use crate::{ArithmeticOp, ExprError, Failures};

pub(super) fn arithmetic(
    op: ArithmeticOp,
    left: &Operand,
    right: &Operand,
    ty: &SqlType,
    rows: usize,
    selection: &Selection,
    failures: &mut Failures,
) -> Result<Operand, ExprError> {
    let valid = validity(&[left, right], rows);
    fail_nulls(valid.as_ref(), rows, selection, failures, || format!("an operand of {} is NULL", op.symbol()));
    let array: ArrayRef = match ty {
        SqlType::Integer => {
            let (l, r) = (left.numbers::<Int32Type>()?, right.numbers::<Int32Type>()?);
            if matches!(op, ArithmeticOp::Divide | ArithmeticOp::Remainder) {
                fail_zeros(&r, 0, valid.as_ref(), rows, selection, failures);
            }
            let values = match op {
                ArithmeticOp::Add => l.zip(&r, rows, i32::wrapping_add),
                ArithmeticOp::Subtract => l.zip(&r, rows, i32::wrapping_sub),
                ArithmeticOp::Multiply => l.zip(&r, rows, i32::wrapping_mul),
                ArithmeticOp::Divide => l.zip(&r, rows, |a, b| if b == 0 { 0 } else { a.wrapping_div(b) }),
                ArithmeticOp::Remainder => l.zip(&r, rows, |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) }),
            };
            Arc::new(Int32Array::new(values.into(), valid))
        }
        SqlType::Bigint => {
            let (l, r) = (left.numbers::<Int64Type>()?, right.numbers::<Int64Type>()?);
            if matches!(op, ArithmeticOp::Divide | ArithmeticOp::Remainder) {
                fail_zeros(&r, 0, valid.as_ref(), rows, selection, failures);
            }
            let values = match op {
                ArithmeticOp::Add => l.zip(&r, rows, i64::wrapping_add),
                ArithmeticOp::Subtract => l.zip(&r, rows, i64::wrapping_sub),
                ArithmeticOp::Multiply => l.zip(&r, rows, i64::wrapping_mul),
                ArithmeticOp::Divide => l.zip(&r, rows, |a, b| if b == 0 { 0 } else { a.wrapping_div(b) }),
                ArithmeticOp::Remainder => l.zip(&r, rows, |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) }),
            };
            Arc::new(Int64Array::new(values.into(), valid))
        }
        SqlType::Double => {
            let (l, r) = (left.numbers::<Float64Type>()?, right.numbers::<Float64Type>()?);
            let values = match op {
                ArithmeticOp::Add => l.zip(&r, rows, |a, b| a + b),
                ArithmeticOp::Subtract => l.zip(&r, rows, |a, b| a - b),
                ArithmeticOp::Multiply => l.zip(&r, rows, |a, b| a * b),
                ArithmeticOp::Divide => l.zip(&r, rows, |a, b| a / b),
                ArithmeticOp::Remainder => l.zip(&r, rows, |a, b| a % b),
            };
            Arc::new(Float64Array::new(values.into(), valid))
        }
        SqlType::Decimal { precision, scale } => {
            decimal::arithmetic(op, left, right, (*precision, *scale), valid, rows, selection, failures)?
        }
        SqlType::String => join(left, right, valid.as_ref(), rows, selection)?,
        other => return Err(ExprError::unsupported(format!("arithmetic that gives {other}"))),
    };
    Ok(Operand::Column(array))
}

/// Fails the selected rows whose divisor is zero.
fn fail_zeros<T: Copy + PartialEq>(
    divisors: &Numbers<'_, T>,
    zero: T,
    valid: Option<&NullBuffer>,
    rows: usize,
    selection: &Selection,
    failures: &mut Failures,
) {
    if divisors.constant && divisors.values[0] != zero {
        return;
    }
    selection.each(rows, |row| {
        if divisors.at(row) == zero && valid.is_none_or(|v| v.is_valid(row)) {
            failures.fail(row, || "division by zero".to_string());
        }
    });
}

fn join(left: &Operand, right: &Operand, valid: Option<&NullBuffer>, rows: usize, selection: &Selection) -> Result<ArrayRef, ExprError> {
    let (Some(l), Some(r)) = (left.array().as_string_opt::<i32>(), right.array().as_string_opt::<i32>()) else {
        return Err(ExprError::user("the operands of + are not STRINGs"));
    };
    let mut out = StringBuilder::with_capacity(rows, rows * 16);
    let mut text = String::new();
    let mut next = 0;
    selection.each(rows, |row| {
        (next..row).for_each(|_| out.append_null());
        next = row + 1;
        if valid.is_none_or(|v| v.is_valid(row)) {
            text.clear();
            text.push_str(l.value(left.index(row)));
            text.push_str(r.value(right.index(row)));
            out.append_value(&text);
        } else {
            out.append_null();
        }
    });
    (next..rows).for_each(|_| out.append_null());
    Ok(Arc::new(out.finish()))
}

pub(super) fn negate(
    operand: &Operand,
    ty: &SqlType,
    rows: usize,
    selection: &Selection,
    failures: &mut Failures,
) -> Result<Operand, ExprError> {
    let valid = validity(&[operand], rows);
    fail_nulls(valid.as_ref(), rows, selection, failures, || "the operand of - is NULL".to_string());
    let own = operand.array().nulls().cloned();
    let array: ArrayRef = match ty {
        SqlType::Integer => {
            let numbers = operand.numbers::<Int32Type>()?;
            Arc::new(Int32Array::new(numbers.values.iter().map(|v| v.wrapping_neg()).collect(), own))
        }
        SqlType::Bigint => {
            let numbers = operand.numbers::<Int64Type>()?;
            Arc::new(Int64Array::new(numbers.values.iter().map(|v| v.wrapping_neg()).collect(), own))
        }
        SqlType::Double => {
            let numbers = operand.numbers::<Float64Type>()?;
            Arc::new(Float64Array::new(numbers.values.iter().map(|v| -v).collect(), own))
        }
        SqlType::Decimal { .. } => decimal::negate(operand)?,
        other => return Err(ExprError::unsupported(format!("a sign before {other}"))),
    };
    Ok(if operand.is_constant() { Operand::Constant(array) } else { Operand::Column(array) })
}
