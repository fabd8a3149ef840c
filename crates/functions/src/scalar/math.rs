//! Functions of numbers to DOUBLE, and PI and RANDOM.

use flumen_expr::function::{BIGINT, DOUBLE, INTEGER, ScalarFunction, Signature, map1, map2, whole};

use super::adapters::build;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        unary("ACOS", "The arc cosine, in radians.", f64::acos),
        unary("ASIN", "The arc sine, in radians.", f64::asin),
        unary("ATAN", "The arc tangent, in radians.", f64::atan),
        unary("COS", "The cosine of an angle in radians.", f64::cos),
        unary("COSH", "The hyperbolic cosine.", f64::cosh),
        unary("COT", "The cotangent of an angle in radians.", |x| 1.0 / x.tan()),
        unary("SIN", "The sine of an angle in radians.", f64::sin),
        unary("SINH", "The hyperbolic sine.", f64::sinh),
        unary("TAN", "The tangent of an angle in radians.", f64::tan),
        unary("TANH", "The hyperbolic tangent.", f64::tanh),
        unary("EXP", "Euler's number raised to a power.", f64::exp),
        unary("LN", "The natural logarithm.", f64::ln),
        unary("SQRT", "The square root.", f64::sqrt),
        unary("CBRT", "The cube root.", f64::cbrt),
        unary("DEGREES", "An angle in radians as degrees.", |x| x * (180.0 / std::f64::consts::PI)),
        unary("RADIANS", "An angle in degrees as radians.", |x| x / 180.0 * std::f64::consts::PI),
        binary(named("ATAN2", "The angle of the point (x, y), given as (y, x), in radians."), f64::atan2),
        binary(named("POWER", "The first argument raised to the second."), power),
        binary(unary("LOG", "The natural logarithm, or the logarithm to a base given first.", f64::ln), log),
        named("PI", "The ratio of a circle's circumference to its diameter.")
            .overload(Signature::new([], DOUBLE), whole(|call, failures| Ok(build(call, failures, |_| Ok(Some(std::f64::consts::PI)))))),
        named("RANDOM", "A random number from 0 up to but without 1.")
            .overload(Signature::new([], DOUBLE), whole(|call, failures| Ok(build(call, failures, |_| Ok(Some(call.random.next_f64())))))),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "MATHEMATICAL", description)
}

fn unary(name: &'static str, description: &'static str, f: fn(f64) -> f64) -> ScalarFunction {
    named(name, description)
        .overload(Signature::new([INTEGER], DOUBLE), map1::<i32, f64>(move |x| Ok(Some(f(x as f64)))))
        .overload(Signature::new([BIGINT], DOUBLE), map1::<i64, f64>(move |x| Ok(Some(f(x as f64)))))
        .overload(Signature::new([DOUBLE], DOUBLE), map1::<f64, f64>(move |x| Ok(Some(f(x)))))
}

fn binary(function: ScalarFunction, f: fn(f64, f64) -> f64) -> ScalarFunction {
    function
        .overload(Signature::new([INTEGER, INTEGER], DOUBLE), map2::<i32, i32, f64>(move |a, b| Ok(Some(f(a as f64, b as f64)))))
        .overload(Signature::new([BIGINT, BIGINT], DOUBLE), map2::<i64, i64, f64>(move |a, b| Ok(Some(f(a as f64, b as f64)))))
        .overload(Signature::new([DOUBLE, DOUBLE], DOUBLE), map2::<f64, f64, f64>(move |a, b| Ok(Some(f(a, b)))))
}

/// Java's `Math.pow` differs from IEEE's `pow` where the base is 1 or −1 and the exponent is not finite: NaN.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent.is_nan() || (base.abs() == 1.0 && exponent.is_infinite()) { f64::NAN } else { base.powf(exponent) }
}

fn log(base: f64, value: f64) -> f64 {
    if base <= 0.0 || base == 1.0 { f64::NAN } else { value.ln() / base.ln() }
}
