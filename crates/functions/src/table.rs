//! The table functions: they return the ARRAY of their rows.

use flumen_expr::ExprError;
use flumen_expr::function::{Registry, ScalarFunction, Signature, T, array, rowwise, whole};
use flumen_types::Value;

/// Most elements CUBE_EXPLODE takes: its rows double with each.
const CUBE_LIMIT: usize = 20;

/// Adds all table functions.
pub(crate) fn register(registry: &mut Registry) {
    registry.add_table(ScalarFunction::new("EXPLODE", "TABLE", "A row for each element of the array.").overload(
        Signature::new([array(T)], array(T)),
        whole(|call, _| call.args.first().cloned().ok_or_else(|| ExprError::user("EXPLODE takes an array"))),
    ));
    registry.add_table(
        ScalarFunction::new("CUBE_EXPLODE", "TABLE", "A row for each way to replace elements of the array by NULL.").overload(
            Signature::new([array(T)], array(array(T))),
            rowwise(|values, _| match values {
                [Value::Array(items)] => cube(items).map(Value::Array),
                _ => Ok(Value::Null),
            }),
        ),
    );
}

/// All combinations, counting up in binary: the first element is the highest digit, 0 replaces it by NULL. Elements that
/// are NULL have no digit.
fn cube(items: &[Value]) -> Result<Vec<Value>, String> {
    if items.len() > CUBE_LIMIT {
        return Err(format!("CUBE_EXPLODE takes at most {CUBE_LIMIT} elements, but the array has {}", items.len()));
    }
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let present: Vec<usize> = items.iter().enumerate().filter(|(_, v)| !v.is_null()).map(|(i, _)| i).collect();
    let row = |number: usize| {
        let mut row = vec![Value::Null; items.len()];
        for (digit, at) in present.iter().rev().enumerate() {
            if number >> digit & 1 == 1
                && let (Some(cell), Some(item)) = (row.get_mut(*at), items.get(*at))
            {
                *cell = item.clone();
            }
        }
        Value::Array(row)
    };
    Ok((0..1usize << present.len()).map(row).collect())
}
