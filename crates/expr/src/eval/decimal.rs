//! DECIMAL loops: 128-bit where operands and result have up to 38 digits, else 256-bit.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Decimal128Array, Decimal256Array};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Decimal128Type, Decimal256Type, i256};
use flumen_types::Decimal;

use super::Selection;
use super::operand::{Numbers, Operand};
use crate::{ArithmeticOp, ExprError, Failures};

/// A decimal column of either width.
pub(super) struct Decimals<'a> {
    digits: Digits<'a>,
    pub scale: u8,
}

enum Digits<'a> {
    Narrow(Numbers<'a, i128>),
    Wide(Numbers<'a, i256>),
}

impl<'a> Decimals<'a> {
    pub fn of(operand: &'a Operand) -> Result<Self, ExprError> {
        match operand.array().data_type() {
            DataType::Decimal128(_, scale) => {
                Ok(Decimals { digits: Digits::Narrow(operand.numbers::<Decimal128Type>()?), scale: (*scale).max(0) as u8 })
            }
            DataType::Decimal256(_, scale) => {
                Ok(Decimals { digits: Digits::Wide(operand.numbers::<Decimal256Type>()?), scale: (*scale).max(0) as u8 })
            }
            other => Err(ExprError::User(format!("a column of type {other} came where DECIMAL was expected"))),
        }
    }

    pub fn at(&self, row: usize) -> Decimal {
        let unscaled = match &self.digits {
            Digits::Narrow(n) => i256::from_i128(n.at(row)),
            Digits::Wide(n) => n.at(row),
        };
        Decimal::new(unscaled, self.scale)
    }

    /// The unscaled numbers when they are 128-bit.
    pub fn narrow(&self) -> Option<&Numbers<'a, i128>> {
        match &self.digits {
            Digits::Narrow(n) => Some(n),
            Digits::Wide(_) => None,
        }
    }
}

/// 10^exponent; 0 to 38.
pub(super) fn power(exponent: u8) -> Option<i128> {
    10i128.checked_pow(exponent as u32)
}

fn wide_power(exponent: u8) -> Option<i256> {
    i256::from_i128(10).checked_pow(exponent as u32)
}

/// An array of DECIMAL(precision, scale) from unscaled numbers that fit it.
pub(super) fn narrow_array(values: Vec<i128>, (precision, scale): (u8, u8), nulls: Option<NullBuffer>) -> ArrayRef {
    let data_type = DataType::Decimal128(precision, scale as i8);
    Arc::new(Decimal128Array::new(values.into(), nulls).with_data_type(data_type))
}

/// An array of DECIMAL(precision, scale) from decimals of that scale.
pub(super) fn array_of(values: &[Option<Decimal>], (precision, scale): (u8, u8)) -> ArrayRef {
    if precision <= 38 {
        let digits = values.iter().map(|v| v.and_then(|d| d.unscaled.to_i128()));
        Arc::new(Decimal128Array::from_iter(digits).with_data_type(DataType::Decimal128(precision, scale as i8)))
    } else {
        let digits = values.iter().map(|v| v.map(|d| d.unscaled));
        Arc::new(Decimal256Array::from_iter(digits).with_data_type(DataType::Decimal256(precision, scale as i8)))
    }
}

