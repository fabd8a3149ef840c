//! Arrays as sets, in the order of first appearance.

use ahash::HashSet;
use flumen_expr::function::{CallArgs, ScalarFunction, Signature, T, array, rowwise};
use flumen_types::{SqlType, Value, encode_key};

pub(super) fn all() -> Vec<ScalarFunction> {
    let two = || Signature::new([array(T), array(T)], array(T));
    vec![
        named("ARRAY_DISTINCT", "The different elements.")
            .overload(Signature::new([array(T)], array(T)), rowwise(|values, call| kept(call, list(values, 0), |_| true))),
        named("ARRAY_UNION", "The different elements of both arrays.").overload(
            two(),
            rowwise(|values, call| {
                let both: Vec<Value> = list(values, 0).iter().chain(list(values, 1)).cloned().collect();
                kept(call, &both, |_| true)
            }),
        ),
        named("ARRAY_EXCEPT", "The different elements of the first array that the second does not have.").overload(
            two(),
            rowwise(|values, call| {
                let others = keys(call, list(values, 1))?;
                kept(call, list(values, 0), |key| !others.contains(key))
            }),
        ),
        named("ARRAY_INTERSECT", "The different elements that both arrays have.").overload(
            two(),
            rowwise(|values, call| {
                let others = keys(call, list(values, 1))?;
                kept(call, list(values, 0), |key| others.contains(key))
            }),
        ),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "ARRAY", description)
}

fn list(values: &[Value], position: usize) -> &[Value] {
    match values.get(position) {
        Some(Value::Array(items)) => items,
        _ => &[],
    }
}

/// The bytes by which elements are told apart.
fn key(call: &CallArgs<'_>, item: &Value) -> Result<Vec<u8>, String> {
    let element = match call.return_type {
        SqlType::Array(e) => e.as_ref(),
        other => other,
    };
    encode_key(std::slice::from_ref(item), &[element]).map_err(|e| e.to_string())
}

fn keys(call: &CallArgs<'_>, items: &[Value]) -> Result<HashSet<Vec<u8>>, String> {
    items.iter().map(|i| key(call, i)).collect()
}

/// The first of equal elements, of those that pass.
fn kept(call: &CallArgs<'_>, items: &[Value], passes: impl Fn(&Vec<u8>) -> bool) -> Result<Value, String> {
    let mut seen = HashSet::default();
    let mut out = Vec::new();
    for item in items {
        let key = key(call, item)?;
        if passes(&key) && seen.insert(key) {
            out.push(item.clone());
        }
    }
    Ok(Value::Array(out))
}
