//! The typing rules: building expressions from typed parts, inserting the conversions SQL leaves unsaid.

mod lists;

use flumen_types::{Decimal, Field, SqlType, Value};

use crate::coerce::{arithmetic_type, decimal_type, implicit_distance, widen};
use crate::expr::{ArithmeticOp, Branch, CompareOp, Expr, LambdaParam, LogicalOp};
use crate::{ExprError, Registry};

pub use lists::{array, common_type, in_list, map};

fn user<T>(text: String) -> Result<T, ExprError> {
    Err(ExprError::User(text))
}

fn boolean(expr: Expr, place: &str) -> Result<Expr, ExprError> {
    match expr.ty() {
        _ if matches!(expr, Expr::Null) => user(format!("{place} must be BOOLEAN, but it is the literal NULL.")),
        SqlType::Boolean => Ok(expr),
        other => user(format!("{place} must be BOOLEAN, but {expr} is {other}.")),
    }
}

/// `left op right` on numbers; `+` also joins STRINGs.
///
/// # Errors
/// Operands that are no numbers; a decimal result of more digits than there can be.
pub fn arithmetic(op: ArithmeticOp, left: Expr, right: Expr) -> Result<Expr, ExprError> {
    if matches!(left, Expr::Null) || matches!(right, Expr::Null) {
        return user(format!("Arithmetic on the literal NULL is not possible: {left} {} {right}.", op.symbol()));
    }
    let ty = arithmetic_type(op, left.ty(), right.ty())?;
    let operand = |e: Expr| match (&ty, e.ty()) {
        (SqlType::Decimal { .. }, from) => match decimal_type(from) {
            Some(as_decimal) => implicit_cast(e, &as_decimal),
            None => Ok(e),
        },
        _ => implicit_cast(e, &ty),
    };
    let (left, right) = (Box::new(operand(left)?), Box::new(operand(right)?));
    Ok(Expr::Arithmetic { op, left, right, ty })
}

/// `-operand`
///
/// # Errors
/// An operand that is no number.
pub fn negate(operand: Expr) -> Result<Expr, ExprError> {
    if matches!(operand, Expr::Null) || !operand.ty().is_numeric() {
        return user(format!("A sign can stand before a number only, but {operand} is {}.", operand.ty()));
    }
    Ok(Expr::Negate { operand: Box::new(operand) })
}

/// `left op right`
///
/// # Errors
/// Types that cannot be compared, or not by this operator; a literal NULL where IS NULL is meant.
pub fn compare(op: CompareOp, left: Expr, right: Expr) -> Result<Expr, ExprError> {
    let distinct = matches!(op, CompareOp::DistinctFrom | CompareOp::NotDistinctFrom);
    let (left, right) = match (matches!(left, Expr::Null), matches!(right, Expr::Null)) {
        (false, false) => comparable(op.symbol(), left, right)?,
        _ if !distinct => {
            return user(format!(
                "Comparison with NULL is not possible: {left} {} {right}. Use IS NULL, IS NOT NULL or IS DISTINCT FROM.",
                op.symbol()
            ));
        }
        (true, _) => {
            let ty = right.ty().clone();
            (typed_null(ty.clone()), implicit_cast(right, &ty)?)
        }
        (_, true) => {
            let ty = left.ty().clone();
            (left, typed_null(ty))
        }
    };
    let ordered = matches!(op, CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge);
    if ordered && (*left.ty() == SqlType::Boolean || !left.ty().is_primitive()) {
        return user(format!("Operator {} cannot be used to compare {} and {}.", op.symbol(), left.ty(), right.ty()));
    }
    Ok(Expr::Compare { op, left: Box::new(left), right: Box::new(right) })
}

fn typed_null(ty: SqlType) -> Expr {
    Expr::Literal { value: Value::Null, ty }
}

