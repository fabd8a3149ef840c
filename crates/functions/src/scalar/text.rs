//! Simple functions of whole texts: case, length, joining, replacing, choosing.

use flumen_expr::function::{BYTES, INTEGER, STRING, ScalarFunction, Signature, map1, map3, rowwise};
use flumen_types::Value;

use super::adapters::variadic;
use super::utf16;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("LCASE", "The text in lower case.").overload(text_to_text(), map1::<str, String>(|s| Ok(Some(s.to_lowercase())))),
        named("UCASE", "The text in upper case.").overload(text_to_text(), map1::<str, String>(|s| Ok(Some(s.to_uppercase())))),
        named("INITCAP", "The text with each word's first letter in upper case and the rest in lower case.")
            .overload(text_to_text(), map1::<str, String>(|s| Ok(Some(capitalised(s))))),
        named("TRIM", "The text without white space at its ends.")
            .overload(text_to_text(), map1::<str, String>(|s| Ok(Some(s.trim_matches(|c| c <= ' ').to_string())))),
        named("LEN", "The length of a text in UTF-16 code units, or of bytes.")
            .overload(Signature::new([STRING], INTEGER), map1::<str, i32>(|s| Ok(Some(utf16::len(s) as i32))))
            .overload(Signature::new([BYTES], INTEGER), map1::<[u8], i32>(|b| Ok(Some(b.len() as i32)))),
        named("REPLACE", "The text with every occurrence of one text replaced by another.").overload(
            Signature::new([STRING, STRING, STRING], STRING),
            map3::<str, str, str, String>(|s, old, new| Ok(Some(s.replace(old, new)))),
        ),
        named("CONCAT", "The arguments one after the other; NULLs are left out.")
            .nullable_overload(
                Signature::new([STRING], STRING).variadic(),
                variadic::<str, String>(|parts| Ok(Some(parts.iter().flatten().copied().collect()))),
            )
            .nullable_overload(
                Signature::new([BYTES], BYTES).variadic(),
                variadic::<[u8], Vec<u8>>(|parts| Ok(Some(parts.iter().flatten().copied().flatten().copied().collect()))),
            ),
        named("CONCAT_WS", "The arguments after the first, joined by it; NULLs are left out.")
            .nullable_overload(Signature::new([STRING, STRING], STRING).variadic(), variadic::<str, String>(joined))
            .nullable_overload(Signature::new([BYTES, BYTES], BYTES).variadic(), variadic::<[u8], Vec<u8>>(joined_bytes)),
        named("CHR", "The character of a code point, or of an escape such as \\u004b.")
            .overload(
                Signature::new([INTEGER], STRING),
                map1::<i32, String>(|n| Ok(u32::try_from(n).ok().and_then(char::from_u32).map(String::from))),
            )
            .overload(text_to_text(), map1::<str, String>(|s| Ok(unescaped(s)))),
        named("ELT", "The n-th of the texts behind n, NULL when there is none.").nullable_overload(
            Signature::new([INTEGER, STRING], STRING).variadic().required(&[0]),
            rowwise(|values, _| {
                let Some(Value::Integer(n)) = values.first() else { return Ok(Value::Null) };
                let place = usize::try_from(*n).ok().filter(|n| *n >= 1);
                Ok(place.and_then(|n| values.get(n)).cloned().unwrap_or(Value::Null))
            }),
        ),
        named("FIELD", "The place of the first text among those behind it, counted from 1; 0 when it is not there or NULL.")
            .nullable_overload(
                Signature::new([STRING, STRING], INTEGER).variadic(),
                variadic::<str, i32>(|texts| {
                    let Some((Some(wanted), rest)) = texts.split_first() else { return Ok(Some(0)) };
                    let place = rest.iter().position(|t| t.as_ref() == Some(wanted));
                    Ok(Some(place.map_or(0, |p| p as i32 + 1)))
                }),
            ),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "STRING", description)
}

fn text_to_text() -> Signature {
    Signature::new([STRING], STRING)
}

const TOO_FEW: &str = "CONCAT_WS takes a separator and at least one more argument";

fn joined(parts: &[Option<&str>]) -> Result<Option<String>, String> {
    match parts {
        [] | [_] => Err(TOO_FEW.to_string()),
        [None, ..] => Ok(None),
        [Some(separator), rest @ ..] => Ok(Some(rest.iter().flatten().copied().collect::<Vec<_>>().join(separator))),
    }
}

fn joined_bytes(parts: &[Option<&[u8]>]) -> Result<Option<Vec<u8>>, String> {
    match parts {
        [] | [_] => Err(TOO_FEW.to_string()),
        [None, ..] => Ok(None),
        [Some(separator), rest @ ..] => Ok(Some(rest.iter().flatten().copied().collect::<Vec<_>>().join(*separator))),
    }
}

/// Leading white space is dropped; other runs of it stay.
fn capitalised(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut starts = true;
    for c in text.trim_start().to_lowercase().chars() {
        if starts {
            out.extend(c.to_uppercase());
        } else {
            out.push(c);
        }
        starts = c.is_whitespace();
    }
    out
}

/// Java escapes as text: `\u0041`, `\n`. `None` unless it starts with `\u` and every escape is whole.
fn unescaped(text: &str) -> Option<String> {
    if !text.starts_with("\\u") || text.len() < 6 {
        return None;
    }
    let mut units: Vec<u16> = Vec::new();
    let mut chars = text.chars().peekable();
    let mut buffer = [0; 2];
    while let Some(c) = chars.next() {
        if c != '\\' {
            units.extend_from_slice(c.encode_utf16(&mut buffer));
            continue;
        }
        match chars.next()? {
            'u' => {
                while chars.next_if_eq(&'u').is_some() {}
                let mut unit = 0;
                for _ in 0..4 {
                    unit = unit * 16 + chars.next()?.to_digit(16)? as u16;
                }
                units.push(unit);
            }
            'n' => units.push(10),
            'r' => units.push(13),
            't' => units.push(9),
            'b' => units.push(8),
            'f' => units.push(12),
            other => units.extend_from_slice(other.encode_utf16(&mut buffer)),
        }
    }
    String::from_utf16(&units).ok()
}
