//! Comparisons: NULL compares as false; arrow's kernels where their order is SQL's, own loops elsewhere.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::kernels::cmp;
use arrow::datatypes::{DataType, Float64Type};
use flumen_types::{SqlType, Value, value_at};

use super::decimal::{Decimals, power};
use super::internal;
use super::operand::{Operand, validity};
use crate::{CompareOp, ExprError};

pub(super) fn compare(
    op: CompareOp,
    (left, left_type): (&Operand, &SqlType),
    (right, right_type): (&Operand, &SqlType),
    rows: usize,
) -> Result<Operand, ExprError> {
    let both_constant = left.is_constant() && right.is_constant();
    let rows = if both_constant { 1 } else { rows };
    let bits = bits(op, (left, left_type), (right, right_type), rows)?;
    let array: ArrayRef = Arc::new(BooleanArray::new(bits, None));
    Ok(if both_constant { Operand::Constant(array) } else { Operand::Column(array) })
}

/// One bit a row, set where the comparison holds.
pub(super) fn bits(
    op: CompareOp,
    (left, left_type): (&Operand, &SqlType),
    (right, right_type): (&Operand, &SqlType),
    rows: usize,
) -> Result<BooleanBuffer, ExprError> {
    let ordered = !matches!(op, CompareOp::Eq | CompareOp::Ne | CompareOp::DistinctFrom | CompareOp::NotDistinctFrom);
    match left_type {
        SqlType::Double => {
            let (l, r) = (left.numbers::<Float64Type>()?, right.numbers::<Float64Type>()?);
            let holds = |a: f64, b: f64| match op {
                CompareOp::Eq | CompareOp::NotDistinctFrom => a == b,
                CompareOp::Ne | CompareOp::DistinctFrom => a != b,
                CompareOp::Lt => a < b,
                CompareOp::Le => a <= b,
                CompareOp::Gt => a > b,
                CompareOp::Ge => a >= b,
            };
            let values = match (l.constant, r.constant) {
                (false, true) => {
                    let b = r.values[0];
                    BooleanBuffer::collect_bool(rows, |i| holds(l.values[i], b))
                }
                (false, false) => BooleanBuffer::collect_bool(rows, |i| holds(l.values[i], r.values[i])),
                _ => BooleanBuffer::collect_bool(rows, |i| holds(l.at(i), r.at(i))),
            };
            Ok(with_nulls(op, values, left, right, rows))
        }
        SqlType::Decimal { .. } if left_type != right_type => {
            let (l, r) = (Decimals::of(left)?, Decimals::of(right)?);
            let common = l.scale.max(r.scale);
            let values = match (l.narrow(), r.narrow(), power(common - l.scale), power(common - r.scale)) {
                (Some(a), Some(b), Some(f), Some(g)) => BooleanBuffer::collect_bool(rows, |i| {
                    let order = match (a.at(i).checked_mul(f), b.at(i).checked_mul(g)) {
                        (Some(x), Some(y)) => x.cmp(&y),
                        _ => l.at(i).compare(&r.at(i)),
                    };
                    holds(op, order)
                }),
                _ => BooleanBuffer::collect_bool(rows, |i| holds(op, l.at(i).compare(&r.at(i)))),
            };
            Ok(with_nulls(op, values, left, right, rows))
        }
        SqlType::Bytes if ordered => {
            let (Some(l), Some(r)) = (left.array().as_binary_opt::<i32>(), right.array().as_binary_opt::<i32>()) else {
                return Err(mismatch(left, right));
            };
            let values = BooleanBuffer::collect_bool(rows, |i| holds(op, compare_bytes(l.value(left.index(i)), r.value(right.index(i)))));
            Ok(with_nulls(op, values, left, right, rows))
        }
        ty if !ty.is_primitive() => {
            let values = BooleanBuffer::collect_bool(rows, |i| {
                let a = value_at(left.array(), left_type, left.index(i));
                let b = value_at(right.array(), right_type, right.index(i));
                matches!(op, CompareOp::Eq | CompareOp::NotDistinctFrom) == values_equal(&a, &b)
            });
            Ok(with_nulls(op, values, left, right, rows))
        }
        _ => kernel(op, left, right, rows),
    }
}

