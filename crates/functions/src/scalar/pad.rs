//! LPAD and RPAD.

use flumen_expr::function::{BYTES, INTEGER, STRING, ScalarFunction, Signature, map3};

use super::utf16;

/// Longest result, so that a slip in the length does not take all memory.
const LONGEST: usize = 16 * 1024 * 1024;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        padding("LPAD", "The text brought to a length by padding in front, or cut off behind.", true),
        padding("RPAD", "The text brought to a length by padding behind, or cut off.", false),
    ]
}

fn padding(name: &'static str, description: &'static str, left: bool) -> ScalarFunction {
    ScalarFunction::new(name, "STRING", description)
        .overload(
            Signature::new([STRING, INTEGER, STRING], STRING),
            map3::<str, i32, str, String>(move |s, n, p| {
                if s.is_ascii() && p.is_ascii() {
                    let bytes = padded(s.as_bytes(), n, p.as_bytes(), left)?;
                    return Ok(bytes.and_then(|b| String::from_utf8(b).ok()));
                }
                Ok(padded(&utf16::units(s), n, &utf16::units(p), left)?.map(|units| utf16::text(&units)))
            }),
        )
        .overload(Signature::new([BYTES, INTEGER, BYTES], BYTES), map3::<[u8], i32, [u8], Vec<u8>>(move |b, n, p| padded(b, n, p, left)))
}

fn padded<T: Copy>(given: &[T], length: i32, padding: &[T], left: bool) -> Result<Option<Vec<T>>, String> {
    let Ok(length) = usize::try_from(length) else { return Ok(None) };
    if padding.is_empty() {
        return Ok(None);
    }
    if length > LONGEST {
        return Err(format!("a length of {length} is more than the {LONGEST} that can be padded to"));
    }
    let missing = length.saturating_sub(given.len());
    let fill = padding.iter().copied().cycle().take(missing);
    let kept = given.iter().copied().take(length);
    Ok(Some(if left { fill.chain(kept).collect() } else { kept.chain(fill).collect() }))
}
