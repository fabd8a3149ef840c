//! AS_MAP, MAP_KEYS, MAP_VALUES and MAP_UNION.

use flumen_expr::function::{STRING, ScalarFunction, Signature, T, array, map, rowwise};
use flumen_types::Value;

use super::ordered::Ordered;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("AS_MAP", "A map of keys and values; a key without a value has NULL.").overload(
            Signature::new([array(STRING), array(T)], map(STRING, T)),
            rowwise(|values, _| match values {
                [Value::Array(keys), Value::Array(values)] => {
                    let mut entries = Ordered::new();
                    for (i, key) in keys.iter().enumerate() {
                        put(&mut entries, key, values.get(i).unwrap_or(&Value::Null));
                    }
                    Ok(entries.into_map())
                }
                _ => Ok(Value::Null),
            }),
        ),
        named("MAP_KEYS", "The keys of a map.")
            .overload(Signature::new([map(STRING, T)], array(STRING)), rowwise(|values, _| Ok(side(values, |(k, _)| k.clone())))),
        named("MAP_VALUES", "The values of a map.")
            .overload(Signature::new([map(STRING, T)], array(T)), rowwise(|values, _| Ok(side(values, |(_, v)| v.clone())))),
        named("MAP_UNION", "The entries of both maps, the second's where both have a key; of the other map when one is NULL.")
            .nullable_overload(
                Signature::new([map(STRING, T), map(STRING, T)], map(STRING, T)),
                rowwise(|values, _| match values {
                    [Value::Map(a), Value::Map(b)] => {
                        let mut entries = Ordered::new();
                        a.iter().chain(b).for_each(|(k, v)| put(&mut entries, k, v));
                        Ok(entries.into_map())
                    }
                    [Value::Null, other] | [other, _] => Ok(other.clone()),
                    _ => Ok(Value::Null),
                }),
            ),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "MAP", description)
}

/// Sets a key; NULL is no key.
fn put(entries: &mut Ordered<Value>, key: &Value, value: &Value) {
    if let Value::String(key) = key {
        entries.put(key, value.clone());
    }
}

fn side(values: &[Value], f: fn(&(Value, Value)) -> Value) -> Value {
    match values.first() {
        Some(Value::Map(entries)) => Value::Array(entries.iter().map(f).collect()),
        _ => Value::Null,
    }
}
