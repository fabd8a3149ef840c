//! ARRAY_MIN, ARRAY_MAX and ARRAY_SORT.

use std::cmp::Ordering;

use flumen_expr::ExprError;
use flumen_expr::function::{Implementation, Returns, STRING, ScalarFunction, Signature, T, array, rowwise};
use flumen_types::{SqlType, Value};

use super::utf16;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("ARRAY_MIN", "The least element; NULLs do not count.").overload(Signature::new([array(T)], element()), best(Ordering::Less)),
        named("ARRAY_MAX", "The greatest element; NULLs do not count.")
            .overload(Signature::new([array(T)], element()), best(Ordering::Greater)),
        named("ARRAY_SORT", "The elements in order, ascending or, with 'DESC', descending; NULLs last.")
            .overload(Signature::new([array(T)], sorted_array()), rowwise(|values, _| Ok(sorted(values, "ASC"))))
            .overload(
                Signature::new([array(T), STRING], sorted_array()),
                rowwise(|values, _| match values.get(1) {
                    Some(Value::String(direction)) => Ok(sorted(values, direction)),
                    _ => Ok(Value::Null),
                }),
            ),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "ARRAY", description)
}

fn comparable(types: &[SqlType]) -> Result<&SqlType, ExprError> {
    match types.first() {
        Some(SqlType::Array(e)) if e.is_primitive() => Ok(e),
        other => {
            let given = other.map_or_else(String::new, |t| t.to_string());
            Err(ExprError::user(format!("the elements of {given} have no order")))
        }
    }
}

fn element() -> Returns {
    Returns::with(T, |types, _| comparable(types).cloned())
}

fn sorted_array() -> Returns {
    Returns::with(array(T), |types, _| comparable(types).map(|e| SqlType::array(e.clone())))
}

fn best(wanted: Ordering) -> Implementation {
    rowwise(move |values, _| {
        let Some(Value::Array(items)) = values.first() else { return Ok(Value::Null) };
        let present = items.iter().filter(|v| !v.is_null());
        let best = present.reduce(|a, b| if compare(b, a) == wanted { b } else { a });
        Ok(best.cloned().unwrap_or(Value::Null))
    })
}

fn sorted(values: &[Value], direction: &str) -> Value {
    let descending = match direction.to_uppercase().as_str() {
        "ASC" | "ASCENDING" => false,
        "DESC" | "DESCENDING" => true,
        _ => return Value::Null,
    };
    let Some(Value::Array(items)) = values.first() else { return Value::Null };
    let mut items = items.clone();
    items.sort_by(|a, b| match (a.is_null(), b.is_null()) {
        (false, false) if descending => compare(b, a),
        (false, false) => compare(a, b),
        (a_null, b_null) => a_null.cmp(&b_null),
    });
    Value::Array(items)
}

/// The order of two values of one primitive type, as Java's `compareTo`.
fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
        (Value::Bigint(a), Value::Bigint(b)) => a.cmp(b),
        (Value::Double(a), Value::Double(b)) => a.total_cmp(b),
        (Value::Decimal(a), Value::Decimal(b)) => a.compare(b),
        (Value::String(a), Value::String(b)) => utf16::compare(a, b),
        (Value::Bytes(a), Value::Bytes(b)) => a.iter().map(|x| *x as i8).cmp(b.iter().map(|x| *x as i8)),
        (Value::Time(a), Value::Time(b)) | (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::Timestamp(a), Value::Timestamp(b)) => a.cmp(b),
        _ => Ordering::Equal,
    }
}
