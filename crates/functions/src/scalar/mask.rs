//! MASK and its relatives: characters replaced by one of their class.

use flumen_expr::function::{INTEGER, ParamType, STRING, ScalarFunction, Signature, rowwise};
use flumen_types::Value;

use super::utf16;

/// What each class of characters is replaced by; `None` leaves it as it is.
struct Masks {
    upper: Option<char>,
    lower: Option<char>,
    digit: Option<char>,
    other: Option<char>,
}

const DEFAULT: Masks = Masks { upper: Some('X'), lower: Some('x'), digit: Some('n'), other: Some('-') };

/// Which part of a text of a length is masked, for a count.
type Part = fn(len: usize, n: usize) -> std::ops::Range<usize>;

pub(super) fn all() -> Vec<ScalarFunction> {
    let [u, l, d, o] = [STRING, STRING, STRING, STRING];
    vec![
        named("MASK", "The text with letters, digits and others masked; a mask that is NULL leaves its class.")
            .overload(Signature::new([STRING], STRING), rowwise(|values, _| masked(values, &[], 0, |len, _| 0..len)))
            .nullable_overload(
                Signature::new([STRING, u, l, d, o], STRING),
                rowwise(|values, _| masked(values, values.get(1..).unwrap_or_default(), 0, |len, _| 0..len)),
            ),
        counted("MASK_LEFT", "The text with its first n characters masked.", |len, n| 0..n.min(len)),
        counted("MASK_RIGHT", "The text with its last n characters masked.", |len, n| len.saturating_sub(n)..len),
        counted("MASK_KEEP_LEFT", "The text with all but its first n characters masked.", |len, n| n.min(len)..len),
        counted("MASK_KEEP_RIGHT", "The text with all but its last n characters masked.", |len, n| 0..len.saturating_sub(n)),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "STRING", description)
}

fn counted(name: &'static str, description: &'static str, part: Part) -> ScalarFunction {
    let call = move |values: &[Value]| {
        let Some(Value::Integer(n)) = values.get(1) else { return Ok(Value::Null) };
        let n = usize::try_from(*n).map_err(|_| format!("the number of characters must not be negative, but is {n}"))?;
        masked(values, values.get(2..).unwrap_or_default(), n, part)
    };
    let params: [ParamType; 6] = [STRING, INTEGER, STRING, STRING, STRING, STRING];
    named(name, description)
        .nullable_overload(Signature::new([STRING, INTEGER], STRING).required(&[1]), rowwise(move |values, _| call(values)))
        .nullable_overload(Signature::new(params, STRING).required(&[1]), rowwise(move |values, _| call(values)))
}

fn masked(values: &[Value], masks: &[Value], n: usize, part: Part) -> Result<Value, String> {
    let masks = match masks {
        [] => DEFAULT,
        [upper, lower, digit, other, ..] => Masks { upper: mask(upper)?, lower: mask(lower)?, digit: mask(digit)?, other: mask(other)? },
        _ => return Err("masks are given for upper case, lower case, digits and others".to_string()),
    };
    let Some(Value::String(text)) = values.first() else { return Ok(Value::Null) };
    let part = part(utf16::len(text), n);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for c in text.chars() {
        let mask = match c {
            c if c.is_uppercase() => masks.upper,
            c if c.is_lowercase() => masks.lower,
            c if c.is_numeric() => masks.digit,
            _ => masks.other,
        };
        let inside = part.contains(&at);
        at += c.len_utf16();
        match mask {
            // A character of two code units counts as two.
            Some(m) if inside => out.extend(std::iter::repeat_n(m, c.len_utf16())),
            _ => out.push(c),
        }
    }
    Ok(Value::String(out))
}

fn mask(value: &Value) -> Result<Option<char>, String> {
    let Value::String(text) = value else { return Ok(None) };
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(Some(c)),
        _ => Err(format!("a mask must be one character, but '{text}' was given")),
    }
}
