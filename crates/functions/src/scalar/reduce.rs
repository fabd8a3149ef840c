//! REDUCE.

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::compute::{interleave, take};
use arrow::datatypes::DataType;
use flumen_expr::function::{CallArgs, K, S, ScalarFunction, Signature, T, V, array, lambda, map, whole};
use flumen_expr::{ExprError, Failures};

use super::lists::{children, internal};

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        ScalarFunction::new("REDUCE", "LAMBDA", "A state carried through the elements by a lambda of state and element.")
            .nullable_overload(Signature::new([array(T), S, lambda([S, T], S)], S), whole(reduce))
            .nullable_overload(Signature::new([map(K, V), S, lambda([S, K, V], S)], S), whole(reduce)),
    ]
}

/// Takes the n-th element of every row at once, for n from the first to the last of the longest.
fn reduce(call: &CallArgs<'_>, failures: &mut Failures) -> Result<ArrayRef, ExprError> {
    let ([collection, initial, ..], [f]) = (call.args, call.lambdas) else {
        return Err(ExprError::user("REDUCE takes a collection, a state and a lambda"));
    };
    let (offsets, nulls) = match collection.data_type() {
        DataType::List(_) => (collection.as_list::<i32>().value_offsets(), collection.nulls()),
        DataType::Map(..) => (collection.as_map().value_offsets(), collection.nulls()),
        other => return Err(ExprError::user(format!("a collection was expected, not {other}"))),
    };
    let columns = children(collection)?;
    // Rows still being reduced: the row, its next element and its end. A NULL state stays NULL.
    let mut open: Vec<(u32, u32, u32)> = Vec::new();
    call.each_row(|row| {
        let present = nulls.is_none_or(|n| n.is_valid(row)) && initial.is_valid(row);
        if let (true, Some([start, end])) = (present, offsets.get(row..row + 2)) {
            open.push((row as u32, *start as u32, *end as u32));
        }
    });
    let mut state = initial.clone();
    loop {
        open.retain(|(row, next, end)| next < end && !failures.failed(*row as usize));
        if open.is_empty() {
            return Ok(state);
        }
        let rows: Vec<u32> = open.iter().map(|(row, ..)| *row).collect();
        let places = UInt32Array::from_iter_values(open.iter().map(|(_, next, _)| *next));
        let mut params = vec![take(&state, &UInt32Array::from(rows.clone()), None).map_err(internal)?];
        for column in &columns {
            params.push(take(column, &places, None).map_err(internal)?);
        }
        let results = f.apply(&params, &rows, failures)?;
        let mut sources: Vec<(usize, usize)> = (0..call.rows).map(|row| (0, row)).collect();
        for (i, row) in rows.iter().enumerate() {
            if let Some(source) = sources.get_mut(*row as usize) {
                *source = (1, i);
            }
        }
        state = interleave(&[state.as_ref(), results.as_ref()], &sources).map_err(internal)?;
        open.iter_mut().for_each(|(_, next, _)| *next += 1);
    }
}
