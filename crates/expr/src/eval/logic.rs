//! AND, OR, NOT and IS NULL.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::buffer::BooleanBuffer;

use super::compare::nulls_of;
use super::node::{Cx, Node};
use super::operand::{Operand, fail_nulls, validity};
use super::{Selection, true_bits};
use crate::{ExprError, Failures, LogicalOp};

pub(super) fn booleans(operand: &Operand) -> Result<&BooleanArray, ExprError> {
    operand
        .array()
        .as_boolean_opt()
        .ok_or_else(|| ExprError::User(format!("a column of type {} came where BOOLEAN was expected", operand.array().data_type())))
}

/// One bit a row, set where the operand is true.
pub(super) fn truth(operand: &Operand, rows: usize) -> Result<BooleanBuffer, ExprError> {
    let bits = true_bits(booleans(operand)?);
    Ok(match operand {
        Operand::Column(_) => bits,
        Operand::Constant(_) if bits.value(0) => BooleanBuffer::new_set(rows),
        Operand::Constant(_) => BooleanBuffer::new_unset(rows),
    })
}

fn column(bits: BooleanBuffer) -> Operand {
    Operand::Column(Arc::new(BooleanArray::new(bits, None)))
}

/// The right side is evaluated only for the rows the left one does not decide, unless it is harmless and cheap to
/// evaluate for all. A NULL that is evaluated fails its row.
pub(super) fn logical(
    op: LogicalOp,
    left: &Node,
    right: &Node,
    right_is_total: bool,
    cx: &Cx<'_>,
    selection: &Selection,
    failures: &mut Failures,
) -> Result<Operand, ExprError> {
    let rows = cx.rows;
    let message = || format!("an operand of {} is NULL", op.symbol());
    let left = left.eval(cx, selection, failures)?;
    let left_valid = validity(&[&left], rows);
    fail_nulls(left_valid.as_ref(), rows, selection, failures, message);
    let left_true = truth(&left, rows)?;
    if right_is_total {
        let right_true = truth(&right.eval(cx, selection, failures)?, rows)?;
        return Ok(column(match op {
            LogicalOp::And => &left_true & &right_true,
            LogicalOp::Or => &left_true | &right_true,
        }));
    }
    let open =
        selection.narrow(rows, |row| left_valid.as_ref().is_none_or(|v| v.is_valid(row)) && left_true.value(row) == (op == LogicalOp::And));
    if open.count(rows) == 0 {
        return Ok(column(left_true));
    }
    let right = right.eval(cx, &open, failures)?;
    fail_nulls(validity(&[&right], rows).as_ref(), rows, &open, failures, message);
    let right_true = truth(&right, rows)?;
    Ok(column(match op {
        LogicalOp::And => &left_true & &right_true,
        // Where the right side was not evaluated, what stands there must not count.
        LogicalOp::Or => match &open {
            Selection::All => right_true,
            Selection::Rows(open) => {
                let mut bits = vec![false; rows];
                for row in open {
                    if let Some(bit) = bits.get_mut(*row as usize) {
                        *bit = right_true.value(*row as usize);
                    }
                }
                &left_true | &BooleanBuffer::from(bits.as_slice())
            }
        },
    }))
}

pub(super) fn not(operand: &Operand, rows: usize, selection: &Selection, failures: &mut Failures) -> Result<Operand, ExprError> {
    fail_nulls(validity(&[operand], rows).as_ref(), rows, selection, failures, || "the operand of NOT is NULL".to_string());
    Ok(column(!&truth(operand, rows)?))
}

pub(super) fn is_null(operand: &Operand, negated: bool) -> Result<Operand, ExprError> {
    let array = operand.array();
    let nulls = nulls_of(array);
    let bits = match (nulls, negated) {
        (Some(nulls), true) => nulls.inner().clone(),
        (Some(nulls), false) => !nulls.inner(),
        (None, true) => BooleanBuffer::new_set(array.len()),
        (None, false) => BooleanBuffer::new_unset(array.len()),
    };
    let array: ArrayRef = Arc::new(BooleanArray::new(bits, None));
    Ok(if operand.is_constant() { Operand::Constant(array) } else { Operand::Column(array) })
}
