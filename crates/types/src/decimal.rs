//! An exact decimal of up to 76 digits: an unscaled integer and a scale.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use arrow::datatypes::i256;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::TypeError;

/// Most digits a DECIMAL can have (Arrow's Decimal256).
pub const MAX_PRECISION: u8 = 76;

/// `unscaled × 10^-scale`. Two decimals are equal when value and scale are; [`Decimal::compare`] compares by value alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// The digits as an integer.
    pub unscaled: i256,
    /// Digits after the decimal point, 0 to 76.
    pub scale: u8,
}

/// 10 to this power, `None` beyond 76.
fn power_of_ten(exponent: u32) -> Option<i256> {
    i256::from_i128(10).checked_pow(exponent)
}

impl Decimal {
    /// A decimal of these digits and scale.
    pub fn new(unscaled: i256, scale: u8) -> Self {
        Decimal { unscaled, scale }
    }

    /// An integer as a decimal of scale 0.
    pub fn from_i64(n: i64) -> Self {
        Decimal { unscaled: i256::from_i128(n as i128), scale: 0 }
    }

    /// Number of significant digits, at least 1.
    pub fn precision(&self) -> u8 {
        let digits = self.unscaled.to_string();
        digits.trim_start_matches('-').len().min(u8::MAX as usize) as u8
    }

    /// The same value at another scale; digits that fall away are rounded half up (away from zero at the half).
    /// `None` when the digits do not fit 256 bits.
    pub fn rescale(&self, scale: u8) -> Option<Decimal> {
        match scale.cmp(&self.scale) {
            Ordering::Equal => Some(*self),
            Ordering::Greater => {
                let factor = power_of_ten((scale - self.scale) as u32)?;
                Some(Decimal::new(self.unscaled.checked_mul(factor)?, scale))
            }
            Ordering::Less => {
                let factor = power_of_ten((self.scale - scale) as u32)?;
                let quotient = self.unscaled.checked_div(factor)?;
                let rest = self.unscaled.checked_rem(factor)?;
                let twice = rest.checked_abs()?.checked_mul(i256::from_i128(2))?;
                let step = if self.unscaled.is_negative() { i256::MINUS_ONE } else { i256::ONE };
                let rounded = if twice >= factor { quotient.checked_add(step)? } else { quotient };
                Some(Decimal::new(rounded, scale))
            }
        }
    }

    /// The same value at another scale when no digit is lost, else `None`.
    pub fn rescale_exact(&self, scale: u8) -> Option<Decimal> {
        let other = self.rescale(scale)?;
        (self.compare(&other) == Ordering::Equal).then_some(other)
    }

    /// The value as DECIMAL(precision, scale), rounded half up; an error when its whole digits do not fit.
    pub fn fit(&self, precision: u8, scale: u8) -> Result<Decimal, TypeError> {
        let overflow = || TypeError::Overflow { value: self.to_string(), wanted: format!("DECIMAL({precision}, {scale})") };
        let fitted = self.rescale(scale).ok_or_else(overflow)?;
        if fitted.unscaled != i256::ZERO && fitted.precision() > precision {
            return Err(overflow());
        }
        Ok(fitted)
    }

    /// Compares by value, whatever the scales.
    pub fn compare(&self, other: &Decimal) -> Ordering {
        let scale = self.scale.max(other.scale);
        match (self.rescale(scale), other.rescale(scale)) {
            (Some(a), Some(b)) => a.unscaled.cmp(&b.unscaled),
            // One side has too many digits at the common scale: its double is exact enough to order them.
            _ => self.to_f64().total_cmp(&other.to_f64()),
        }
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// The whole part, truncated and wrapped to 64 bits as Java's `BigDecimal.longValue`.
    pub fn to_i64_wrapping(&self) -> i64 {
        let whole = power_of_ten(self.scale as u32).and_then(|p| self.unscaled.checked_div(p)).unwrap_or(i256::ZERO);
        let (low, _) = whole.to_parts();
        low as i64
    }

    /// The shortest decimal text of a double as a decimal, as Java's `BigDecimal.valueOf(double)` up to trailing zeros.
    pub fn from_f64(value: f64) -> Result<Decimal, TypeError> {
        if !value.is_finite() {
            return Err(TypeError::Unreadable {
                text: value.to_string(),
                wanted: "DECIMAL".to_string(),
                why: "it is not a finite number".to_string(),
            });
        }
        format!("{value:e}").parse()
    }
}

impl FromStr for Decimal {
    type Err = TypeError;

