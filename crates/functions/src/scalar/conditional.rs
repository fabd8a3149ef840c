//! COALESCE, IFNULL, NULLIF and AS_VALUE.

use arrow::array::{Array, ArrayRef};
use arrow::compute::interleave;
use flumen_expr::function::{CallArgs, Implementation, ScalarFunction, Signature, T, rowwise, whole};
use flumen_expr::{ExprError, Failures};
use flumen_types::Value;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("COALESCE", "The first argument that is not NULL.").nullable_overload(Signature::new([T, T], T).variadic(), first_present()),
        named("IFNULL", "The first argument, or the second when it is NULL.").nullable_overload(Signature::new([T, T], T), first_present()),
        named("NULLIF", "NULL when the arguments are equal, else the first.").nullable_overload(
            Signature::new([T, T], T),
            rowwise(|values, _| match values {
                [a, b] if a == b => Ok(Value::Null),
                [a, ..] => Ok(a.clone()),
                [] => Ok(Value::Null),
            }),
        ),
        named("AS_VALUE", "The argument itself; in a projection it copies a key column into the value.").nullable_overload(
            Signature::new([T], T),
            whole(|call, _| call.args.first().cloned().ok_or_else(|| ExprError::user("AS_VALUE takes one argument"))),
        ),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "CONDITIONAL", description)
}

fn first_present() -> Implementation {
    whole(|call: &CallArgs<'_>, _: &mut Failures| -> Result<ArrayRef, ExprError> {
        let columns: Vec<&dyn Array> = call.args.iter().map(|a| a.as_ref()).collect();
        let last = columns.len().saturating_sub(1);
        let places: Vec<(usize, usize)> =
            (0..call.rows).map(|row| (columns.iter().position(|c| c.is_valid(row)).unwrap_or(last), row)).collect();
        interleave(&columns, &places).map_err(|e| ExprError::user(e.to_string()))
    })
}
