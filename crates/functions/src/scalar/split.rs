//! SPLIT and SPLIT_TO_MAP.

use flumen_expr::function::{BYTES, STRING, ScalarFunction, Signature, array, map, rowwise};
use flumen_types::Value;

use super::ordered::Ordered;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("SPLIT", "The parts of a text between delimiters; its characters when the delimiter is empty.")
            .overload(
                Signature::new([STRING, STRING], array(STRING)),
                rowwise(|values, _| match values {
                    [Value::String(text), Value::String(delimiter)] => Ok(split(text, delimiter)),
                    _ => Ok(Value::Null),
                }),
            )
            .overload(
                Signature::new([BYTES, BYTES], array(BYTES)),
                rowwise(|values, _| match values {
                    [Value::Bytes(bytes), Value::Bytes(delimiter)] => Ok(split_bytes(bytes, delimiter)),
                    _ => Ok(Value::Null),
                }),
            ),
        named("SPLIT_TO_MAP", "A map from the entries of a text, given the delimiters of entries and of key and value.").overload(
            Signature::new([STRING, STRING, STRING], map(STRING, STRING)),
            rowwise(|values, _| match values {
                [Value::String(text), Value::String(entries), Value::String(pair)] => Ok(split_to_map(text, entries, pair)),
                _ => Ok(Value::Null),
            }),
        ),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "STRING", description)
}

fn split(text: &str, delimiter: &str) -> Value {
    if delimiter.is_empty() && !text.is_empty() {
        return Value::Array(text.chars().map(|c| Value::String(c.to_string())).collect());
    }
    if delimiter.is_empty() {
        return Value::Array(vec![Value::from("")]);
    }
    Value::Array(text.split(delimiter).map(Value::from).collect())
}

fn split_bytes(bytes: &[u8], delimiter: &[u8]) -> Value {
    if delimiter.is_empty() && !bytes.is_empty() {
        return Value::Array(bytes.iter().map(|b| Value::Bytes(vec![*b])).collect());
    }
    let mut parts = Vec::new();
    let mut rest = bytes;
    while !delimiter.is_empty() {
        let Some(at) = rest.windows(delimiter.len()).position(|w| w == delimiter) else { break };
        let (part, after) = rest.split_at(at);
        parts.push(Value::Bytes(part.to_vec()));
        rest = after.get(delimiter.len()..).unwrap_or_default();
    }
    parts.push(Value::Bytes(rest.to_vec()));
    Value::Array(parts)
}

/// Entries without a delimiter of key and value are dropped; what stands behind a second one too. The last of equal keys counts.
fn split_to_map(text: &str, entry_delimiter: &str, pair_delimiter: &str) -> Value {
    if entry_delimiter.is_empty() || pair_delimiter.is_empty() || entry_delimiter == pair_delimiter {
        return Value::Null;
    }
    let mut entries = Ordered::new();
    for entry in text.split(entry_delimiter) {
        let mut pieces = entry.split(pair_delimiter);
        if let (Some(key), Some(value)) = (pieces.next(), pieces.next()) {
            entries.put(key, Value::from(value));
        }
    }
    entries.into_map()
}
