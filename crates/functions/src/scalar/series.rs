//! GENERATE_SERIES.

use flumen_expr::function::{BIGINT, INTEGER, ScalarFunction, Signature, array, rowwise};
use flumen_types::Value;

/// Most elements of a series, so that a slip in its end does not take all memory.
const MOST: i128 = 1_000_000;

pub(super) fn all() -> Vec<ScalarFunction> {
    let call = || rowwise(|values, _| series(values));
    vec![
        ScalarFunction::new("GENERATE_SERIES", "ARRAY", "The numbers from the first to the second, by a step of 1 or the one given.")
            .overload(Signature::new([INTEGER, INTEGER], array(INTEGER)).required(&[0, 1]), call())
            .overload(Signature::new([INTEGER, INTEGER, INTEGER], array(INTEGER)).required(&[0, 1, 2]), call())
            .overload(Signature::new([BIGINT, BIGINT], array(BIGINT)).required(&[0, 1]), call())
            .overload(Signature::new([BIGINT, BIGINT, INTEGER], array(BIGINT)).required(&[0, 1, 2]), call()),
    ]
}

fn series(values: &[Value]) -> Result<Value, String> {
    let number = |value: &Value| match value {
        Value::Integer(n) => Some(*n as i64),
        Value::Bigint(n) => Some(*n),
        _ => None,
    };
    let (Some(first), Some(last)) = (values.first().and_then(number), values.get(1).and_then(number)) else {
        return Ok(Value::Null);
    };
    let step = values.get(2).and_then(number).unwrap_or(if last >= first { 1 } else { -1 });
    if step == 0 {
        return Err("the step of a series must not be 0".to_string());
    }
    if (step > 0) != (last >= first) && first != last {
        return Err(format!("a step of {step} does not lead from {first} to {last}"));
    }
    let count = (last as i128 - first as i128) / step as i128 + 1;
    if count > MOST {
        return Err(format!("the series has {count} elements, more than {MOST}"));
    }
    let narrow = matches!(values.first(), Some(Value::Integer(_)));
    let value = |i: i64| {
        let n = first + i * step;
        if narrow { Value::Integer(n as i32) } else { Value::Bigint(n) }
    };
    Ok(Value::Array((0..count as i64).map(value).collect()))
}