/// Both sides as one comparable type; decimals may keep different precisions and scales.
fn comparable(symbol: &str, left: Expr, right: Expr) -> Result<(Expr, Expr), ExprError> {
    let (l, r) = (left.ty().clone(), right.ty().clone());
    let is_decimal = |t: &SqlType| matches!(t, SqlType::Decimal { .. });
    let common = match (&l, &r) {
        _ if l == r => return Ok((left, right)),
        _ if l.is_numeric() && r.is_numeric() => {
            if l != SqlType::Double && r != SqlType::Double && (is_decimal(&l) || is_decimal(&r)) {
                let exact = |e: Expr| match decimal_type(e.ty()) {
                    Some(ty) => implicit_cast(e, &ty),
                    None => Ok(e),
                };
                return Ok((exact(left)?, exact(right)?));
            }
            widen(&l, &r)?
        }
        (SqlType::String, time) | (time, SqlType::String) if time.is_time() => time.clone(),
        (SqlType::Date, SqlType::Timestamp) | (SqlType::Timestamp, SqlType::Date) => SqlType::Timestamp,
        _ => {
            return user(format!(
                "Operator {symbol} cannot be used to compare {l} and {r}: {left} {symbol} {right}. Cast one side to the type of the other."
            ));
        }
    };
    Ok((cast(left, &common)?, cast(right, &common)?))
}

/// `left AND right`, `left OR right`
///
/// # Errors
/// An operand that is not BOOLEAN.
pub fn logical(op: LogicalOp, left: Expr, right: Expr) -> Result<Expr, ExprError> {
    let place = format!("Each side of {}", op.symbol());
    let (left, right) = (Box::new(boolean(left, &place)?), Box::new(boolean(right, &place)?));
    Ok(Expr::Logical { op, left, right })
}

/// `NOT operand`
///
/// # Errors
/// An operand that is not BOOLEAN.
pub fn not(operand: Expr) -> Result<Expr, ExprError> {
    Ok(Expr::Not { operand: Box::new(boolean(operand, "The operand of NOT")?) })
}

/// `operand IS [NOT] NULL`
pub fn is_null(operand: Expr, negated: bool) -> Expr {
    Expr::IsNull { operand: Box::new(operand), negated }
}

/// `operand [NOT] BETWEEN low AND high`
///
/// # Errors
/// Types that have no order in common; a literal NULL.
pub fn between(operand: Expr, negated: bool, low: Expr, high: Expr) -> Result<Expr, ExprError> {
    let lower = compare(CompareOp::Ge, operand.clone(), low)?;
    let upper = compare(CompareOp::Le, operand, high)?;
    let (Expr::Compare { left, right: low, .. }, Expr::Compare { left: other, right: high, .. }) = (lower, upper) else {
        return Err(ExprError::unsupported("BETWEEN of these operands"));
    };
    if left == other {
        return Ok(Expr::Between { operand: left, negated, low, high });
    }
    // The bounds convert the operand to different types: the widest of them serves both.
    let ty = widen(left.ty(), other.ty())?;
    let (low, high) = (cast(*low, &ty)?, cast(*high, &ty)?);
    Ok(Expr::Between { operand: Box::new(cast(*left, &ty)?), negated, low: Box::new(low), high: Box::new(high) })
}

/// `operand [NOT] LIKE pattern [ESCAPE 'c']`
///
/// # Errors
/// Operands that are not STRING.
pub fn like(operand: Expr, negated: bool, pattern: Expr, escape: Option<char>) -> Result<Expr, ExprError> {
    for side in [&operand, &pattern] {
        if matches!(side, Expr::Null) || *side.ty() != SqlType::String {
            return user(format!("LIKE compares STRINGs, but {side} is {}.", side.ty()));
        }
    }
    Ok(Expr::Like { operand: Box::new(operand), negated, pattern: Box::new(pattern), escape })
}

