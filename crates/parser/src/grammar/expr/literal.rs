//! Constants: numbers with their sign, strings, TRUE, FALSE, NULL, `DECIMAL '…'`.

use crate::ast::{Double, Literal};
use crate::cursor::{Cursor, Result};
use crate::lexer::Kind;

/// A constant, if one is next.
pub(crate) fn literal(c: &mut Cursor) -> Result<Option<Literal>> {
    let negative = c.kind() == Kind::Minus;
    Ok(Some(match c.kind_at(usize::from(negative)) {
        Kind::Integer | Kind::Decimal | Kind::Float => number(c, negative)?,
        _ if negative => return Ok(None),
        Kind::String => Literal::String(c.string("a string")?),
        Kind::Word if c.eat_word("NULL") => Literal::Null,
        Kind::Word if c.eat_word("TRUE") => Literal::Boolean(true),
        Kind::Word if c.eat_word("FALSE") => Literal::Boolean(false),
        Kind::Word if c.keyword_at(0, "DECIMAL") && c.kind_at(1) == Kind::String => {
            c.advance();
            decimal(c)?
        }
        _ => return Ok(None),
    }))
}

fn number(c: &mut Cursor, negative: bool) -> Result<Literal> {
    let start = c.start();
    if negative {
        c.advance();
    }
    let token = c.advance();
    let text = format!("{}{}", if negative { "-" } else { "" }, c.source(token));
    let span = c.span_from(start);
    match token.kind {
        Kind::Decimal => Ok(Literal::Decimal(text)),
        Kind::Float => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Literal::Double(Double(value))),
            _ => Err(c.error(span, "the number is too large for DOUBLE")),
        },
        _ => match (text.parse::<i32>(), text.parse::<i64>()) {
            (Ok(value), _) => Ok(Literal::Integer(value)),
            (_, Ok(value)) => Ok(Literal::BigInt(value)),
            _ => Err(c.error(span, "the number is too large for BIGINT: write it with a point, as a DECIMAL")),
        },
    }
}

fn decimal(c: &mut Cursor) -> Result<Literal> {
    let span = c.peek().span;
    let text = c.string("a number as a string")?;
    if is_decimal(&text) {
        Ok(Literal::Decimal(text))
    } else {
        Err(c.error(span, "not a decimal number: digits, with or without a point, a sign and an exponent"))
    }
}

fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (digits, exponent) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(d, e)| (d, Some(e)));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let exponent_fits = exponent.is_none_or(|e| e.parse::<i32>().is_ok());
    all_digits(whole) && all_digits(fraction) && !(whole.is_empty() && fraction.is_empty()) && exponent_fits
}

#[cfg(test)]
mod tests {
    use super::is_decimal;

    #[test]
    fn knows_decimal_numbers() {
        assert!(["1", "-1.50", "+.5", "1.", "1E3", "1.5e-3"].iter().all(|t| is_decimal(t)));
        assert!(["", ".", "-", "1.2.3", "abc", "1e", " 1"].iter().all(|t| !is_decimal(t)));
    }
}
