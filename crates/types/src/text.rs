//! Values as text, as SQL casts and the HTTP API write and read them.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, Timelike};

use crate::{SqlType, TypeError, Value};

const EPOCH_DAY_FROM_CE: i64 = 719_163;

fn day(epoch_day: i64) -> Option<NaiveDate> {
    NaiveDate::from_num_days_from_ce_opt(i32::try_from(epoch_day.checked_add(EPOCH_DAY_FROM_CE)?).ok()?)
}

fn epoch_day(date: NaiveDate) -> i64 {
    date.num_days_from_ce() as i64 - EPOCH_DAY_FROM_CE
}

/// TIMESTAMP (epoch milliseconds) as `yyyy-MM-ddTHH:mm:ss.SSS` in UTC; the bare number beyond the calendar's range.
pub fn format_timestamp(millis: i64) -> String {
    match DateTime::from_timestamp_millis(millis) {
        Some(t) => t.format("%Y-%m-%dT%H:%M:%S%.3f").to_string(),
        None => millis.to_string(),
    }
}

/// DATE (epoch days) as `yyyy-MM-dd`.
pub fn format_date(days: i32) -> String {
    match day(days as i64) {
        Some(d) => d.format("%Y-%m-%d").to_string(),
        None => days.to_string(),
    }
}

/// TIME (milliseconds of the day) as `HH:mm` when the seconds are 0, else `HH:mm:ss`; milliseconds are not shown.
pub fn format_time(millis: i32) -> String {
    let seconds = millis.rem_euclid(86_400_000) / 1_000;
    let (h, m, s) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if s == 0 { format!("{h:02}:{m:02}") } else { format!("{h:02}:{m:02}:{s:02}") }
}

/// DOUBLE as Java's `Double.toString` writes it: `1.0`, `1.0E10`, `1.234E-5`, `NaN`, `Infinity`.
pub fn format_double(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_string();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_string();
    }
    let size = value.abs();
    if value == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{value:?}");
    }
    let mut text = format!("{value:e}");
    if size < 1e-320 && !text.contains('.') {
        // So near zero one digit is enough to tell doubles apart, but Java gives two, the nearest to the value.
        text = format!("{value:.1e}");
    }
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if mantissa.contains('.') { "" } else { ".0" };
    format!("{mantissa}{point}E{exponent}")
}

fn unreadable(text: &str, wanted: &str, why: &str) -> TypeError {
    TypeError::Unreadable { text: text.to_string(), wanted: wanted.to_string(), why: why.to_string() }
}

/// Reads `yyyy[-MM[-dd]]` as epoch days; missing parts are 1.
pub fn parse_date(text: &str) -> Result<i32, TypeError> {
    let text = text.trim();
    let date = read_date(text).ok_or_else(|| unreadable(text, "DATE", "the form is yyyy-MM-dd"))?;
    i32::try_from(epoch_day(date)).map_err(|_| unreadable(text, "DATE", "it is out of range"))
}

/// Reads ISO local time `HH[:mm[:ss[.SSS]]]` as milliseconds of the day.
pub fn parse_time(text: &str) -> Result<i32, TypeError> {
    let text = text.trim();
    let time = read_time(text).ok_or_else(|| unreadable(text, "TIME", "the form is HH:mm:ss"))?;
    Ok((time.num_seconds_from_midnight() * 1_000 + time.nanosecond() / 1_000_000) as i32)
}

/// Reads `yyyy[-MM[-dd]][THH[:mm[:ss[.SSS]]]][Z|±hh[:]mm]` as epoch milliseconds; what is missing is zero, the zone UTC.
pub fn parse_timestamp(text: &str) -> Result<i64, TypeError> {
    let text = text.trim();
    let fail = || unreadable(text, "TIMESTAMP", "the form is yyyy-MM-ddTHH:mm:ss.SSS");
    let (date_text, rest) = match text.split_once('T') {
        Some((d, r)) => (d, r),
        None => match text.strip_suffix('Z') {
            Some(d) => (d, ""),
            None => (text, ""),
        },
    };
    let (time_text, offset) = split_zone(rest).ok_or_else(fail)?;
    let date = read_date(date_text).ok_or_else(fail)?;
    let time = if time_text.is_empty() { NaiveTime::MIN } else { read_time(time_text).ok_or_else(fail)? };
    let local = NaiveDateTime::new(date, time).and_utc().timestamp_millis();
    Ok(local - offset * 60_000)
}

/// Splits `10:30+0100` into the time and the zone's offset in minutes.
fn split_zone(text: &str) -> Option<(&str, i64)> {
    if let Some(time) = text.strip_suffix('Z') {
        return Some((time, 0));
    }
    let Some(at) = text.find(['+', '-']) else { return Some((text, 0)) };
    let (time, zone) = text.split_at(at);
    let digits: String = zone[1..].chars().filter(|c| *c != ':').collect();
    if !(digits.len() == 2 || digits.len() == 4) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let hours: i64 = digits[..2].parse().ok()?;
    let minutes: i64 = if digits.len() == 4 { digits[2..].parse().ok()? } else { 0 };
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    (hours <= 18 && minutes < 60).then_some((time, sign * (hours * 60 + minutes)))
}

