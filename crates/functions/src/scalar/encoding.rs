//! ENCODE, TO_BYTES, FROM_BYTES and MD5: text as bytes and back.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flumen_expr::function::{BYTES, STRING, ScalarFunction, Signature, map1, map2, map3};
use md5::{Digest, Md5};

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("ENCODE", "A text in one encoding written in another: hex, utf8, ascii or base64.").overload(
            Signature::new([STRING, STRING, STRING], STRING),
            map3::<str, str, str, String>(|text, from, to| {
                let (source, target) = (Encoding::named(from)?, Encoding::named(to)?);
                if source == target {
                    return Err(format!("the input and the output encoding are both '{from}'"));
                }
                let text = target.write(&source.read(text)?);
                Ok(Some(if target == Encoding::Hex { text.to_lowercase() } else { text }))
            }),
        ),
        named("TO_BYTES", "The bytes of a text in an encoding: hex, utf8, ascii or base64.").overload(
            Signature::new([STRING, STRING], BYTES),
            map2::<str, str, Vec<u8>>(|text, encoding| Encoding::named(encoding)?.read(text).map(Some)),
        ),
        named("FROM_BYTES", "Bytes as text in an encoding: hex, utf8, ascii or base64.").overload(
            Signature::new([BYTES, STRING], STRING),
            map2::<[u8], str, String>(|bytes, encoding| Ok(Some(Encoding::named(encoding)?.write(bytes)))),
        ),
        named("MD5", "The MD5 digest of a text in hexadecimal.").overload(
            Signature::new([STRING], STRING),
            map1::<str, String>(|text| Ok(Some(hex(&Md5::digest(text.as_bytes())).to_lowercase()))),
        ),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "STRING", description)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Hex,
    Utf8,
    Ascii,
    Base64,
}

impl Encoding {
    fn named(name: &str) -> Result<Encoding, String> {
        match name.to_lowercase().as_str() {
            "hex" => Ok(Encoding::Hex),
            "utf8" => Ok(Encoding::Utf8),
            "ascii" => Ok(Encoding::Ascii),
            "base64" => Ok(Encoding::Base64),
            _ => Err(format!("unknown encoding '{name}': the encodings are hex, utf8, ascii and base64")),
        }
    }

    fn read(self, text: &str) -> Result<Vec<u8>, String> {
        match self {
            Encoding::Hex => unhex(text).ok_or_else(|| format!("'{text}' is not hexadecimal")),
            Encoding::Utf8 => Ok(text.as_bytes().to_vec()),
            Encoding::Ascii => Ok(text.chars().map(|c| if c.is_ascii() { c as u8 } else { b'?' }).collect()),
            Encoding::Base64 => BASE64.decode(text).map_err(|_| format!("'{text}' is not base64")),
        }
    }

    fn write(self, bytes: &[u8]) -> String {
        match self {
            Encoding::Hex => hex(bytes),
            Encoding::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Encoding::Ascii => bytes.iter().map(|b| if b.is_ascii() { *b as char } else { char::REPLACEMENT_CHARACTER }).collect(),
            Encoding::Base64 => BASE64.encode(bytes),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from_digit(n as u32, 16).unwrap_or('0').to_ascii_uppercase();
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
}

/// Plain digits, `0x…` (an odd number of digits is filled up in front) or `X'…'`.
fn unhex(text: &str) -> Option<Vec<u8>> {
    let mut digits: Vec<u8> = Vec::with_capacity(text.len() + 1);
    let given = if let Some(rest) = text.strip_prefix("0x") {
        if rest.len() % 2 == 1 {
            digits.push(0);
        }
        rest
    } else if let Some(rest) = text.strip_prefix("X'").or_else(|| text.strip_prefix("x'")) {
        rest.strip_suffix('\'')?
    } else {
        text
    };
    for c in given.chars() {
        digits.push(c.to_digit(16)? as u8);
    }
    let (pairs, odd) = digits.as_chunks::<2>();
    odd.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}
