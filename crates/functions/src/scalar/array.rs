//! Plain functions of arrays.

use arrow::array::Array;
use flumen_expr::ExprError;
use flumen_expr::function::{BOOLEAN, INTEGER, STRING, ScalarFunction, Signature, T, array, rowwise, whole};
use flumen_types::{SqlType, Value, display_value};

use super::adapters::build;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("ARRAY_LENGTH", "The number of elements.").overload(
            Signature::new([array(T)], INTEGER),
            whole(|call, failures| {
                let list = call.args.first().and_then(|a| a.as_any().downcast_ref::<arrow::array::ListArray>());
                let list = list.ok_or_else(|| ExprError::user("ARRAY_LENGTH takes an array"))?;
                Ok(build(call, failures, |row| Ok(list.is_valid(row).then(|| list.value_length(row)))))
            }),
        ),
        named("ARRAY_CONTAINS", "Whether an element equals the value; NULL is found too.").nullable_overload(
            Signature::new([array(T), T], BOOLEAN),
            rowwise(|values, _| match values {
                [Value::Array(items), wanted] => Ok(Value::Boolean(items.contains(wanted))),
                _ => Ok(Value::Boolean(false)),
            }),
        ),
        named("ARRAY_CONCAT", "The elements of both arrays; of the other when one is NULL.").nullable_overload(
            Signature::new([array(T), array(T)], array(T)),
            rowwise(|values, _| match values {
                [Value::Array(a), Value::Array(b)] => Ok(Value::Array(a.iter().chain(b).cloned().collect())),
                [Value::Null, other] | [other, _] => Ok(other.clone()),
                _ => Ok(Value::Null),
            }),
        ),
        named("ARRAY_REMOVE", "The array without the elements that equal the value; NULL removes NULLs.").nullable_overload(
            Signature::new([array(T), T], array(T)),
            rowwise(|values, _| match values {
                [Value::Array(items), victim] => Ok(Value::Array(items.iter().filter(|i| *i != victim).cloned().collect())),
                _ => Ok(Value::Null),
            }),
        ),
        named("ARRAY_JOIN", "The elements as text, joined by a delimiter, a comma when not given; NULL is written `null`.")
            .nullable_overload(Signature::new([array(T)], STRING), rowwise(|v, call| join(v, call.types.first())))
            .nullable_overload(Signature::new([array(T), STRING], STRING), rowwise(|v, call| join(v, call.types.first()))),
        named("SLICE", "The elements from one place to another, counted from 1, both included; NULL leaves an end open.")
            .nullable_overload(Signature::new([array(T), INTEGER, INTEGER], array(T)), rowwise(|v, _| Ok(slice(v)))),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "ARRAY", description)
}

fn join(values: &[Value], ty: Option<&SqlType>) -> Result<Value, String> {
    let (Some(Value::Array(items)), Some(SqlType::Array(element))) = (values.first(), ty) else { return Ok(Value::Null) };
    let joinable = matches!(
        **element,
        SqlType::Boolean | SqlType::Integer | SqlType::Bigint | SqlType::Double | SqlType::Decimal { .. } | SqlType::String
    );
    if !joinable {
        return Err(format!("ARRAY_JOIN takes arrays of BOOLEAN, numbers or STRING, not of {element}"));
    }
    let delimiter = match values.get(1) {
        None => ",",
        Some(Value::String(text)) => text,
        Some(_) => "",
    };
    let texts: Vec<String> = items.iter().map(|i| display_value(i, element)).collect();
    Ok(Value::String(texts.join(delimiter)))
}

fn slice(values: &[Value]) -> Value {
    let [Value::Array(items), from, to] = values else { return Value::Null };
    let bound = |value: &Value, open: usize| match value {
        Value::Integer(n) => usize::try_from(*n).unwrap_or(usize::MAX),
        _ => open,
    };
    let (from, to) = (bound(from, 1), bound(to, items.len()));
    let part = from.checked_sub(1).and_then(|start| items.get(start..to));
    part.map_or(Value::Null, |p| Value::Array(p.to_vec()))
}
