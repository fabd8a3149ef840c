//! FILTER.

use arrow::array::{Array, AsArray};
use flumen_expr::ExprError;
use flumen_expr::function::{BOOLEAN, Implementation, K, ScalarFunction, Signature, T, V, array, lambda, map, whole};

use super::lists::{Elements, children, collect};

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        ScalarFunction::new("FILTER", "LAMBDA", "The elements, or the entries, for which the lambda is true.")
            .overload(Signature::new([array(T), lambda([T], BOOLEAN)], array(T)), filter())
            .overload(Signature::new([map(K, V), lambda([K, V], BOOLEAN)], map(K, V)), filter()),
    ]
}

fn filter() -> Implementation {
    whole(|call, failures| {
        let (Some(collection), Some(predicate)) = (call.args.first(), call.lambdas.first()) else {
            return Err(ExprError::user("FILTER takes a collection and a lambda"));
        };
        let elements = Elements::of(call, collection)?;
        let columns = children(collection)?;
        let params = columns.iter().map(|c| elements.take(c)).collect::<Result<Vec<_>, _>>()?;
        let passes = predicate.apply(&params, &elements.rows, failures)?;
        let Some(passes) = passes.as_boolean_opt() else {
            return Err(ExprError::user("the lambda of FILTER must be BOOLEAN"));
        };
        let mut kept = Elements { places: Vec::new(), rows: Vec::new() };
        for (i, (place, row)) in elements.places.iter().zip(&elements.rows).enumerate() {
            if passes.is_null(i) {
                failures.fail(*row as usize, || "the lambda of FILTER gave NULL".to_string());
            } else if passes.value(i) {
                kept.places.push(*place);
                kept.rows.push(*row);
            }
        }
        let columns = columns.iter().map(|c| kept.take(c)).collect::<Result<Vec<_>, _>>()?;
        let present = |row| collection.is_valid(row) && !failures.failed(row);
        collect(call.return_type, &kept.rows, call.rows, present, columns)
    })
}
