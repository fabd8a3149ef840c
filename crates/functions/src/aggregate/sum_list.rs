//! SUM_LIST: the sum of all elements of all arrays; NULL arrays and elements are skipped.

use std::marker::PhantomData;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowNativeTypeOp, ArrowPrimitiveType, AsArray, PrimitiveArray, PrimitiveBuilder};
use arrow::datatypes::{Float64Type, Int32Type, Int64Type};
use flumen_expr::ExprError;
use flumen_expr::function::{AggregateFunction, BIGINT, DOUBLE, INTEGER, Signature, array};

use super::argument;
use super::cell::Fixed;
use super::slots::{Kernel, Slots};

pub(super) fn function() -> AggregateFunction {
    AggregateFunction::new("SUM_LIST", "Adds up the elements of the arrays.")
        .overload(Signature::new([array(INTEGER)], INTEGER), true, |_| Slots::boxed(SumList::<Int32Type>(PhantomData)))
        .overload(Signature::new([array(BIGINT)], BIGINT), true, |_| Slots::boxed(SumList::<Int64Type>(PhantomData)))
        .overload(Signature::new([array(DOUBLE)], DOUBLE), true, |_| Slots::boxed(SumList::<Float64Type>(PhantomData)))
}

struct SumList<T>(PhantomData<fn() -> T>);

/// The arrays' elements and where each array begins and ends.
struct Lists<'a, T: ArrowPrimitiveType> {
    array: &'a ArrayRef,
    offsets: &'a [i32],
    items: &'a PrimitiveArray<T>,
}

impl<T: ArrowPrimitiveType> Lists<'_, T> {
    fn each(&self, row: usize, f: impl FnMut(T::Native)) {
        if self.array.is_valid(row) {
            let elements = self.offsets[row] as usize..self.offsets[row + 1] as usize;
            elements.filter(|i| self.items.is_valid(*i)).map(|i| self.items.value(i)).for_each(f);
        }
    }
}

impl<T: ArrowPrimitiveType> Kernel for SumList<T>
where
    T::Native: Fixed + ArrowNativeTypeOp,
{
    type State = T::Native;
    type Args<'a> = Lists<'a, T>;
    type Output = PrimitiveBuilder<T>;

    fn initial(&self) -> T::Native {
        T::Native::default()
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<Lists<'a, T>, ExprError> {
        let array = argument(args, 0)?;
        let list = array.as_list_opt::<i32>().ok_or_else(|| ExprError::user("SUM_LIST adds up ARRAYs only"))?;
        let items = list.values().as_primitive_opt::<T>();
        let items = items.ok_or_else(|| ExprError::user("SUM_LIST got an ARRAY of another type"))?;
        Ok(Lists { array, offsets: list.value_offsets(), items })
    }

    fn add(&self, state: &mut T::Native, lists: &Lists<'_, T>, row: usize, _: i64) -> Result<(), String> {
        lists.each(row, |value| *state = state.add_wrapping(value));
        Ok(())
    }

    fn undo(&self, state: &mut T::Native, lists: &Lists<'_, T>, row: usize) -> Result<(), String> {
        lists.each(row, |value| *state = state.sub_wrapping(value));
        Ok(())
    }

    fn merge(&self, into: &mut T::Native, from: T::Native) {
        *into = into.add_wrapping(from);
    }

    fn save(&self, state: &T::Native, out: &mut Vec<u8>) {
        state.put(out);
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<T::Native> {
        T::Native::take(bytes)
    }

    fn output(&self) -> PrimitiveBuilder<T> {
        PrimitiveBuilder::new()
    }

    fn emit(&self, state: &T::Native, out: &mut PrimitiveBuilder<T>) {
        out.append_value(*state);
    }

    fn finish(&self, mut out: PrimitiveBuilder<T>) -> ArrayRef {
        Arc::new(out.finish())
    }
}
