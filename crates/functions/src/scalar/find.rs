//! INSTR: where a text is found in another.

use flumen_expr::function::{INTEGER, STRING, ScalarFunction, Signature, rowwise};
use flumen_types::Value;

use super::utf16;

pub(super) fn all() -> Vec<ScalarFunction> {
    let call = || rowwise(|values, _| Ok(Value::Integer(instr(values))));
    vec![
        ScalarFunction::new(
            "INSTR",
            "STRING",
            "The position of a text in another, counted from 1, or 0; from a position on, backwards from the end when it is negative; the n-th occurrence.",
        )
        .nullable_overload(Signature::new([STRING, STRING], INTEGER), call())
        .nullable_overload(Signature::new([STRING, STRING, INTEGER], INTEGER).required(&[2]), call())
        .nullable_overload(Signature::new([STRING, STRING, INTEGER, INTEGER], INTEGER).required(&[2, 3]), call()),
    ]
}

fn instr(values: &[Value]) -> i32 {
    let [Value::String(text), Value::String(wanted), rest @ ..] = values else { return 0 };
    let number = |i: usize| match rest.get(i) {
        Some(Value::Integer(n)) => *n as i64,
        _ => 1,
    };
    let (position, occurrence) = (number(0), number(1));
    let found = if text.is_ascii() && wanted.is_ascii() {
        find(text.as_bytes(), wanted.as_bytes(), position, occurrence)
    } else {
        find(&utf16::units(text), &utf16::units(wanted), position, occurrence)
    };
    found.map_or(0, |at| at as i32 + 1)
}

/// Start of the n-th occurrence counted from a position.
fn find<T: PartialEq>(text: &[T], wanted: &[T], position: i64, occurrence: i64) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    let nth = usize::try_from(occurrence.checked_sub(1)?).ok()?;
    let starts = || text.windows(wanted.len()).enumerate().filter(|(_, w)| *w == wanted).map(|(at, _)| at);
    if position < 0 {
        let last = usize::try_from(text.len() as i64 + position).ok()?;
        return starts().filter(|at| *at <= last).collect::<Vec<_>>().into_iter().rev().nth(nth);
    }
    let first = usize::try_from((position - 1).max(0)).ok()?;
    starts().filter(|at| *at >= first).nth(nth)
}
