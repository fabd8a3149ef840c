//! STDDEV_SAMPLE, the sample standard deviation, and STDDEV_SAMP, which by its old name gives the variance.
//!
//! Updated step by step after Youngs and Cramer, "Some results relevant to choice of sum and sum-of-product algorithms", 1971.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Float64Array, Float64Builder};
use flumen_expr::ExprError;
use flumen_expr::function::{AggregateFunction, BIGINT, DOUBLE, INTEGER, Signature};

use super::argument;
use super::cell::Fixed;
use super::correlation::doubles;
use super::slots::{Kernel, Slots};

pub(super) fn sample() -> AggregateFunction {
    function("STDDEV_SAMPLE", "The sample standard deviation of the values that are not NULL.", f64::sqrt)
}

pub(super) fn variance() -> AggregateFunction {
    function("STDDEV_SAMP", "The sample variance of the values; use STDDEV_SAMPLE for the standard deviation.", |v| v)
}

fn function(name: &'static str, description: &'static str, of_variance: fn(f64) -> f64) -> AggregateFunction {
    [INTEGER, BIGINT, DOUBLE].into_iter().fold(AggregateFunction::new(name, description).composite_state(), |function, ty| {
        function.overload(Signature::new([ty], DOUBLE), true, move |_| Slots::boxed(Deviation { of_variance }))
    })
}

struct Deviation {
    of_variance: fn(f64) -> f64,
}

/// Number of values, their sum, and the sum of squared differences from the mean.
#[derive(Clone, Copy, Default)]
struct Moments {
    count: i64,
    sum: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
        if self.count > 1 {
            let n = self.count as f64;
            let difference = n * value - self.sum;
            self.squares += difference * difference / (n * (n - 1.0));
        }
    }

    fn remove(&mut self, value: f64) {
        if self.count > 1 {
            let n = self.count as f64;
            let difference = n * value - self.sum;
            self.squares -= difference * difference / (n * (n - 1.0));
        } else {
            self.squares = 0.0;
        }
        self.sum -= value;
        self.count -= 1;
    }

    fn merge(&mut self, other: Moments) {
        if self.count > 0 && other.count > 0 {
            let (m, n) = (self.count as f64, other.count as f64);
            let difference = self.sum / m - other.sum / n;
            self.squares += difference * difference * m * n / (m + n);
        }
        self.squares += other.squares;
        self.sum += other.sum;
        self.count += other.count;
    }
}

impl Kernel for Deviation {
    type State = Moments;
    type Args<'a> = Float64Array;
    type Output = Float64Builder;

    fn initial(&self) -> Moments {
        Moments::default()
    }

    fn bind(&self, args: &[ArrayRef]) -> Result<Float64Array, ExprError> {
        doubles(argument(args, 0)?)
    }

    fn add(&self, state: &mut Moments, column: &Float64Array, row: usize, _: i64) -> Result<(), String> {
        if column.is_valid(row) {
            state.add(column.value(row));
        }
        Ok(())
    }

    fn undo(&self, state: &mut Moments, column: &Float64Array, row: usize) -> Result<(), String> {
        if column.is_valid(row) {
            state.remove(column.value(row));
        }
        Ok(())
    }

    fn merge(&self, into: &mut Moments, from: Moments) {
        into.merge(from);
    }

    fn save(&self, state: &Moments, out: &mut Vec<u8>) {
        state.count.put(out);
        state.sum.put(out);
        state.squares.put(out);
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Moments> {
        Some(Moments { count: Fixed::take(bytes)?, sum: Fixed::take(bytes)?, squares: Fixed::take(bytes)? })
    }

    fn output(&self) -> Float64Builder {
        Float64Builder::new()
    }

    fn emit(&self, state: &Moments, out: &mut Float64Builder) {
        let variance = if state.count < 2 { 0.0 } else { state.squares / (state.count - 1) as f64 };
        out.append_value((self.of_variance)(variance));
    }

    fn finish(&self, mut out: Float64Builder) -> ArrayRef {
        Arc::new(out.finish())
    }
}
