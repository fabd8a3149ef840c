//! Numbers to and from text without allocation: decimals digit by digit, doubles in Java's spelling.

use arrow::datatypes::i256;
use flumen_types::Decimal;

/// Reads a decimal number and brings it to a scale; an error when digits would be lost or it has too many.
pub(crate) fn read_decimal128(text: &str, precision: u8, scale: u8) -> Result<i128, String> {
    match quick_decimal(text.as_bytes(), scale) {
        Some(unscaled) if fits(unscaled, precision) => Ok(unscaled),
        _ => {
            let decimal = read_decimal(text, precision, scale)?;
            decimal.to_i128().ok_or_else(|| overflow(precision, scale))
        }
    }
}

/// As [`read_decimal128`] for more than 38 digits.
pub(crate) fn read_decimal(text: &str, precision: u8, scale: u8) -> Result<i256, String> {
    // The value stays out of the message: row data is not for logs.
    let decimal: Decimal = text.trim().parse().map_err(|_| "text that is not a decimal number".to_string())?;
    let rescaled = match decimal.rescale_exact(scale) {
        Some(d) => d,
        None if decimal.scale > scale => {
            return Err(format!("a number with more than {scale} digits after the point"));
        }
        None => return Err(overflow(precision, scale)),
    };
    match rescaled.unscaled == i256::ZERO || rescaled.precision() <= precision {
        true => Ok(rescaled.unscaled),
        false => Err(overflow(precision, scale)),
    }
}

fn overflow(precision: u8, scale: u8) -> String {
    format!("a number too large for DECIMAL({precision}, {scale})")
}

fn fits(unscaled: i128, precision: u8) -> bool {
    10u128.checked_pow(precision as u32).is_none_or(|limit| unscaled.unsigned_abs() < limit)
}

/// `[-]digits[.digits]` with at most `scale` digits after the point and 37 in all; `None` for anything else.
fn quick_decimal(text: &[u8], scale: u8) -> Option<i128> {
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, text),
    };
    if digits.len() > 37 {
        return None;
    }
    let (mut unscaled, mut seen, mut after) = (0i128, 0u32, None::<u32>);
    for b in digits {
        match b {
            b'0'..=b'9' => {
                unscaled = unscaled * 10 + (b - b'0') as i128;
                seen += 1;
                after = after.map(|n| n + 1);
            }
            b'.' if after.is_none() => after = Some(0),
            _ => return None,
        }
    }
    let missing = (scale as u32).checked_sub(after.unwrap_or(0))?;
    if seen == 0 || seen + missing > 38 {
        return None;
    }
    let unscaled = unscaled.checked_mul(10i128.checked_pow(missing)?)?;
    Some(if negative { -unscaled } else { unscaled })
}

/// Writes a decimal in plain digits with all of its scale.
pub(crate) fn write_decimal(unscaled: i128, scale: u8, out: &mut Vec<u8>) {
    write_point(itoa::Buffer::new().format(unscaled), scale, out);
}

/// As [`write_decimal`] for more than 38 digits.
pub(crate) fn write_decimal256(unscaled: i256, scale: u8, out: &mut Vec<u8>) {
    match unscaled.to_i128() {
        Some(small) => write_decimal(small, scale, out),
        None => write_point(&unscaled.to_string(), scale, out),
    }
}

fn write_point(text: &str, scale: u8, out: &mut Vec<u8>) {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let scale = scale as usize;
    if digits.len() < text.len() {
        out.push(b'-');
    }
    if scale == 0 {
        out.extend_from_slice(digits.as_bytes());
    } else if digits.len() > scale {
        let (whole, fraction) = digits.as_bytes().split_at(digits.len() - scale);
        out.extend_from_slice(whole);
        out.push(b'.');
        out.extend_from_slice(fraction);
    } else {
        out.extend_from_slice(b"0.");
        out.resize(out.len() + scale - digits.len(), b'0');
        out.extend_from_slice(digits.as_bytes());
    }
}

/// Writes an integer.
pub(crate) fn write_int(value: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Writes a double as Java's `Double.toString` does: plain from 0.001 up to 10,000,000, else `d.dddEn`.
pub(crate) fn write_double(value: f64, out: &mut Vec<u8>) {
    if !value.is_finite() {
        let text = if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        };
        out.extend_from_slice(text.as_bytes());
        return;
    }
    if value.is_sign_negative() {
        out.push(b'-');
    }
    let size = value.abs();
    if size == 0.0 {
        out.extend_from_slice(b"0.0");
        return;
    }
    let mut buffer = ryu::Buffer::new();
    let (digits, count, exponent) = significant_digits(size, &mut buffer);
    let digits = digits.get(..count).unwrap_or_default();
    if (1e-3..1e7).contains(&size) {
        plain(digits, exponent, out);
        return;
    }
    let (first, rest) = digits.split_at(1.min(digits.len()));
    out.extend_from_slice(first);
    out.push(b'.');
    out.extend_from_slice(if rest.is_empty() { b"0" } else { rest });
    out.push(b'E');
    write_int(exponent, out);
}

