//! SUBSTRING.

use flumen_expr::function::{BYTES, INTEGER, STRING, ScalarFunction, Signature, map2, map3};

use super::utf16;

pub(super) fn all() -> Vec<ScalarFunction> {
    let text = |s: &str, from: i32, length: Option<i32>| {
        let (start, end) = bounds(utf16::len(s), from, length);
        Ok(Some(utf16::slice(s, start, end)))
    };
    let bytes = |b: &[u8], from: i32, length: Option<i32>| {
        let (start, end) = bounds(b.len(), from, length);
        Ok(Some(b.get(start..end).unwrap_or_default().to_vec()))
    };
    vec![
        ScalarFunction::new(
            "SUBSTRING",
            "STRING",
            "The part of a text from a position on, counted from 1, or from the end when negative; at most so long.",
        )
        .overload(Signature::new([STRING, INTEGER], STRING), map2::<str, i32, String>(move |s, from| text(s, from, None)))
        .overload(
            Signature::new([STRING, INTEGER, INTEGER], STRING),
            map3::<str, i32, i32, String>(move |s, from, n| text(s, from, Some(n))),
        )
        .overload(Signature::new([BYTES, INTEGER], BYTES), map2::<[u8], i32, Vec<u8>>(move |b, from| bytes(b, from, None)))
        .overload(
            Signature::new([BYTES, INTEGER, INTEGER], BYTES),
            map3::<[u8], i32, i32, Vec<u8>>(move |b, from, n| bytes(b, from, Some(n))),
        ),
    ]
}

/// Start and end within the length; 0 counts as 1.
fn bounds(len: usize, from: i32, length: Option<i32>) -> (usize, usize) {
    let total = len as i64;
    let start = if from < 0 { (total + from as i64).max(0) } else { (from as i64 - 1).clamp(0, total) };
    let end = length.map_or(total, |n| (start + n as i64).min(total)).max(start);
    (start as usize, end as usize)
}
