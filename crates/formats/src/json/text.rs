//! JSON strings: written with the escapes Jackson uses, and any JSON text written anew as a STRING column shows it.

use std::borrow::Cow;

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Writes text in quotes; only quotes, backslashes and control characters are escaped.
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut clean = 0;
    for (i, b) in bytes.iter().enumerate() {
        if *b >= 0x20 && *b != b'"' && *b != b'\\' {
            continue;
        }
        out.extend_from_slice(bytes.get(clean..i).unwrap_or_default());
        clean = i + 1;
        match b {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0C => out.extend_from_slice(b"\\f"),
            _ => {
                out.extend_from_slice(b"\\u00");
                out.push(HEX[(b >> 4) as usize]);
                out.push(HEX[(b & 15) as usize]);
            }
        }
    }
    out.extend_from_slice(bytes.get(clean..).unwrap_or_default());
    out.push(b'"');
}

/// The text of a JSON string given with its quotes; borrowed when nothing is escaped in it.
pub(crate) fn read_string(raw: &str) -> Result<Cow<'_, str>, serde_json::Error> {
    match raw.strip_prefix('"').and_then(|r| r.strip_suffix('"')) {
        Some(inner) if !inner.as_bytes().contains(&b'\\') => Ok(Cow::Borrowed(inner)),
        _ => serde_json::from_str::<String>(raw).map(Cow::Owned),
    }
}

/// Writes well-formed JSON text anew: without white space between tokens, strings with no more escapes than needed.
pub(crate) fn compact(raw: &str, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    let bytes = raw.as_bytes();
    let mut at = 0;
    while let Some(b) = bytes.get(at) {
        match b {
            b'"' => {
                let end = string_end(bytes, at);
                write_string(&read_string(raw.get(at..end).unwrap_or_default())?, out);
                at = end;
            }
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            _ => {
                out.push(*b);
                at += 1;
            }
        }
    }
    Ok(())
}

/// The position after the string that starts at `at`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut i = at + 1;
    while let Some(b) = bytes.get(i) {
        match b {
            b'\\' => i += 2,
            b'"' => return i + 1,
            _ => i += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write_string(text, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn strings_are_escaped_as_little_as_possible() {
        assert_eq!(written("a\"b\\c/é\n\u{1}"), "\"a\\\"b\\\\c/é\\n\\u0001\"");
    }

    #[test]
    fn json_is_written_compactly() {
        let mut out = Vec::new();
        compact(r#" { "a b" : [ 1 , "x\u0041\"" , null ] } "#, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"a b":[1,"xA\"",null]}"#);
    }

    proptest! {
        #[test]
        fn strings_round_trip(text: String) {
            let json = written(&text);
            prop_assert_eq!(read_string(&json).unwrap(), text);
        }
    }
}
