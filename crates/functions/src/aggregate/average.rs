//! AVG: the sum in the argument's type, divided by the number of values; 0.0 without any.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowNativeTypeOp, ArrowPrimitiveType, AsArray, Float64Builder, PrimitiveArray};
use arrow::datatypes::{Float64Type, Int32Type, Int64Type};
use flumen_expr::ExprError;
use flumen_expr::function::{AggregateFunction, BIGINT, DOUBLE, INTEGER, Signature};

use super::argument;
use super::cell::Fixed;
use super::slots::{Kernel, Slots};

pub(super) fn function() -> AggregateFunction {
    AggregateFunction::new("AVG", "The mean of the values that are not NULL; 0 when there are none.")
        .composite_state()
        .overload(Signature::new([INTEGER], DOUBLE), true, |_| Slots::boxed(Average::<Int32Type> { to_double: |sum| sum as f64 }))
        .overload(Signature::new([BIGINT], DOUBLE), true, |_| Slots::boxed(Average::<Int64Type> { to_double: |sum| sum as f64 }))
        .overload(Signature::new([DOUBLE], DOUBLE), true, |_| Slots::boxed(Average::<Float64Type> { to_double: |sum| sum }))
}

struct Average<T: ArrowPrimitiveType> {
    to_double: fn(T::Native) -> f64,
}

impl<T: ArrowPrimitiveType> Kernel for Average<T>
where
    T::Native: Fixed + ArrowNativeTypeOp,
{
    /// Sum and number of values.
    type State = (T::Native, i64);
    type Args<'a> = &'a PrimitiveArray<T>;
    type Output = Float64Builder;

    fn initial(&self) -> (T::Native, i64) {
        (T::Native::default(), 0)
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<&'a PrimitiveArray<T>, ExprError> {
        let array = argument(args, 0)?;
        array.as_primitive_opt::<T>().ok_or_else(|| ExprError::user(format!("AVG got a column of {}", array.data_type())))
    }

    fn add(&self, state: &mut Self::State, column: &&PrimitiveArray<T>, row: usize, _: i64) -> Result<(), String> {
        if column.is_valid(row) {
            *state = (state.0.add_wrapping(column.value(row)), state.1 + 1);
        }
        Ok(())
    }

    fn undo(&self, state: &mut Self::State, column: &&PrimitiveArray<T>, row: usize) -> Result<(), String> {
        if column.is_valid(row) {
            *state = (state.0.sub_wrapping(column.value(row)), state.1 - 1);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: Self::State) {
        *into = (into.0.add_wrapping(from.0), into.1 + from.1);
    }

    fn save(&self, state: &Self::State, out: &mut Vec<u8>) {
        state.0.put(out);
        state.1.put(out);
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Self::State> {
        Some((Fixed::take(bytes)?, Fixed::take(bytes)?))
    }

    fn output(&self) -> Float64Builder {
        Float64Builder::new()
    }

    fn emit(&self, (sum, count): &Self::State, out: &mut Float64Builder) {
        out.append_value(if *count == 0 { 0.0 } else { (self.to_double)(*sum) / *count as f64 });
    }

    fn finish(&self, mut out: Float64Builder) -> ArrayRef {
        Arc::new(out.finish())
    }
}
