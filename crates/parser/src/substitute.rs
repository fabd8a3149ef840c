//! Variables: `${name}` is replaced in the text of a statement before it is parsed.
//!
//! A value can never change what the statement around it is: in quotes its quotes are doubled, elsewhere it must be
//! one name or one constant.

use std::collections::BTreeMap;

use crate::error::ParseError;
use crate::lexer::{Kind, Limits, lex};
use crate::span::Span;

/// What surrounds a place in the text.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    Nothing,
    Quote(char),
    LineComment,
    BlockComment,
}

/// `text` with every `${name}` replaced by its value. `$${name}` stands for the characters `${name}`.
///
/// Names ignore case: the keys of `variables` are in upper case. In a string or quoted name a variable without a value
/// is left as it is; comments are left alone.
///
/// # Errors
/// Outside quotes: a variable without a value, or a value that is neither one name nor one constant.
pub fn substitute(text: &str, variables: &BTreeMap<String, String>) -> Result<String, ParseError> {
    let mut out = String::with_capacity(text.len());
    let mut around = Around::Nothing;
    let mut rest = text;
    while let Some(ch) = rest.chars().next() {
        let offset = text.len() - rest.len();
        let in_comment = matches!(around, Around::LineComment | Around::BlockComment);
        if ch == '$' && !in_comment {
            if let Some(name) = rest.strip_prefix('$').and_then(reference) {
                // The escape: give the reference without the first `$`.
                let whole = rest.get(1..name.len() + 4).unwrap_or("");
                out.push_str(whole);
                rest = rest.get(1 + whole.len()..).unwrap_or("");
                continue;
            }
            if let Some(name) = reference(rest) {
                let span = Span::new(offset, offset + name.len() + 3);
                match (variables.get(&name.to_ascii_uppercase()), around) {
                    (Some(value), Around::Quote(quote)) => out.push_str(&value.replace(quote, &format!("{quote}{quote}"))),
                    (Some(value), _) => out.push_str(checked(text, span, name, value)?),
                    (None, Around::Quote(_)) => out.push_str(span.slice(text)),
                    (None, _) => return Err(ParseError::new(text, span, format!("the variable {name} has no value: DEFINE it first"))),
                }
                rest = text.get(span.end..).unwrap_or("");
                continue;
            }
        }
        let length = step(rest, ch, &mut around);
        out.push_str(rest.get(..length).unwrap_or(""));
        rest = rest.get(length..).unwrap_or("");
    }
    Ok(out)
}

/// The name in a `${name}` at the start of `text`.
fn reference(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix("${")?.split_once('}')?;
    let mut chars = name.chars();
    let first = chars.next()?;
    let fits = (first.is_ascii_alphabetic() || first == '_') && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    fits.then_some(name)
}

/// Follows quotes and comments over the character `ch` at the start of `rest`; how many bytes to copy.
fn step(rest: &str, ch: char, around: &mut Around) -> usize {
    let next = match *around {
        Around::Nothing => match ch {
            '\'' | '"' | '`' => Around::Quote(ch),
            '-' if rest.starts_with("--") => Around::LineComment,
            '/' if rest.starts_with("/*") => {
                *around = Around::BlockComment;
                return 2;
            }
            _ => Around::Nothing,
        },
        // A doubled quote closes and opens again, which comes to the same.
        Around::Quote(quote) if ch == quote => Around::Nothing,
        Around::LineComment if ch == '\n' => Around::Nothing,
        Around::BlockComment if rest.starts_with("*/") => {
            *around = Around::Nothing;
            return 2;
        }
        same => same,
    };
    *around = next;
    ch.len_utf8()
}

/// The value, if it is safe outside quotes: one name, or one constant with or without a sign.
fn checked<'v>(text: &str, span: Span, name: &str, value: &'v str) -> Result<&'v str, ParseError> {
    let tokens = lex(value, &Limits::default()).map(|lexed| lexed.tokens).unwrap_or_default();
    let constant = match tokens.first().map(|t| t.kind) {
        Some(Kind::Minus) => tokens.get(1..).unwrap_or_default(),
        _ => tokens.as_slice(),
    };
    let number = |kind| matches!(kind, Kind::Integer | Kind::Decimal | Kind::Float);
    let one = match constant {
        [only, end] if end.kind == Kind::End => {
            number(only.kind) || (constant.len() == tokens.len() && matches!(only.kind, Kind::Word | Kind::QuotedName | Kind::String))
        }
        _ => false,
    };
    // A comment in the value would be no token, but could swallow what follows.
    if one && !value.contains("--") && !value.contains("/*") {
        return Ok(value);
    }
    let message = format!("the value of {name} is neither one name nor one constant: outside quotes only those can be put in");
    Err(ParseError::new(text, span, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str) -> Result<String, String> {
        let values =
            [("TOPIC", "orders"), ("NAME", "s1"), ("N", "5"), ("TEXT", "'it''s'"), ("Q", "it's `x`"), ("EVIL", "x; DROP STREAM y")];
        let variables = values.into_iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        substitute(text, &variables).map_err(|e| e.message)
    }

    #[test]
    fn replaces_by_place() {
        assert_eq!(with("CREATE STREAM ${name} WITH (K='${topic}-1', P=${N})").unwrap(), "CREATE STREAM s1 WITH (K='orders-1', P=5)");
        assert_eq!(with("SELECT ${text}, '${q}', `${q}`").unwrap(), "SELECT 'it''s', 'it''s `x`', `it's ``x```");
        assert_eq!(with("'ä${n}ö'").unwrap(), "'ä5ö'");
    }

    #[test]
    fn escapes_and_leaves_alone() {
        assert_eq!(with("'$${n}' $${topic}").unwrap(), "'${n}' ${topic}");
        assert_eq!(
            with("'${unknown}' -- ${unknown}\n/* ${x} */ '$5' '${a b}'").unwrap(),
            "'${unknown}' -- ${unknown}\n/* ${x} */ '$5' '${a b}'"
        );
    }

    #[test]
    fn refuses_what_would_change_the_statement() {
        assert!(with("SELECT ${evil}").unwrap_err().contains("evil"));
        assert!(with("SELECT ${q}").is_err());
        assert!(with("SELECT ${missing}").unwrap_err().contains("missing"));
        assert_eq!(with("'${evil}'").unwrap(), "'x; DROP STREAM y'");
    }
}
