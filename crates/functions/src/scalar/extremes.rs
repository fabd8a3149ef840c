//! GREATEST and LEAST.

use std::cmp::Ordering;

use flumen_expr::ExprError;
use flumen_expr::function::{
    BIGINT, BYTES, Column, DATE, DECIMAL, DOUBLE, Date, INTEGER, Implementation, Output, ParamType, Returns, STRING, ScalarFunction,
    Signature, TIME, TIMESTAMP, Time, Timestamp, rowwise,
};
use flumen_types::{SqlType, Value};

use super::adapters::variadic;
use super::decimals::widest;
use super::utf16;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        extreme("GREATEST", "The greatest of the arguments; NULLs do not count.", Ordering::Greater),
        extreme("LEAST", "The least of the arguments; NULLs do not count.", Ordering::Less),
    ]
}

fn extreme(name: &'static str, description: &'static str, wanted: Ordering) -> ScalarFunction {
    let several = |ty: ParamType| Signature::new([ty.clone(), ty.clone()], ty).variadic();
    let decimals = Returns::with(DECIMAL, |types, _| {
        let wide: Option<SqlType> = widest(types);
        wide.ok_or_else(|| ExprError::user("the arguments have no common DECIMAL type of at most 76 digits"))
    });
    ScalarFunction::new(name, "COMPARISON", description)
        .nullable_overload(several(INTEGER), best::<i32, i32>(wanted, |a, b| a.cmp(b), |v| v))
        .nullable_overload(several(BIGINT), best::<i64, i64>(wanted, |a, b| a.cmp(b), |v| v))
        .nullable_overload(several(DOUBLE), best::<f64, f64>(wanted, |a, b| a.total_cmp(b), |v| v))
        .nullable_overload(several(STRING), best::<str, String>(wanted, |a, b| utf16::compare(a, b), str::to_string))
        .nullable_overload(several(BYTES), best::<[u8], Vec<u8>>(wanted, |a, b| signed(a, b), <[u8]>::to_vec))
        .nullable_overload(several(DATE), best::<Date, Date>(wanted, |a, b| a.cmp(b), |v| v))
        .nullable_overload(several(TIME), best::<Time, Time>(wanted, |a, b| a.cmp(b), |v| v))
        .nullable_overload(several(TIMESTAMP), best::<Timestamp, Timestamp>(wanted, |a, b| a.cmp(b), |v| v))
        .nullable_overload(
            Signature::new([DECIMAL, DECIMAL], decimals).variadic(),
            rowwise(move |values, _| {
                let decimals = values.iter().filter_map(|v| match v {
                    Value::Decimal(d) => Some(*d),
                    _ => None,
                });
                let best = decimals.reduce(|a, b| if b.compare(&a) == wanted { b } else { a });
                Ok(best.map_or(Value::Null, Value::Decimal))
            }),
        )
}

fn best<C: Column + ?Sized, R: Output>(
    wanted: Ordering,
    compare: impl for<'a> Fn(&C::Value<'a>, &C::Value<'a>) -> Ordering + Send + Sync + 'static,
    own: impl for<'a> Fn(C::Value<'a>) -> R + Send + Sync + 'static,
) -> Implementation {
    variadic::<C, R>(move |values| {
        let best = values.iter().flatten().copied().reduce(|a, b| if compare(&b, &a) == wanted { b } else { a });
        Ok(best.map(&own))
    })
}

/// Bytes compare as signed numbers, as Java's `ByteBuffer` does.
fn signed(a: &[u8], b: &[u8]) -> Ordering {
    a.iter().map(|x| *x as i8).cmp(b.iter().map(|x| *x as i8))
}
