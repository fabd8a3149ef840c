//! CASE: each part is evaluated only for the rows that reach it.

use arrow::array::Array;
use arrow::compute::interleave;
use flumen_types::{SqlType, null_column};

use super::Selection;
use super::internal;
use super::logic::truth;
use super::node::{Cx, Node};
use super::operand::{Operand, fail_nulls, validity};
use crate::{ExprError, Failures};

pub(super) fn case(
    branches: &[(Node, Node)],
    otherwise: Option<&Node>,
    ty: &SqlType,
    cx: &Cx<'_>,
    selection: &Selection,
    failures: &mut Failures,
) -> Result<Operand, ExprError> {
    let rows = cx.rows;
    // Source 0 is NULL; where each row's result stands.
    let mut sources: Vec<Operand> = vec![Operand::Constant(null_column(ty, 1))];
    let mut places: Vec<(usize, usize)> = vec![(0, 0); rows];
    let mut open = selection.clone();
    for (when, then) in branches {
        if open.count(rows) == 0 {
            break;
        }
        let condition = when.eval(cx, &open, failures)?;
        let valid = validity(&[&condition], rows);
        fail_nulls(valid.as_ref(), rows, &open, failures, || "a condition of CASE is NULL".to_string());
        let holds = truth(&condition, rows)?;
        // Where a condition failed the whole CASE did: no branch is computed.
        let taken = open.narrow(rows, |row| holds.value(row) && !failures.failed(row));
        open = open.narrow(rows, |row| !holds.value(row) && !failures.failed(row) && valid.as_ref().is_none_or(|v| v.is_valid(row)));
        choose(then, &taken, &mut sources, &mut places, cx, failures)?;
    }
    if let Some(node) = otherwise {
        choose(node, &open, &mut sources, &mut places, cx, failures)?;
    }
    let arrays: Vec<&dyn Array> = sources.iter().map(|s| s.array().as_ref()).collect();
    Ok(Operand::Column(interleave(&arrays, &places).map_err(internal)?))
}

fn choose(
    node: &Node,
    taken: &Selection,
    sources: &mut Vec<Operand>,
    places: &mut [(usize, usize)],
    cx: &Cx<'_>,
    failures: &mut Failures,
) -> Result<(), ExprError> {
    if taken.count(cx.rows) == 0 {
        return Ok(());
    }
    let result = node.eval(cx, taken, failures)?;
    let source = sources.len();
    taken.each(cx.rows, |row| {
        if let Some(place) = places.get_mut(row) {
            *place = (source, result.index(row));
        }
    });
    sources.push(result);
    Ok(())
}