/// `CASE WHEN … THEN … [ELSE …] END`; all results must have exactly one type, NULL apart.
///
/// # Errors
/// Conditions that are not BOOLEAN, results of different types, only NULLs.
pub fn case(branches: Vec<(Expr, Expr)>, otherwise: Option<Expr>) -> Result<Expr, ExprError> {
    let results = branches.iter().map(|(_, then)| then).chain(&otherwise);
    let mut found: Option<&Expr> = None;
    for result in results.filter(|e| !matches!(e, Expr::Null)) {
        match found {
            Some(first) if first.ty() != result.ty() => {
                return user(format!(
                    "Invalid CASE expression: all THEN and ELSE results must have the same type, but {first} is {} and {result} is {}.",
                    first.ty(),
                    result.ty()
                ));
            }
            Some(_) => {}
            None => found = Some(result),
        }
    }
    let Some(ty) = found.map(|e| e.ty().clone()) else {
        return user("Invalid CASE expression: all its results are NULL, so that it has no type. Cast one of them.".into());
    };
    let typed = |e: Expr| if matches!(e, Expr::Null) { typed_null(ty.clone()) } else { e };
    let branch = |(when, then)| Ok(Branch { when: boolean(when, "The condition of WHEN")?, then: typed(then) });
    let branches = branches.into_iter().map(branch).collect::<Result<Vec<_>, ExprError>>()?;
    let otherwise = otherwise.map(|e| Box::new(typed(e)));
    Ok(Expr::Case { branches, otherwise, ty })
}

/// `CAST(operand AS ty)`
///
/// # Errors
/// Types between which there is no conversion.
pub fn cast(operand: Expr, ty: &SqlType) -> Result<Expr, ExprError> {
    if operand.is_null_literal() {
        return Ok(typed_null(ty.clone()));
    }
    if operand.ty() == ty {
        return Ok(operand);
    }
    if !castable(operand.ty(), ty) {
        return user(format!("Cast of {} to {ty} is not supported: {operand}.", operand.ty()));
    }
    if let (Expr::Literal { value: Value::Integer(n), .. }, SqlType::Bigint) = (&operand, ty) {
        return Ok(Expr::literal(Value::Bigint(*n as i64), SqlType::Bigint));
    }
    Ok(Expr::Cast { operand: Box::new(operand), ty: ty.clone() })
}

/// True when CAST converts the first type to the second.
pub fn castable(from: &SqlType, to: &SqlType) -> bool {
    use SqlType::*;
    match (from, to) {
        _ if from == to => true,
        (Bytes, String) => false,
        (_, String) => true,
        (a, b) if a.is_numeric() && b.is_numeric() => true,
        (String, Boolean | Integer | Bigint | Decimal { .. } | Double | Date | Time | Timestamp | Bytes) => true,
        (Timestamp, Date | Time) | (Date, Timestamp) => true,
        (Array(a), Array(b)) => castable(a, b),
        (Map(k1, v1), Map(k2, v2)) => castable(k1, k2) && castable(v1, v2),
        (Struct(a), Struct(b)) => b.iter().all(|f| a.iter().find(|g| g.name == f.name).is_none_or(|g| castable(&g.ty, &f.ty))),
        _ => false,
    }
}

/// The expression as a type it converts to unasked.
///
/// # Errors
/// A type it does not convert to.
pub fn implicit_cast(expr: Expr, ty: &SqlType) -> Result<Expr, ExprError> {
    if matches!(expr, Expr::Null) || implicit_distance(expr.ty(), ty).is_some() {
        return cast(expr, ty);
    }
    user(format!("{expr} is {}, which does not convert to {ty}. Use CAST.", expr.ty()))
}

