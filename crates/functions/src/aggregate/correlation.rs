//! CORRELATION: Pearson's coefficient of two columns, from sums.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Float64Builder};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type};
use flumen_expr::ExprError;
use flumen_expr::function::{AggregateFunction, BIGINT, DOUBLE, INTEGER, Signature};

use super::argument;
use super::cell::Fixed;
use super::slots::{Kernel, Slots};

pub(super) fn function() -> AggregateFunction {
    let start =
        AggregateFunction::new("CORRELATION", "Pearson's correlation of two columns; pairs with a NULL are skipped.").composite_state();
    [INTEGER, BIGINT, DOUBLE]
        .into_iter()
        .fold(start, |function, ty| function.overload(Signature::new([ty.clone(), ty], DOUBLE), true, |_| Slots::boxed(Correlation)))
}

struct Correlation;

/// Number of pairs and the sums of x, y, x², y², xy.
#[derive(Clone, Default)]
struct Sums([f64; 6]);

impl Sums {
    fn add(&mut self, x: f64, y: f64, sign: f64) {
        for (sum, term) in self.0.iter_mut().zip([1.0, x, y, x * x, y * y, x * y]) {
            *sum += sign * term;
        }
    }

    fn coefficient(&self) -> f64 {
        let [n, x, y, xx, yy, xy] = self.0;
        if n < 2.0 {
            return f64::NAN;
        }
        (n * xy - x * y) / ((n * xx - x * x).sqrt() * (n * yy - y * y).sqrt())
    }
}

/// A column of numbers as doubles.
pub(super) fn doubles(array: &ArrayRef) -> Result<Float64Array, ExprError> {
    let wide = cast(array, &DataType::Float64).map_err(|e| ExprError::user(e.to_string()))?;
    wide.as_primitive_opt::<Float64Type>().cloned().ok_or_else(|| ExprError::user("the argument is no number"))
}

impl Kernel for Correlation {
    type State = Sums;
    type Args<'a> = (Float64Array, Float64Array);
    type Output = Float64Builder;

    fn initial(&self) -> Sums {
        Sums::default()
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<Self::Args<'a>, ExprError> {
        Ok((doubles(argument(args, 0)?)?, doubles(argument(args, 1)?)?))
    }

    fn add(&self, state: &mut Sums, (x, y): &Self::Args<'_>, row: usize, _: i64) -> Result<(), String> {
        if x.is_valid(row) && y.is_valid(row) {
            state.add(x.value(row), y.value(row), 1.0);
        }
        Ok(())
    }

    fn undo(&self, state: &mut Sums, (x, y): &Self::Args<'_>, row: usize) -> Result<(), String> {
        if x.is_valid(row) && y.is_valid(row) {
            state.add(x.value(row), y.value(row), -1.0);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Sums, from: Sums) {
        into.0.iter_mut().zip(from.0).for_each(|(a, b)| *a += b);
    }

    fn save(&self, state: &Sums, out: &mut Vec<u8>) {
        state.0.iter().for_each(|sum| sum.put(out));
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Sums> {
        let mut state = Sums::default();
        for sum in &mut state.0 {
            *sum = Fixed::take(bytes)?;
        }
        Some(state)
    }

    fn output(&self) -> Float64Builder {
        Float64Builder::new()
    }

    fn emit(&self, state: &Sums, out: &mut Float64Builder) {
        out.append_value(state.coefficient());
    }

    fn finish(&self, mut out: Float64Builder) -> ArrayRef {
        Arc::new(out.finish())
    }
}
