//! Which types convert to which without being asked, and the types that operations give.

use flumen_types::{MAX_PRECISION, SqlType};

use crate::{ArithmeticOp, ExprError};

/// DECIMAL(10, 0): what every INTEGER fits.
pub(crate) const INTEGER_AS_DECIMAL: (u32, u32) = (10, 0);
/// DECIMAL(19, 0): what every BIGINT fits.
pub(crate) const BIGINT_AS_DECIMAL: (u32, u32) = (19, 0);

/// Precision and scale of a number type as a decimal; `None` for DOUBLE and what is no number.
fn as_decimal(ty: &SqlType) -> Option<(u32, u32)> {
    match ty {
        SqlType::Integer => Some(INTEGER_AS_DECIMAL),
        SqlType::Bigint => Some(BIGINT_AS_DECIMAL),
        SqlType::Decimal { precision, scale } => Some((*precision as u32, *scale as u32)),
        _ => None,
    }
}

/// The decimal type of an INTEGER, BIGINT or DECIMAL.
pub(crate) fn decimal_type(ty: &SqlType) -> Option<SqlType> {
    let (precision, scale) = as_decimal(ty)?;
    SqlType::decimal(precision, scale).ok()
}

fn checked(what: &str, precision: u32, scale: u32) -> Result<SqlType, ExprError> {
    if precision > MAX_PRECISION as u32 {
        return Err(ExprError::unsupported(format!(
            "DECIMAL({precision}, {scale}), which {what} gives, has more than {MAX_PRECISION} digits"
        )));
    }
    Ok(SqlType::decimal(precision, scale)?)
}

/// The type both numbers fit: INTEGER, BIGINT, DECIMAL, DOUBLE in that order.
pub fn widen(left: &SqlType, right: &SqlType) -> Result<SqlType, ExprError> {
    if left == right {
        return Ok(left.clone());
    }
    match (left, right) {
        (l, r) if !l.is_numeric() || !r.is_numeric() => Err(ExprError::user(format!("{l} and {r} have no common type"))),
        (SqlType::Double, _) | (_, SqlType::Double) => Ok(SqlType::Double),
        (SqlType::Integer | SqlType::Bigint, SqlType::Integer | SqlType::Bigint) => Ok(SqlType::Bigint),
        (l, r) => match (as_decimal(l), as_decimal(r)) {
            (Some((p1, s1)), Some((p2, s2))) => {
                let scale = s1.max(s2);
                checked("widening", (p1 - s1).max(p2 - s2) + scale, scale)
            }
            _ => Err(ExprError::user(format!("{l} and {r} have no common type"))),
        },
    }
}

/// How far apart two types are when the first converts to the second unasked: 0 for equal; `None` when it does not.
pub fn implicit_distance(from: &SqlType, to: &SqlType) -> Option<u32> {
    use SqlType::*;
    if from == to {
        return Some(0);
    }
    match (from, to) {
        (Integer, Bigint) => Some(1),
        (Integer, Decimal { .. }) => decimal_holds(INTEGER_AS_DECIMAL, to).then_some(2),
        (Integer, Double) => Some(3),
        (Bigint, Decimal { .. }) => decimal_holds(BIGINT_AS_DECIMAL, to).then_some(1),
        (Bigint, Double) => Some(2),
        (Decimal { precision, scale }, Decimal { .. }) => decimal_holds((*precision as u32, *scale as u32), to).then_some(1),
        (Decimal { .. }, Double) => Some(2),
        (String, Date | Time | Timestamp | Bytes) => Some(1),
        _ => None,
    }
}

fn decimal_holds((p1, s1): (u32, u32), to: &SqlType) -> bool {
    let SqlType::Decimal { precision, scale } = to else { return false };
    let (p2, s2) = (*precision as u32, *scale as u32);
    p2 - s2 >= p1 - s1 && s2 >= s1
}

