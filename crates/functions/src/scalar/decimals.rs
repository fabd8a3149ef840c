//! Rounding of decimals to a number of places, which may be negative.

use arrow::datatypes::i256;
use flumen_types::{Decimal, SqlType};

/// What to do with the digits that fall away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    /// To the nearest, a tie upwards.
    Nearest,
    /// Towards zero.
    Truncate,
    /// Upwards.
    Ceiling,
    /// Downwards.
    Floor,
}

/// Rounds to `places` digits after the point, or before it when negative; the scale of the result is at least 0.
/// `None` when it has too many digits.
pub(super) fn round(value: Decimal, places: i32, rounding: Rounding) -> Option<Decimal> {
    let drop = value.scale as i64 - places as i64;
    if drop <= 0 {
        return Some(value);
    }
    let scale = u8::try_from(places).unwrap_or(0);
    let Some(factor) = u32::try_from(drop).ok().and_then(|d| i256::from_i128(10).checked_pow(d)) else {
        // More digits are dropped than there can be.
        let up = rounding == Rounding::Ceiling && value.unscaled > i256::ZERO;
        let down = rounding == Rounding::Floor && value.unscaled.is_negative();
        return (!up && !down).then_some(Decimal::new(i256::ZERO, scale));
    };
    let quotient = value.unscaled.checked_div(factor)?;
    let rest = value.unscaled.checked_rem(factor)?;
    let negative = rest.is_negative();
    let away = match rounding {
        Rounding::Truncate => false,
        Rounding::Ceiling => !negative && rest != i256::ZERO,
        Rounding::Floor => negative,
        Rounding::Nearest => {
            let twice = rest.checked_abs()?.checked_mul(i256::from_i128(2))?;
            twice > factor || (twice == factor && !negative)
        }
    };
    let step = match (away, negative) {
        (false, _) => i256::ZERO,
        (true, false) => i256::ONE,
        (true, true) => i256::MINUS_ONE,
    };
    let rounded = quotient.checked_add(step)?;
    if places >= 0 {
        return Some(Decimal::new(rounded, scale));
    }
    let back = i256::from_i128(10).checked_pow(places.unsigned_abs())?;
    Some(Decimal::new(rounded.checked_mul(back)?, 0))
}

/// The decimal type that holds all values of these types: most whole digits, largest scale.
pub(super) fn widest(types: &[SqlType]) -> Option<SqlType> {
    let (mut whole, mut scale) = (0, 0);
    for ty in types {
        let SqlType::Decimal { precision, scale: s } = ty else { return None };
        whole = whole.max(precision.saturating_sub(*s) as u32);
        scale = scale.max(*s as u32);
    }
    SqlType::decimal(whole + scale, scale).ok()
}