/// The value of an INSERT for a column of a type: implicit conversions, and STRING literals read as any type.
///
/// # Errors
/// A type it does not convert to.
pub fn assign(expr: Expr, ty: &SqlType) -> Result<Expr, ExprError> {
    match (&expr, expr.ty()) {
        (Expr::Literal { value: Value::String(_), .. }, SqlType::String) if castable(&SqlType::String, ty) => cast(expr, ty),
        (_, SqlType::Array(_) | SqlType::Map(..) | SqlType::Struct(_)) if castable(expr.ty(), ty) => cast(expr, ty),
        // A decimal literal may have more room before or after its point than the column.
        (Expr::Literal { value: Value::Decimal(_), .. } | Expr::Literal { value: Value::Integer(_), .. }, _)
            if matches!(ty, SqlType::Decimal { .. }) =>
        {
            cast(expr, ty)
        }
        _ => implicit_cast(expr, ty),
    }
}

/// `base[index]`
///
/// # Errors
/// A base that is neither ARRAY nor MAP, an index of the wrong type.
pub fn subscript(base: Expr, index: Expr) -> Result<Expr, ExprError> {
    let (wanted, ty) = match base.ty() {
        SqlType::Array(element) => (SqlType::Bigint, element.as_ref().clone()),
        SqlType::Map(key, value) => (key.as_ref().clone(), value.as_ref().clone()),
        other => {
            return user(format!("Subscript expression ({base}[{index}]) does not apply to {other}: only ARRAY and MAP have elements."));
        }
    };
    let index = implicit_cast(index, &wanted)?;
    Ok(Expr::Subscript { base: Box::new(base), index: Box::new(index), ty })
}

/// `base->name`
///
/// # Errors
/// A base that is no STRUCT, or has no such field.
pub fn field(base: Expr, name: &str) -> Result<Expr, ExprError> {
    let SqlType::Struct(fields) = base.ty() else {
        return user(format!("{base}->{name}: {base} is {}, only STRUCT has fields.", base.ty()));
    };
    let Some(index) = fields.iter().position(|f| f.name == name) else {
        let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
        return user(format!("Could not find field '{name}' in '{base}'. It has: {}.", names.join(", ")));
    };
    let ty = fields[index].ty.clone();
    Ok(Expr::Field { base: Box::new(base), index: index as u32, name: name.to_string(), ty })
}

/// `STRUCT(name := value, …)`
///
/// # Errors
/// Repeated names; a NULL without type.
pub fn struct_(fields: Vec<(String, Expr)>) -> Result<Expr, ExprError> {
    let mut types: Vec<Field> = Vec::with_capacity(fields.len());
    let mut values = Vec::with_capacity(fields.len());
    for (name, value) in fields {
        if types.iter().any(|f| f.name == name) {
            return user(format!("Duplicate field names found in STRUCT: '{name}'."));
        }
        if matches!(value, Expr::Null) {
            return user(format!("Field '{name}' of STRUCT is the literal NULL and has no type. Cast it."));
        }
        types.push(Field::new(name, value.ty().clone()));
        values.push(value);
    }
    Ok(Expr::Struct { values, ty: SqlType::Struct(types) })
}

/// A DECIMAL literal: the type has as many digits as are written, and one before the point at least.
///
/// # Errors
/// Text that is no number, or of more than 76 digits.
pub fn decimal_literal(text: &str) -> Result<Expr, ExprError> {
    let value: Decimal = text.trim().parse()?;
    let precision = (value.precision() as u32).max(value.scale as u32 + 1);
    let ty = SqlType::decimal(precision, value.scale as u32)?;
    Ok(Expr::Literal { value: Value::Decimal(value), ty })
}

/// A lambda over parameters whose types [`Registry::lambda_params`] gave.
pub fn lambda(params: Vec<LambdaParam>, body: Expr) -> Expr {
    Expr::Lambda { params, body: Box::new(body) }
}

/// A call of a scalar function.
///
/// # Errors
/// As [`Registry::call`].
pub fn call(registry: &Registry, name: &str, args: Vec<Expr>) -> Result<Expr, ExprError> {
    registry.call(name, args)
}
