//! Functions of JSON arrays as text.

use flumen_expr::function::{BOOLEAN, INTEGER, STRING, ScalarFunction, Signature, T, array, map1, rowwise};
use flumen_types::json_text::read_string;
use flumen_types::{Decimal, Value};

use super::json_field::{elements, json_text, named, parse};

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("JSON_ARRAY_LENGTH", "The number of elements of a JSON array, NULL for other JSON.").overload(
            Signature::new([STRING], INTEGER),
            map1::<str, i32>(|text| Ok(parse(text)?.and_then(elements).map(|e| e.len() as i32))),
        ),
        named("JSON_ARRAY_CONTAINS", "Whether a JSON array has an element of the same kind and value.").nullable_overload(
            Signature::new([STRING, T], BOOLEAN),
            rowwise(|values, _| match values {
                [Value::String(text), wanted] => {
                    let json = parse(text).unwrap_or_default();
                    let found = json.and_then(elements).is_some_and(|e| e.iter().any(|e| equals(e, wanted)));
                    Ok(Value::Boolean(found))
                }
                _ => Ok(Value::Boolean(false)),
            }),
        ),
        named("JSON_ITEMS", "The elements of a JSON array as JSON.").overload(
            Signature::new([STRING], array(STRING)),
            rowwise(|values, _| match values {
                [Value::String(text)] => {
                    let Some(json) = parse(text)? else { return Ok(Value::Null) };
                    let elements = elements(json).ok_or("the text is not a JSON array")?;
                    Ok(Value::Array(elements.into_iter().map(|e| Value::String(json_text(e))).collect()))
                }
                _ => Ok(Value::Null),
            }),
        ),
    ]
}

/// Whole numbers equal whole numbers only, and likewise for the other kinds.
fn equals(json: &str, wanted: &Value) -> bool {
    let number = json.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let whole = number && !json.contains(['.', 'e', 'E']);
    match wanted {
        Value::Null => json == "null",
        Value::Boolean(b) => json == if *b { "true" } else { "false" },
        Value::Integer(n) => whole && json.parse() == Ok(*n),
        Value::Bigint(n) => whole && json.parse() == Ok(*n),
        Value::Double(d) => number && !whole && json.parse() == Ok(*d),
        Value::Decimal(d) => number && !whole && json.parse::<Decimal>().is_ok_and(|j| j.compare(d).is_eq()),
        Value::String(text) => read_string(json).is_some_and(|j| j == text.as_str()),
        _ => false,
    }
}