    /// Reads `[+-]digits[.digits][e[+-]digits]`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = |why: &str| TypeError::Unreadable { text: text.to_string(), wanted: "DECIMAL".to_string(), why: why.to_string() };
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => {
                let (m, e) = text.split_at(at);
                (m, e[1..].parse::<i32>().map_err(|_| fail("its exponent is not a number"))?)
            }
            None => (text, 0),
        };
        let (negative, digits) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() {
            return Err(fail("it has no digits"));
        }
        if !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
            return Err(fail("it is not a number"));
        }
        let mut scale = fraction.len() as i64 - exponent as i64;
        let all = format!("{whole}{fraction}");
        let trimmed = all.trim_start_matches('0');
        if trimmed.len() > MAX_PRECISION as usize {
            return Err(fail("it has more than 76 digits"));
        }
        let mut unscaled = i256::ZERO;
        for b in trimmed.bytes() {
            unscaled = unscaled.wrapping_mul(i256::from_i128(10)).wrapping_add(i256::from_i128((b - b'0') as i128));
        }
        if scale < 0 {
            let factor = u32::try_from(-scale).ok().and_then(power_of_ten);
            unscaled = factor.and_then(|p| unscaled.checked_mul(p)).ok_or_else(|| fail("it has more than 76 digits"))?;
            scale = 0;
        }
        if scale > MAX_PRECISION as i64 {
            return Err(fail("it has more than 76 digits after the point"));
        }
        let unscaled = if negative { unscaled.wrapping_neg() } else { unscaled };
        Ok(Decimal { unscaled, scale: scale as u8 })
    }
}

/// Plain text, never with an exponent, all digits of the scale.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.unscaled.to_string();
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None => ("", text.as_str()),
        };
        let scale = self.scale as usize;
        if scale == 0 {
            return write!(f, "{sign}{digits}");
        }
        let padded = format!("{digits:0>width$}", width = scale + 1);
        let (whole, fraction) = padded.split_at(padded.len() - scale);
        write!(f, "{sign}{whole}.{fraction}")
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dec(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn text_round_trips() {
        for text in ["0", "1.50", "-0.05", "123456789012345678901234567890.12", "-7"] {
            assert_eq!(dec(text).to_string(), text);
        }
        assert_eq!(dec("1.5e3").to_string(), "1500");
        assert_eq!(dec("15E-3").to_string(), "0.015");
        assert!("".parse::<Decimal>().is_err());
        assert!("1x".parse::<Decimal>().is_err());
        assert!("1e999999999".parse::<Decimal>().is_err());
    }

    #[test]
    fn rescale_rounds_half_up_by_magnitude() {
        assert_eq!(dec("1.25").rescale(1).unwrap(), dec("1.3"));
        assert_eq!(dec("-1.25").rescale(1).unwrap(), dec("-1.3"));
        assert_eq!(dec("1.24").rescale(1).unwrap(), dec("1.2"));
        assert_eq!(dec("-0.5").rescale(0).unwrap(), dec("-1"));
        assert_eq!(dec("-0.4").rescale(0).unwrap().unscaled, i256::ZERO);
        assert!(dec("1.25").rescale_exact(1).is_none());
    }

    #[test]
    fn fit_refuses_what_overflows() {
        assert!(dec("99.99").fit(4, 2).is_ok());
        assert!(dec("100").fit(4, 2).is_err());
        assert_eq!(dec("99.996").fit(5, 2).unwrap(), dec("100.00"));
        assert!(dec("99.996").fit(4, 2).is_err());
    }

    #[test]
    fn long_value_truncates_toward_zero() {
        assert_eq!(dec("-12.9").to_i64_wrapping(), -12);
        assert_eq!(dec("12.9").to_i64_wrapping(), 12);
    }
}
