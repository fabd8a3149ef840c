//! ABS, SIGN, CEIL, FLOOR, ROUND and TRUNC.

use flumen_expr::function::{BIGINT, DECIMAL, DOUBLE, INTEGER, Implementation, Returns, ScalarFunction, Signature, map1, map2, rowwise};
use flumen_types::{Decimal, SqlType, Value};

use super::decimals::{Rounding, round};

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("ABS", "The absolute value.")
            .overload(Signature::new([INTEGER], INTEGER), map1::<i32, i32>(|x| Ok(Some(x.wrapping_abs()))))
            .overload(Signature::new([BIGINT], BIGINT), map1::<i64, i64>(|x| Ok(Some(x.wrapping_abs()))))
            .overload(Signature::new([DOUBLE], DOUBLE), map1::<f64, f64>(|x| Ok(Some(x.abs()))))
            .overload(
                Signature::new([DECIMAL], same_decimal()),
                decimal(|d, _| if d.unscaled.is_negative() { d.unscaled.checked_neg().map(|n| Decimal::new(n, d.scale)) } else { Some(d) }),
            ),
        named("SIGN", "-1, 0 or 1: the sign of a number.")
            .overload(Signature::new([INTEGER], INTEGER), map1::<i32, i32>(|x| Ok(Some(x.signum()))))
            .overload(Signature::new([BIGINT], INTEGER), map1::<i64, i32>(|x| Ok(Some(x.signum() as i32))))
            .overload(Signature::new([DOUBLE], INTEGER), map1::<f64, i32>(|x| Ok(Some((x > 0.0) as i32 - (x < 0.0) as i32)))),
        whole_number("CEIL", "The nearest whole number not below.", f64::ceil, Rounding::Ceiling),
        whole_number("FLOOR", "The nearest whole number not above.", f64::floor, Rounding::Floor),
        named("ROUND", "The nearest number with so many places after the point, 0 when not given; ties go up.")
            .overload(Signature::new([INTEGER], BIGINT).required(&[0]), map1::<i32, i64>(|x| Ok(Some(x as i64))))
            .overload(Signature::new([BIGINT], BIGINT).required(&[0]), map1::<i64, i64>(|x| Ok(Some(x))))
            .overload(Signature::new([DOUBLE], BIGINT), map1::<f64, i64>(|x| Ok(Some(nearest(x)))))
            .overload(Signature::new([DOUBLE, INTEGER], DOUBLE), map2::<f64, i32, f64>(|x, n| places(x, n, Rounding::Nearest)))
            .overload(Signature::new([DECIMAL], whole_decimal()), decimal(|d, _| round(d, 0, Rounding::Nearest)))
            .overload(Signature::new([DECIMAL, INTEGER], same_decimal()), decimal(|d, n| round(d, n, Rounding::Nearest))),
        named("TRUNC", "A number cut off after so many places behind the point, 0 when not given.")
            .overload(Signature::new([INTEGER], BIGINT), map1::<i32, i64>(|x| Ok(Some(x as i64))))
            .overload(Signature::new([BIGINT], BIGINT), map1::<i64, i64>(|x| Ok(Some(x))))
            .overload(Signature::new([DOUBLE], BIGINT), map1::<f64, i64>(|x| Ok(Some(x as i64))))
            .overload(Signature::new([DOUBLE, INTEGER], DOUBLE), map2::<f64, i32, f64>(|x, n| places(x, n, Rounding::Truncate)))
            .overload(Signature::new([DECIMAL], whole_decimal()), decimal(|d, _| round(d, 0, Rounding::Truncate)))
            .overload(Signature::new([DECIMAL, INTEGER], same_decimal()), decimal(|d, n| round(d, n, Rounding::Truncate))),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "MATHEMATICAL", description)
}

fn whole_number(name: &'static str, description: &'static str, f: fn(f64) -> f64, rounding: Rounding) -> ScalarFunction {
    named(name, description)
        .overload(Signature::new([INTEGER], INTEGER), map1::<i32, i32>(|x| Ok(Some(x))))
        .overload(Signature::new([BIGINT], BIGINT), map1::<i64, i64>(|x| Ok(Some(x))))
        .overload(Signature::new([DOUBLE], DOUBLE), map1::<f64, f64>(move |x| Ok(Some(f(x)))))
        .overload(Signature::new([DECIMAL], same_decimal()), decimal(move |d, _| round(d, 0, rounding)))
}

fn same_decimal() -> Returns {
    Returns::with(DECIMAL, |types, _| Ok(types.first().cloned().unwrap_or(SqlType::Double)))
}

/// DECIMAL(p, s) without its fraction: DECIMAL(p − s, 0).
fn whole_decimal() -> Returns {
    Returns::with(DECIMAL, |types, _| match types.first() {
        Some(SqlType::Decimal { precision, scale }) => {
            Ok(SqlType::Decimal { precision: precision.saturating_sub(*scale).max(1), scale: 0 })
        }
        other => Ok(other.cloned().unwrap_or(SqlType::Double)),
    })
}

/// A function of a decimal and, where given, a number of places.
fn decimal(f: impl Fn(Decimal, i32) -> Option<Decimal> + Send + Sync + 'static) -> Implementation {
    rowwise(move |values, _| match values {
        [Value::Decimal(d)] => f(*d, 0).map(Value::Decimal).ok_or_else(too_large),
        [Value::Decimal(d), Value::Integer(n)] => f(*d, *n).map(Value::Decimal).ok_or_else(too_large),
        _ => Ok(Value::Null),
    })
}

fn too_large() -> String {
    "the result has too many digits".to_string()
}

/// The nearest whole number, ties towards positive infinity; NaN is 0 and what is out of range the end of it, as in Java.
fn nearest(x: f64) -> i64 {
    let floor = x.floor();
    (if x - floor >= 0.5 { floor + 1.0 } else { floor }) as i64
}

/// Rounds the shortest decimal that reads as the double.
fn places(x: f64, places: i32, rounding: Rounding) -> Result<Option<f64>, String> {
    if !x.is_finite() {
        return Err(format!("{x} cannot be rounded to {places} places"));
    }
    match Decimal::from_f64(x) {
        Ok(d) => Ok(Some(round(d, places, rounding).map_or(0.0, |r| r.to_f64()))),
        // Beyond 76 digits either way: a whole number, or as good as zero.
        Err(_) if x.abs() > 1.0 => Ok(Some(if places >= -300 { x } else { 0.0 })),
        Err(_) => Ok(Some(if places > 76 { x } else { 0.0 })),
    }
}
