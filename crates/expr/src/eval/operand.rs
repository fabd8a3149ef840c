//! The value of a sub-expression over a chunk: a column, or one value for all rows.

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, Scalar, UInt32Array, new_empty_array, new_null_array};
use arrow::buffer::NullBuffer;
use arrow::compute::take;

use super::{Selection, internal};
use crate::{ExprError, Failures};

/// A column of as many values as the chunk has rows, or a single one that stands for all.
#[derive(Debug, Clone)]
pub(super) enum Operand {
    Column(ArrayRef),
    /// An array of length 1.
    Constant(ArrayRef),
}

impl Operand {
    pub fn array(&self) -> &ArrayRef {
        match self {
            Operand::Column(a) | Operand::Constant(a) => a,
        }
    }

    pub fn is_constant(&self) -> bool {
        matches!(self, Operand::Constant(_))
    }

    /// Where the value of a row stands in the array.
    pub fn index(&self, row: usize) -> usize {
        if self.is_constant() { 0 } else { row }
    }

    pub fn is_null(&self, row: usize) -> bool {
        self.array().is_null(self.index(row))
    }

    /// As a column.
    pub fn into_rows(self, rows: usize) -> Result<ArrayRef, ExprError> {
        match self {
            Operand::Column(a) => Ok(a),
            Operand::Constant(a) if rows == 0 => Ok(new_empty_array(a.data_type())),
            Operand::Constant(a) if a.is_null(0) => Ok(new_null_array(a.data_type(), rows)),
            Operand::Constant(a) => take(&a, &UInt32Array::from(vec![0; rows]), None).map_err(internal),
        }
    }

    /// For arrow's kernels.
    pub fn with_datum<R>(&self, f: impl FnOnce(&dyn arrow::array::Datum) -> R) -> R {
        match self {
            Operand::Column(a) => f(a),
            Operand::Constant(a) => f(&Scalar::new(a.clone())),
        }
    }

    /// The numbers of a primitive array.
    pub fn numbers<T: ArrowPrimitiveType>(&self) -> Result<Numbers<'_, T::Native>, ExprError> {
        let array = self.array().as_primitive_opt::<T>().ok_or_else(|| {
            ExprError::User(format!("a column of type {} came where {} was expected", self.array().data_type(), T::DATA_TYPE))
        })?;
        Ok(Numbers { values: array.values(), constant: self.is_constant() })
    }
}

/// The values of a primitive column, or the one that stands for all rows.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a, T> {
    pub values: &'a [T],
    pub constant: bool,
}

impl<T: Copy> Numbers<'_, T> {
    pub fn at(&self, row: usize) -> T {
        if self.constant { self.values[0] } else { self.values[row] }
    }

    /// `f` over all rows, NULL ones included.
    pub fn zip<U: Copy, R>(&self, other: &Numbers<'_, U>, rows: usize, f: impl Fn(T, U) -> R) -> Vec<R> {
        match (self.constant, other.constant) {
            (false, false) => self.values.iter().zip(other.values).map(|(a, b)| f(*a, *b)).collect(),
            (false, true) => {
                let b = other.values[0];
                self.values.iter().map(|a| f(*a, b)).collect()
            }
            (true, false) => {
                let a = self.values[0];
                other.values.iter().map(|b| f(a, *b)).collect()
            }
            (true, true) => {
                let (a, b) = (self.values[0], other.values[0]);
                (0..rows).map(|_| f(a, b)).collect()
            }
        }
    }
}

/// Where all operands have a value; `None` when they do everywhere.
pub(super) fn validity(operands: &[&Operand], rows: usize) -> Option<NullBuffer> {
    let mut all: Option<NullBuffer> = None;
    for operand in operands {
        let nulls = match operand {
            Operand::Constant(a) if a.is_null(0) => Some(NullBuffer::new_null(rows)),
            Operand::Constant(_) => None,
            Operand::Column(a) => a.logical_nulls().filter(|n| n.null_count() > 0),
        };
        all = NullBuffer::union(all.as_ref(), nulls.as_ref());
    }
    all
}

/// Fails the selected rows without a value.
pub(super) fn fail_nulls(
    validity: Option<&NullBuffer>,
    rows: usize,
    selection: &Selection,
    failures: &mut Failures,
    message: impl Fn() -> String,
) {
    if let Some(valid) = validity {
        selection.each(rows, |row| {
            if valid.is_null(row) {
                failures.fail(row, &message);
            }
        });
    }
}