#[allow(clippy::too_many_arguments)]
pub(super) fn arithmetic(
    op: ArithmeticOp,
    left: &Operand,
    right: &Operand,
    (precision, scale): (u8, u8),
    valid: Option<NullBuffer>,
    rows: usize,
    selection: &Selection,
    failures: &mut Failures,
) -> Result<ArrayRef, ExprError> {
    let (l, r) = (Decimals::of(left)?, Decimals::of(right)?);
    if let (Some(a), Some(b), true) = (l.narrow(), r.narrow(), precision <= 38) {
        let common = l.scale.max(r.scale);
        let factors = (power(common - l.scale), power(common - r.scale));
        match (op, factors) {
            // The result type has room for every sum and product of operands of these types.
            (ArithmeticOp::Add, (Some(f), Some(g))) => {
                let values = a.zip(b, rows, |x, y| x.wrapping_mul(f).wrapping_add(y.wrapping_mul(g)));
                return Ok(narrow_array(values, (precision, scale), valid));
            }
            (ArithmeticOp::Subtract, (Some(f), Some(g))) => {
                let values = a.zip(b, rows, |x, y| x.wrapping_mul(f).wrapping_sub(y.wrapping_mul(g)));
                return Ok(narrow_array(values, (precision, scale), valid));
            }
            (ArithmeticOp::Multiply, _) => {
                let values = a.zip(b, rows, i128::wrapping_mul);
                return Ok(narrow_array(values, (precision, scale), valid));
            }
            _ => {}
        }
    }
    let mut values: Vec<Option<Decimal>> = vec![None; rows];
    selection.each(rows, |row| {
        if valid.as_ref().is_none_or(|v| v.is_valid(row)) {
            match one(op, l.at(row), r.at(row), precision, scale) {
                Ok(value) => values[row] = Some(value),
                Err(text) => failures.fail(row, || text.to_string()),
            }
        }
    });
    Ok(array_of(&values, (precision, scale)))
}

const TOO_LARGE: &str = "numeric field overflow: the result of decimal arithmetic has too many digits";

/// One operation, exact or refused.
fn one(op: ArithmeticOp, a: Decimal, b: Decimal, precision: u8, scale: u8) -> Result<Decimal, &'static str> {
    let aligned = || Some((a.rescale(scale)?.unscaled, b.rescale(scale)?.unscaled));
    let unscaled = match op {
        ArithmeticOp::Add => aligned().and_then(|(x, y)| x.checked_add(y)),
        ArithmeticOp::Subtract => aligned().and_then(|(x, y)| x.checked_sub(y)),
        ArithmeticOp::Multiply => a.unscaled.checked_mul(b.unscaled),
        ArithmeticOp::Remainder if b.unscaled == i256::ZERO => return Err("division by zero"),
        ArithmeticOp::Remainder => aligned().and_then(|(x, y)| x.checked_rem(y)),
        ArithmeticOp::Divide => return divide(a, b, precision, scale),
    };
    let value = Decimal::new(unscaled.ok_or(TOO_LARGE)?, scale);
    if value.unscaled != i256::ZERO && value.precision() > precision { Err(TOO_LARGE) } else { Ok(value) }
}

/// The exact quotient; one that would have to be rounded is refused.
fn divide(a: Decimal, b: Decimal, precision: u8, scale: u8) -> Result<Decimal, &'static str> {
    if b.unscaled == i256::ZERO {
        return Err("division by zero");
    }
    let shift = scale as i32 - a.scale as i32 + b.scale as i32;
    let factor = u8::try_from(shift).ok().and_then(wide_power).ok_or(TOO_LARGE)?;
    let numerator = a.unscaled.checked_mul(factor).ok_or(TOO_LARGE)?;
    let (Some(quotient), Some(rest)) = (numerator.checked_div(b.unscaled), numerator.checked_rem(b.unscaled)) else {
        return Err(TOO_LARGE);
    };
    if rest != i256::ZERO {
        return Err("rounding necessary: the quotient has no exact decimal form of the result's precision");
    }
    let value = Decimal::new(quotient, scale);
    if value.unscaled != i256::ZERO && value.precision() > precision { Err(TOO_LARGE) } else { Ok(value) }
}

pub(super) fn negate(operand: &Operand) -> Result<ArrayRef, ExprError> {
    let array = operand.array();
    let nulls = array.nulls().cloned();
    match array.data_type() {
        DataType::Decimal128(..) => {
            let values = array.as_primitive::<Decimal128Type>().values().iter().map(|v| v.wrapping_neg()).collect();
            Ok(Arc::new(Decimal128Array::new(values, nulls).with_data_type(array.data_type().clone())))
        }
        DataType::Decimal256(..) => {
            let values = array.as_primitive::<Decimal256Type>().values().iter().map(|v| v.wrapping_neg()).collect();
            Ok(Arc::new(Decimal256Array::new(values, nulls).with_data_type(array.data_type().clone())))
        }
        other => Err(ExprError::User(format!("a column of type {other} came where DECIMAL was expected"))),
    }
}
