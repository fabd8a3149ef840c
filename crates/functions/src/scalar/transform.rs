//! TRANSFORM.

use ahash::HashSet;
use arrow::array::{Array, ArrayRef};
use flumen_expr::function::{CallArgs, K, ParamType, ScalarFunction, Signature, T, U, V, array, lambda, map, whole};
use flumen_expr::{ExprError, Failures};
use flumen_types::encode_rows;

use super::lists::{Elements, children, collect};

/// The type of a map's new keys.
const R: ParamType = ParamType::Generic('R');

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        ScalarFunction::new(
            "TRANSFORM",
            "LAMBDA",
            "The collection with the lambda's result for each element; of maps one lambda gives the key and one the value.",
        )
        .overload(Signature::new([array(T), lambda([T], U)], array(U)), whole(transform_array))
        .overload(Signature::new([map(K, V), lambda([K, V], R), lambda([K, V], U)], map(R, U)), whole(transform_map)),
    ]
}

fn transform_array(call: &CallArgs<'_>, failures: &mut Failures) -> Result<ArrayRef, ExprError> {
    let (Some(list), [f]) = (call.args.first(), call.lambdas) else {
        return Err(ExprError::user("TRANSFORM takes an array and a lambda"));
    };
    let elements = Elements::of(call, list)?;
    let params = children(list)?.iter().map(|c| elements.take(c)).collect::<Result<Vec<_>, _>>()?;
    let results = f.apply(&params, &elements.rows, failures)?;
    let present = |row| list.is_valid(row) && !failures.failed(row);
    collect(call.return_type, &elements.rows, call.rows, present, vec![results])
}

fn transform_map(call: &CallArgs<'_>, failures: &mut Failures) -> Result<ArrayRef, ExprError> {
    let (Some(given), [key, value]) = (call.args.first(), call.lambdas) else {
        return Err(ExprError::user("TRANSFORM takes a map and two lambdas"));
    };
    let elements = Elements::of(call, given)?;
    let params = children(given)?.iter().map(|c| elements.take(c)).collect::<Result<Vec<_>, _>>()?;
    let keys = key.apply(&params, &elements.rows, failures)?;
    let values = value.apply(&params, &elements.rows, failures)?;
    let bytes = encode_rows(&[(&keys, key.return_type())], keys.len());
    let mut seen: HashSet<(u32, &[u8])> = HashSet::default();
    for (i, row) in elements.rows.iter().enumerate() {
        if keys.is_null(i) || values.is_null(i) {
            failures.fail(*row as usize, || "a lambda of TRANSFORM gave NULL as key or value of a map".to_string());
        } else if !seen.insert((*row, bytes.key(i))) {
            failures.fail(*row as usize, || "TRANSFORM gave the same key twice".to_string());
        }
    }
    // Entries of failed rows may have NULL keys, which a map cannot hold.
    let kept = Elements {
        places: (0..keys.len() as u32).filter(|i| elements.rows.get(*i as usize).is_some_and(|r| !failures.failed(*r as usize))).collect(),
        rows: elements.rows.iter().copied().filter(|r| !failures.failed(*r as usize)).collect(),
    };
    let present = |row| given.is_valid(row) && !failures.failed(row);
    collect(call.return_type, &kept.rows, call.rows, present, vec![kept.take(&keys)?, kept.take(&values)?])
}