/// `d.ddd × 10^exponent` without an exponent, at least one digit on either side of the point.
fn plain(digits: &[u8], exponent: i32, out: &mut Vec<u8>) {
    match usize::try_from(exponent) {
        Err(_) => {
            out.extend_from_slice(b"0.");
            out.resize(out.len() + (-exponent - 1).max(0) as usize, b'0');
            out.extend_from_slice(digits);
        }
        Ok(exponent) => {
            let whole = exponent + 1;
            let (before, after) = digits.split_at(whole.min(digits.len()));
            out.extend_from_slice(before);
            out.resize(out.len() + whole - before.len(), b'0');
            out.push(b'.');
            out.extend_from_slice(if after.is_empty() { b"0" } else { after });
        }
    }
}

/// The shortest digits that read back as this positive double, how many they are, and the power of ten of the first.
fn significant_digits(value: f64, buffer: &mut ryu::Buffer) -> ([u8; 24], usize, i32) {
    let text = buffer.format_finite(value).as_bytes();
    let (mut digits, mut count) = ([b'0'; 24], 0);
    let (mut exponent, mut point, mut seen) = (0i32, None, 0i32);
    for (i, b) in text.iter().enumerate() {
        match b {
            b'.' => point = Some(seen),
            b'e' => {
                let tail = text.get(i + 1..).and_then(|t| std::str::from_utf8(t).ok());
                exponent = tail.and_then(|t| t.parse().ok()).unwrap_or(0);
                break;
            }
            _ => {
                seen += 1;
                if (count > 0 || *b != b'0') && count < digits.len() {
                    digits[count] = *b;
                    count += 1;
                }
            }
        }
    }
    let leading = seen - count as i32;
    let first = point.unwrap_or(seen) - leading - 1 + exponent;
    while count > 1 && digits[count - 1] == b'0' {
        count -= 1;
    }
    if count == 1 && value < 1e-320 {
        // So near zero one digit is enough to tell doubles apart, but Java gives two, the nearest to the value.
        let text = format!("{value:.1e}");
        if let [a, b'.', b, ..] = text.as_bytes() {
            (digits[0], digits[1]) = (*a, *b);
            count = if *b == b'0' { 1 } else { 2 };
        }
    }
    (digits, count, first)
}

/// Reads a double as Java's `Double.parseDouble`: surrounding white space and a type suffix are allowed.
pub(crate) fn read_double(text: &str) -> Option<f64> {
    let text = text.trim();
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, "NaN" | "Infinity") {
        return text.parse().ok();
    }
    // Rust also reads words such as "inf", which Java does not.
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    text.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(text).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flumen_types::format_double;
    use proptest::prelude::*;

    fn double(value: f64) -> String {
        let mut out = Vec::new();
        write_double(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn doubles_are_spelled_as_java_does() {
        for (value, text) in [
            (1.0, "1.0"),
            (100.0, "100.0"),
            (0.001, "0.001"),
            (0.0010203, "0.0010203"),
            (9_999_999.5, "9999999.5"),
            (1e7, "1.0E7"),
            (1.25e10, "1.25E10"),
            (-1.234e-5, "-1.234E-5"),
            (1e300, "1.0E300"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::MIN_POSITIVE, "2.2250738585072014E-308"),
            (5e-324, "4.9E-324"),
            (-0.0, "-0.0"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(double(value), text);
        }
    }

    proptest! {
        #[test]
        fn doubles_agree_with_the_slow_way(bits: u64) {
            let value = f64::from_bits(bits);
            if value.abs() > 1e-300 {
                prop_assert_eq!(double(value), format_double(value));
            }
            if value.is_finite() {
                prop_assert_eq!(read_double(&double(value)), Some(value));
            }
        }

        #[test]
        fn decimals_round_trip(unscaled in -10i128.pow(30)..10i128.pow(30), scale in 0u8..8) {
            let mut out = Vec::new();
            write_decimal(unscaled, scale, &mut out);
            let text = String::from_utf8(out).unwrap();
            prop_assert_eq!(&text, &Decimal::new(i256::from_i128(unscaled), scale).to_string());
            prop_assert_eq!(read_decimal128(&text, 38, scale), Ok(unscaled));
        }
    }

    #[test]
    fn decimals_keep_their_scale_and_refuse_to_lose_digits() {
        assert_eq!(read_decimal128("1.5", 4, 2), Ok(150));
        assert_eq!(read_decimal128("-1.500", 4, 2), Ok(-150));
        assert_eq!(read_decimal128("15e-1", 4, 2), Ok(150));
        assert_eq!(read_decimal128("99.99", 4, 2), Ok(9999));
        assert!(read_decimal128("100", 4, 2).is_err());
        assert!(read_decimal128("1.501", 4, 2).is_err());
        for bad in ["", "-", ".", "1.2.3", "x", "--1", "1e999999999999"] {
            assert!(read_decimal128(bad, 4, 2).is_err(), "{bad}");
        }
    }

    #[test]
    fn doubles_read_as_java_does() {
        assert_eq!(read_double(" 1.5 "), Some(1.5));
        assert_eq!(read_double("1e3"), Some(1000.0));
        assert_eq!(read_double("2d"), Some(2.0));
        assert_eq!(read_double("-Infinity"), Some(f64::NEG_INFINITY));
        for bad in ["", "inf", "nan", "1x", "-"] {
            assert_eq!(read_double(bad), None);
        }
    }
}
