//! JSON strings: written with the escapes Jackson uses, read back, and any JSON text written anew as a STRING shows it.

use std::borrow::Cow;

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Writes text in quotes; only quotes, backslashes and control characters are escaped.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
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

/// The text of a JSON string given with its quotes; borrowed when nothing is escaped in it. `None` when it is not one.
/// Half a surrogate pair reads as U+FFFD.
pub fn read_string(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.as_bytes().contains(&b'\\') {
        return (!inner.contains('"')).then_some(Cow::Borrowed(inner));
    }
    let mut out = String::with_capacity(inner.len());
    // UTF-16 units of escapes right behind each other: two may make one character.
    let mut units: Vec<u16> = Vec::new();
    let mut rest = inner;
    while let Some((plain, after)) = rest.split_once('\\') {
        if !plain.is_empty() {
            flush(&mut units, &mut out);
            out.push_str(plain);
        }
        let mut chars = after.chars();
        let escaped = match chars.next()? {
            'u' => {
                let digits = after.get(1..5)?;
                if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                    return None;
                }
                units.push(u16::from_str_radix(digits, 16).ok()?);
                rest = after.get(5..)?;
                continue;
            }
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\u{8}',
            'f' => '\u{c}',
            c @ ('"' | '\\' | '/') => c,
            _ => return None,
        };
        flush(&mut units, &mut out);
        out.push(escaped);
        rest = chars.as_str();
    }
    flush(&mut units, &mut out);
    out.push_str(rest);
    Some(Cow::Owned(out))
}

fn flush(units: &mut Vec<u16>, out: &mut String) {
    out.extend(char::decode_utf16(units.drain(..)).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
}

/// Writes well-formed JSON text anew: without white space between tokens, strings with no more escapes than needed.
pub fn compact(raw: &str, out: &mut Vec<u8>) {
    let bytes = raw.as_bytes();
    let mut at = 0;
    while let Some(b) = bytes.get(at) {
        match b {
            b'"' => {
                let end = string_end(bytes, at);
                let text = raw.get(at..end).unwrap_or_default();
                match read_string(text) {
                    Some(read) => write_string(&read, out),
                    None => out.extend_from_slice(text.as_bytes()),
                }
                at = end;
            }
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            _ => {
                out.push(*b);
                at += 1;
            }
        }
    }
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
    fn escapes_read_as_text() {
        assert_eq!(read_string(r#""a\u0041\/\ud83d\ude00\n""#).unwrap(), "aA/\u{1F600}\n");
        assert_eq!(read_string(r#""\ud83dx""#).unwrap(), "\u{FFFD}x");
        for bad in ["", "\"", "a", r#""\x""#, r#""\u00""#, r#""\u00é""#, r#""\""#, r#""a"b""#] {
            assert!(read_string(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn json_is_written_compactly() {
        let mut out = Vec::new();
        compact(r#" { "a b" : [ 1 , "x\u0041\"" , null ] } "#, &mut out);
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