/// The result type of arithmetic on two operands; STRING + STRING gives STRING.
pub fn arithmetic_type(op: ArithmeticOp, left: &SqlType, right: &SqlType) -> Result<SqlType, ExprError> {
    if op == ArithmeticOp::Add && *left == SqlType::String && *right == SqlType::String {
        return Ok(SqlType::String);
    }
    if !left.is_numeric() || !right.is_numeric() {
        let text = format!("Unsupported arithmetic types: {left} {} {right}. Both sides must be numbers.", op.symbol());
        return Err(ExprError::user(text));
    }
    if *left == SqlType::Double || *right == SqlType::Double {
        return Ok(SqlType::Double);
    }
    let decimal = |ty: &SqlType| matches!(ty, SqlType::Decimal { .. });
    if !decimal(left) && !decimal(right) {
        return widen(left, right);
    }
    let (Some((p1, s1)), Some((p2, s2))) = (as_decimal(left), as_decimal(right)) else {
        return Err(ExprError::user(format!("{left} and {right} have no common type")));
    };
    let (precision, scale) = match op {
        ArithmeticOp::Add | ArithmeticOp::Subtract => (s1.max(s2) + (p1 - s1).max(p2 - s2) + 1, s1.max(s2)),
        ArithmeticOp::Multiply => (p1 + p2 + 1, s1 + s2),
        ArithmeticOp::Divide => {
            let scale = (s1 + p2 + 1).max(6);
            (p1 - s1 + s2 + scale, scale)
        }
        ArithmeticOp::Remainder => ((p1 - s1).min(p2 - s2) + s1.max(s2), s1.max(s2)),
    };
    // The integer part of a remainder may have no digit; the type needs one.
    checked("the operation", precision.max(1), scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dec(p: u32, s: u32) -> SqlType {
        SqlType::decimal(p, s).unwrap()
    }

    #[test]
    fn decimal_results_follow_the_table() {
        let ty = |op, l: &SqlType, r: &SqlType| arithmetic_type(op, l, r).unwrap();
        assert_eq!(ty(ArithmeticOp::Add, &dec(5, 2), &dec(4, 3)), dec(7, 3));
        assert_eq!(ty(ArithmeticOp::Subtract, &dec(5, 2), &SqlType::Integer), dec(13, 2));
        assert_eq!(ty(ArithmeticOp::Multiply, &dec(5, 2), &dec(4, 3)), dec(10, 5));
        assert_eq!(ty(ArithmeticOp::Divide, &dec(5, 2), &dec(4, 3)), dec(13, 7));
        assert_eq!(ty(ArithmeticOp::Remainder, &dec(5, 2), &dec(4, 3)), dec(4, 3));
        assert_eq!(ty(ArithmeticOp::Add, &dec(5, 2), &SqlType::Bigint), dec(22, 2));
        assert_eq!(ty(ArithmeticOp::Add, &dec(5, 2), &SqlType::Double), SqlType::Double);
        let wide = arithmetic_type(ArithmeticOp::Multiply, &dec(40, 2), &dec(40, 2));
        assert!(matches!(wide, Err(ExprError::Unsupported(_))));
    }

    #[test]
    fn numbers_widen_in_order() {
        assert_eq!(widen(&SqlType::Integer, &SqlType::Bigint).unwrap(), SqlType::Bigint);
        assert_eq!(widen(&SqlType::Bigint, &dec(4, 2)).unwrap(), dec(21, 2));
        assert_eq!(widen(&dec(4, 2), &dec(4, 1)).unwrap(), dec(5, 2));
        assert_eq!(widen(&dec(4, 2), &SqlType::Double).unwrap(), SqlType::Double);
        assert!(widen(&SqlType::String, &SqlType::Double).is_err());
    }

    #[test]
    fn implicit_conversions() {
        assert_eq!(implicit_distance(&SqlType::Integer, &SqlType::Integer), Some(0));
        assert_eq!(implicit_distance(&SqlType::Bigint, &SqlType::Integer), None);
        assert_eq!(implicit_distance(&SqlType::Double, &SqlType::Bigint), None);
        assert!(implicit_distance(&dec(4, 2), &dec(5, 2)).is_some());
        assert!(implicit_distance(&dec(4, 2), &dec(5, 4)).is_none());
        assert!(implicit_distance(&SqlType::String, &SqlType::Timestamp).is_some());
        assert!(implicit_distance(&SqlType::String, &SqlType::Integer).is_none());
        assert!(implicit_distance(&SqlType::Integer, &dec(9, 0)).is_none());
    }
}