fn mismatch(left: &Operand, right: &Operand) -> ExprError {
    let (l, r) = (left.array().data_type(), right.array().data_type());
    ExprError::User(format!("columns of types {l} and {r} cannot be compared"))
}

fn kernel(op: CompareOp, left: &Operand, right: &Operand, rows: usize) -> Result<BooleanBuffer, ExprError> {
    let result = left.with_datum(|l| {
        right.with_datum(|r| match op {
            CompareOp::Eq => cmp::eq(l, r),
            CompareOp::Ne => cmp::neq(l, r),
            CompareOp::Lt => cmp::lt(l, r),
            CompareOp::Le => cmp::lt_eq(l, r),
            CompareOp::Gt => cmp::gt(l, r),
            CompareOp::Ge => cmp::gt_eq(l, r),
            CompareOp::DistinctFrom => cmp::distinct(l, r),
            CompareOp::NotDistinctFrom => cmp::not_distinct(l, r),
        })
    });
    let result = result.map_err(internal)?;
    let bits = super::true_bits(&result);
    // A NULL constant may be answered by one value for all rows.
    if bits.len() == rows { Ok(bits) } else { Ok(BooleanBuffer::collect_bool(rows, |_| bits.iter().next().unwrap_or(false))) }
}

/// Puts in the answer for rows with a NULL.
fn with_nulls(op: CompareOp, values: BooleanBuffer, left: &Operand, right: &Operand, rows: usize) -> BooleanBuffer {
    let Some(valid) = validity(&[left, right], rows) else { return values };
    match op {
        CompareOp::DistinctFrom | CompareOp::NotDistinctFrom => {
            let same_answer = op == CompareOp::NotDistinctFrom;
            BooleanBuffer::collect_bool(rows, |i| {
                if valid.is_valid(i) { values.value(i) } else { (left.is_null(i) && right.is_null(i)) == same_answer }
            })
        }
        _ => &values & valid.inner(),
    }
}

fn holds(op: CompareOp, order: Ordering) -> bool {
    match op {
        CompareOp::Eq | CompareOp::NotDistinctFrom => order.is_eq(),
        CompareOp::Ne | CompareOp::DistinctFrom => order.is_ne(),
        CompareOp::Lt => order.is_lt(),
        CompareOp::Le => order.is_le(),
        CompareOp::Gt => order.is_gt(),
        CompareOp::Ge => order.is_ge(),
    }
}

/// Java's order of byte buffers: bytes are signed.
fn compare_bytes(a: &[u8], b: &[u8]) -> Ordering {
    a.iter().map(|x| *x as i8).cmp(b.iter().map(|x| *x as i8))
}

/// Equality of values as SQL and Java see it: entries of a MAP in any order, NULL equal to NULL inside.
pub fn values_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Decimal(a), Value::Decimal(b)) => a.compare(b).is_eq(),
        (Value::Array(a), Value::Array(b)) | (Value::Struct(a), Value::Struct(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(x, y)| values_equal(x, y))
        }
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.iter().any(|(l, w)| values_equal(k, l) && values_equal(v, w)))
        }
        _ => a == b,
    }
}

/// Where both arrays, of the same primitive type, hold equal values that are not NULL.
pub(super) fn equal_bits(left: &Operand, right: &Operand, ty: &SqlType, rows: usize) -> Result<BooleanBuffer, ExprError> {
    bits(CompareOp::Eq, (left, ty), (right, ty), rows)
}

/// The nulls of an array of any type.
pub(super) fn nulls_of(array: &ArrayRef) -> Option<NullBuffer> {
    match array.data_type() {
        DataType::Null => Some(NullBuffer::new_null(array.len())),
        _ => array.nulls().cloned(),
    }
}
