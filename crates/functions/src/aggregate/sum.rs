//! SUM: NULLs are skipped, none gives 0, integers wrap, a decimal that grows too long fails.

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray, PrimitiveBuilder};
use arrow::datatypes::{DataType, Decimal128Type, Decimal256Type, Float64Type, Int32Type, Int64Type, i256};
use flumen_expr::ExprError;
use flumen_expr::function::{AggregateFunction, BIGINT, DECIMAL, DOUBLE, INTEGER, Returns, Signature};
use flumen_types::{SqlType, arrow_type};

use super::cell::Fixed;
use super::slots::{Kernel, Slots};
use super::{argument, argument_type};

pub(super) fn function() -> AggregateFunction {
    let same = Returns::with(DECIMAL, |types, _| types.first().cloned().ok_or_else(|| ExprError::user("SUM needs an argument")));
    AggregateFunction::new("SUM", "Adds up the values that are not NULL.")
        .overload(Signature::new([INTEGER], INTEGER), true, |_| {
            Slots::boxed(Sum::<Int32Type>::new(&SqlType::Integer, |a, b| Some(a.wrapping_add(b)), |a, b| Some(a.wrapping_sub(b))))
        })
        .overload(Signature::new([BIGINT], BIGINT), true, |_| {
            Slots::boxed(Sum::<Int64Type>::new(&SqlType::Bigint, |a, b| Some(a.wrapping_add(b)), |a, b| Some(a.wrapping_sub(b))))
        })
        .overload(Signature::new([DOUBLE], DOUBLE), true, |_| {
            Slots::boxed(Sum::<Float64Type>::new(&SqlType::Double, |a, b| Some(a + b), |a, b| Some(a - b)))
        })
        .overload(Signature::new([DECIMAL], same), true, |instance| {
            let ty = argument_type(instance, 0)?;
            match ty {
                SqlType::Decimal { precision, .. } if *precision <= 38 => {
                    Slots::boxed(Sum::<Decimal128Type>::new(ty, i128::checked_add, i128::checked_sub).up_to(narrow_limit(*precision)))
                }
                SqlType::Decimal { precision, .. } => {
                    Slots::boxed(Sum::<Decimal256Type>::new(ty, i256::checked_add, i256::checked_sub).up_to(wide_limit(*precision)))
                }
                other => Err(ExprError::user(format!("SUM cannot add up {other}"))),
            }
        })
}

fn narrow_limit(precision: u8) -> Option<i128> {
    10i128.checked_pow(precision as u32)
}

fn wide_limit(precision: u8) -> Option<i256> {
    i256::from_i128(10).checked_pow(precision as u32)
}

type Operation<N> = fn(N, N) -> Option<N>;

struct Sum<T: ArrowPrimitiveType> {
    data_type: DataType,
    plus: Operation<T::Native>,
    minus: Operation<T::Native>,
    /// The sum stays below this and above its negative.
    limit: Option<T::Native>,
}

impl<T: ArrowPrimitiveType> Sum<T> {
    fn new(ty: &SqlType, plus: Operation<T::Native>, minus: Operation<T::Native>) -> Self {
        Sum { data_type: arrow_type(ty), plus, minus, limit: None }
    }

    fn up_to(mut self, limit: Option<T::Native>) -> Self {
        self.limit = limit;
        self
    }

    fn apply(&self, operation: Operation<T::Native>, state: T::Native, value: T::Native) -> Result<T::Native, String> {
        let fits = |sum: &T::Native| match self.limit {
            Some(limit) => *sum < limit && (self.minus)(T::Native::default(), limit).is_some_and(|low| *sum > low),
            None => true,
        };
        let sum = operation(state, value).filter(fits);
        sum.ok_or_else(|| format!("numeric field overflow: the sum does not fit {}", self.data_type))
    }
}

impl<T: ArrowPrimitiveType> Kernel for Sum<T>
where
    T::Native: Fixed + PartialOrd,
{
    type State = T::Native;
    type Args<'a> = &'a PrimitiveArray<T>;
    type Output = PrimitiveBuilder<T>;

    fn initial(&self) -> T::Native {
        T::Native::default()
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<&'a PrimitiveArray<T>, ExprError> {
        let array = argument(args, 0)?;
        array.as_primitive_opt::<T>().ok_or_else(|| ExprError::user(format!("SUM got a column of {}", array.data_type())))
    }

    fn add(&self, state: &mut T::Native, column: &&PrimitiveArray<T>, row: usize, _: i64) -> Result<(), String> {
        if column.is_valid(row) {
            *state = self.apply(self.plus, *state, column.value(row))?;
        }
        Ok(())
    }

    fn undo(&self, state: &mut T::Native, column: &&PrimitiveArray<T>, row: usize) -> Result<(), String> {
        if column.is_valid(row) {
            *state = self.apply(self.minus, *state, column.value(row))?;
        }
        Ok(())
    }

    fn merge(&self, into: &mut T::Native, from: T::Native) {
        // A merged sum that does not fit stays at what it was: merging has no row to fail.
        if let Ok(sum) = self.apply(self.plus, *into, from) {
            *into = sum;
        }
    }

    fn save(&self, state: &T::Native, out: &mut Vec<u8>) {
        state.put(out);
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<T::Native> {
        T::Native::take(bytes)
    }

    fn output(&self) -> PrimitiveBuilder<T> {
        PrimitiveBuilder::new().with_data_type(self.data_type.clone())
    }

    fn emit(&self, state: &T::Native, out: &mut PrimitiveBuilder<T>) {
        out.append_value(*state);
    }

    fn finish(&self, mut out: PrimitiveBuilder<T>) -> ArrayRef {
        std::sync::Arc::new(out.finish())
    }
}