fn number(text: &str, width: usize) -> Option<u32> {
    (text.len() == width && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

fn read_date(text: &str) -> Option<NaiveDate> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let mut parts = digits.split('-');
    let year = number(parts.next()?, 4)? as i32 * sign;
    let month = parts.next().map_or(Some(1), |p| number(p, 2))?;
    let day_of_month = parts.next().map_or(Some(1), |p| number(p, 2))?;
    if parts.next().is_some() {
        return None;
    }
    NaiveDate::from_ymd_opt(year, month, day_of_month)
}

fn read_time(text: &str) -> Option<NaiveTime> {
    let mut parts = text.split(':');
    let hour = number(parts.next()?, 2)?;
    let minute = parts.next().map_or(Some(0), |p| number(p, 2))?;
    let (second, nanos) = match parts.next() {
        None => (0, 0),
        Some(p) => match p.split_once('.') {
            None => (number(p, 2)?, 0),
            Some((s, fraction)) if (1..=9).contains(&fraction.len()) => {
                let padded = format!("{fraction:0<9}");
                (number(s, 2)?, number(&padded, 9)?)
            }
            Some(_) => return None,
        },
    };
    if parts.next().is_some() {
        return None;
    }
    NaiveTime::from_hms_nano_opt(hour, minute, second, nanos)
}

/// The text a CAST to STRING gives: Java-like `[1, 2]`, `{k=v}`, `Struct{A=1}`; NULL inside is `null`.
pub fn display_value(value: &Value, ty: &SqlType) -> String {
    let mut out = String::new();
    write_value(&mut out, value, ty);
    out
}

fn write_value(out: &mut String, value: &Value, ty: &SqlType) {
    // Writing to a String cannot fail.
    let _ = match (value, ty) {
        (Value::Null, _) => out.write_str("null"),
        (Value::Boolean(b), _) => write!(out, "{b}"),
        (Value::Integer(n), _) => write!(out, "{n}"),
        (Value::Bigint(n), _) => write!(out, "{n}"),
        (Value::Double(n), _) => out.write_str(&format_double(*n)),
        (Value::Decimal(d), _) => write!(out, "{d}"),
        (Value::String(s), _) => out.write_str(s),
        (Value::Bytes(b), _) => out.write_str(&BASE64.encode(b)),
        (Value::Time(t), _) => out.write_str(&format_time(*t)),
        (Value::Date(d), _) => out.write_str(&format_date(*d)),
        (Value::Timestamp(t), _) => out.write_str(&format_timestamp(*t)),
        (Value::Array(items), SqlType::Array(element)) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write_value(out, item, element);
            }
            out.write_str("]")
        }
        (Value::Map(entries), SqlType::Map(key, element)) => {
            out.push('{');
            for (i, (k, v)) in entries.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write_value(out, k, key);
                out.push('=');
                write_value(out, v, element);
            }
            out.write_str("}")
        }
        (Value::Struct(values), SqlType::Struct(fields)) => {
            out.push_str("Struct{");
            let mut first = true;
            for (v, field) in values.iter().zip(fields) {
                if v.is_null() {
                    continue;
                }
                if !std::mem::take(&mut first) {
                    out.push(',');
                }
                out.push_str(&field.name);
                out.push('=');
                write_value(out, v, &field.ty);
            }
            out.write_str("}")
        }
        (Value::Array(_) | Value::Map(_) | Value::Struct(_), _) => out.write_str("null"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_read_and_write() {
        let millis = parse_timestamp("2020-01-02T03:04:05.678").unwrap();
        assert_eq!(format_timestamp(millis), "2020-01-02T03:04:05.678");
        assert_eq!(parse_timestamp("2020").unwrap(), parse_timestamp("2020-01-01T00:00:00Z").unwrap());
        assert_eq!(parse_timestamp("1970-01-01T01:00+0100").unwrap(), 0);
        assert_eq!(parse_timestamp("1969-12-31T23:00-01:00").unwrap(), 0);
        assert!(parse_timestamp("2020-13").is_err());
        assert!(parse_timestamp("today").is_err());
        assert!(parse_timestamp("2020-01-01T10é").is_err());
    }

    #[test]
    fn dates_and_times_read_and_write() {
        assert_eq!(parse_date("1970-01-02").unwrap(), 1);
        assert_eq!(format_date(-1), "1969-12-31");
        assert_eq!(parse_time("01:00:00.5").unwrap(), 3_600_500);
        assert_eq!(format_time(3_600_500), "01:00");
        assert_eq!(format_time(3_601_000), "01:00:01");
        assert!(parse_time("24:00").is_err());
    }

    #[test]
    fn doubles_are_written_as_java_does() {
        for (value, text) in [
            (1.0, "1.0"),
            (0.001, "0.001"),
            (1e7, "1.0E7"),
            (1e10, "1.0E10"),
            (1.234e-5, "1.234E-5"),
            (-0.0, "-0.0"),
            (5e-324, "4.9E-324"),
            (9999999.0, "9999999.0"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(format_double(value), text);
        }
    }

    #[test]
    fn nested_values_show_like_java() {
        let ty = SqlType::Struct(vec![crate::Field::new("A", SqlType::array(SqlType::Integer))]);
        let value = Value::Struct(vec![Value::Array(vec![Value::Integer(1), Value::Null])]);
        assert_eq!(display_value(&value, &ty), "Struct{A=[1, null]}");
    }
}
