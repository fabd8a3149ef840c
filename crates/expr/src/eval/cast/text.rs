//! Anything to STRING, and STRING to anything.

use std::fmt::Write;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringBuilder};
use flumen_types::{Decimal, SqlType, display_value, format_double, parse_date, parse_time, parse_timestamp, value_at};

use super::super::Selection;
use super::super::decimal::array_of;
use super::convert;
use crate::function::{Date, Time, Timestamp};
use crate::{ExprError, Failures};

/// The text of the selected values.
pub(super) fn to_text(array: &ArrayRef, from: &SqlType, selection: &Selection) -> Result<ArrayRef, ExprError> {
    let rows = array.len();
    let mut out = StringBuilder::with_capacity(rows, rows * 8);
    let mut next = 0;
    selection.each(rows, |row| {
        (next..row).for_each(|_| out.append_null());
        next = row + 1;
        if array.is_null(row) {
            out.append_null();
            return;
        }
        // Writing into the builder's buffer cannot fail.
        let _ = match from {
            SqlType::Integer => match array.as_primitive_opt::<arrow::datatypes::Int32Type>() {
                Some(a) => write!(out, "{}", a.value(row)),
                None => Ok(()),
            },
            SqlType::Bigint => match array.as_primitive_opt::<arrow::datatypes::Int64Type>() {
                Some(a) => write!(out, "{}", a.value(row)),
                None => Ok(()),
            },
            SqlType::Double => match array.as_primitive_opt::<arrow::datatypes::Float64Type>() {
                Some(a) => out.write_str(&format_double(a.value(row))),
                None => Ok(()),
            },
            _ => out.write_str(&display_value(&value_at(array.as_ref(), from, row), from)),
        };
        out.append_value("");
    });
    (next..rows).for_each(|_| out.append_null());
    Ok(Arc::new(out.finish()))
}

/// The selected texts, trimmed, read as a type; those that do not read fail.
pub(super) fn from_text(array: &ArrayRef, to: &SqlType, selection: &Selection, failures: &mut Failures) -> Result<ArrayRef, ExprError> {
    let bad = |text: &str| format!("Cannot cast '{text}' to {to}");
    match to {
        SqlType::Boolean => convert::<str, bool>(array, selection, failures, |t| Ok(is_true(t.trim()))),
        SqlType::Integer => convert::<str, i32>(array, selection, failures, |t| t.trim().parse().map_err(|_| bad(t))),
        SqlType::Bigint => convert::<str, i64>(array, selection, failures, |t| t.trim().parse().map_err(|_| bad(t))),
        SqlType::Double => convert::<str, f64>(array, selection, failures, |t| parse_double(t.trim()).ok_or_else(|| bad(t))),
        SqlType::Date => convert::<str, Date>(array, selection, failures, |t| parse_date(t).map(Date).map_err(|e| e.to_string())),
        SqlType::Time => convert::<str, Time>(array, selection, failures, |t| parse_time(t).map(Time).map_err(|e| e.to_string())),
        SqlType::Timestamp => {
            convert::<str, Timestamp>(array, selection, failures, |t| parse_timestamp(t).map(Timestamp).map_err(|e| e.to_string()))
        }
        SqlType::Bytes => convert::<str, Vec<u8>>(array, selection, failures, |t| base64(t.trim()).ok_or_else(|| bad(t))),
        SqlType::Decimal { precision, scale } => {
            let Some(texts) = array.as_string_opt::<i32>() else {
                return Err(ExprError::user("a CAST made for STRING got another type"));
            };
            let mut values = vec![None; array.len()];
            selection.each(array.len(), |row| {
                if texts.is_valid(row) {
                    let read = texts.value(row).trim().parse::<Decimal>();
                    match read.and_then(|d| d.fit(*precision, *scale)) {
                        Ok(d) => values[row] = Some(d),
                        Err(error) => failures.fail(row, || error.to_string()),
                    }
                }
            });
            Ok(array_of(&values, (*precision, *scale)))
        }
        other => Err(ExprError::user(format!("Cast of STRING to {other} is not supported."))),
    }
}

/// A beginning of "true" or "yes" in any case is true, all else false.
fn is_true(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    !lower.is_empty() && ("true".starts_with(&lower) || "yes".starts_with(&lower))
}

/// Java's form of a double: decimal, with exponent, an `f` or `d` behind, `NaN`, `Infinity`.
fn parse_double(text: &str) -> Option<f64> {
    match text.trim_start_matches(['+', '-']) {
        "NaN" => return Some(f64::NAN),
        "Infinity" => return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY }),
        _ => {}
    }
    let number = text.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(text);
    if !number.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-')) {
        return None;
    }
    number.parse().ok()
}

/// Standard base64 with or without padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let mut out = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut bits, mut count) = (0u32, 0);
    for byte in digits.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | six as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    (digits.len() % 4 != 1 && text.len() - digits.len() <= 2).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_reads_standard_text() {
        assert_eq!(base64("AQID").unwrap(), [1, 2, 3]);
        assert_eq!(base64("AQI=").unwrap(), [1, 2]);
        assert_eq!(base64("AQ==").unwrap(), [1]);
        assert!(base64("").unwrap().is_empty());
        assert!(base64("A").is_none());
        assert!(base64("A*==").is_none());
    }

    #[test]
    fn doubles_read_as_in_java() {
        assert_eq!(parse_double("1e3"), Some(1000.0));
        assert_eq!(parse_double("1.5d"), Some(1.5));
        assert_eq!(parse_double("-Infinity"), Some(f64::NEG_INFINITY));
        assert_eq!(parse_double("inf"), None);
        assert_eq!(parse_double(""), None);
    }

    #[test]
    fn booleans_read_by_prefix() {
        assert!(is_true("T") && is_true("yes") && is_true("tru"));
        assert!(!is_true("") && !is_true("truest") && !is_true("no"));
    }
}
