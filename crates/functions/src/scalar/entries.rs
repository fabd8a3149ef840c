//! ENTRIES: a map as an array of its entries.

use flumen_expr::function::{
    ANY_STRUCT, BIGINT, BOOLEAN, DOUBLE, INTEGER, Returns, STRING, ScalarFunction, Signature, array, map, rowwise,
};
use flumen_types::{Field, SqlType, Value};

use super::utf16;

pub(super) fn all() -> Vec<ScalarFunction> {
    let entry_array = || {
        Returns::with(array(ANY_STRUCT), |types, _| {
            let value = match types.first() {
                Some(SqlType::Map(_, v)) => v.as_ref().clone(),
                _ => SqlType::String,
            };
            Ok(SqlType::array(SqlType::Struct(vec![Field::new("K", SqlType::String), Field::new("V", value)])))
        })
    };
    let function =
        ScalarFunction::new("ENTRIES", "MAP", "The entries of a map as structs of K and V; in order of the keys when asked for.");
    let with = |function: ScalarFunction, value| {
        function
            .overload(Signature::new([map(STRING, value), BOOLEAN], entry_array()).required(&[1]), rowwise(|values, _| Ok(entries(values))))
    };
    vec![[INTEGER, BIGINT, DOUBLE, BOOLEAN, STRING].into_iter().fold(function, with)]
}

fn entries(values: &[Value]) -> Value {
    let [Value::Map(entries), Value::Boolean(sorted)] = values else { return Value::Null };
    let mut entries: Vec<&(Value, Value)> = entries.iter().collect();
    if *sorted {
        entries.sort_by(|(a, _), (b, _)| match (a, b) {
            (Value::String(a), Value::String(b)) => utf16::compare(a, b),
            _ => std::cmp::Ordering::Equal,
        });
    }
    Value::Array(entries.into_iter().map(|(k, v)| Value::Struct(vec![k.clone(), v.clone()])).collect())
}
