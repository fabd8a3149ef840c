//! Expressions that must come to one type: elements of ARRAY and MAP, the values of IN.

use flumen_types::{Decimal, Field, SqlType, Value, parse_date, parse_time, parse_timestamp};

use super::{cast, user};
use crate::coerce::widen;
use crate::{Expr, ExprError};

/// The type all of the expressions convert to: one type, the widest number, or, where STRING literals stand among
/// others, the type of the others if the literals read as it. NULLs take any.
///
/// # Errors
/// Types without a common one, or nothing but NULLs.
pub fn common_type(exprs: &[&Expr]) -> Result<SqlType, ExprError> {
    let is_text = |e: &Expr| matches!(e, Expr::Literal { value: Value::String(_), .. });
    let mut found: Option<SqlType> = None;
    for e in exprs.iter().filter(|e| !matches!(e, Expr::Null) && !is_text(e)) {
        found = Some(match found {
            Some(before) => unify(&before, e.ty())
                .ok_or_else(|| ExprError::user(format!("operator does not exist: {before} and {} ({e}) have no common type.", e.ty())))?,
            None => e.ty().clone(),
        });
    }
    let mut texts = exprs.iter().filter_map(|e| match e {
        Expr::Literal { value: Value::String(text), .. } => Some(text.as_str()),
        _ => None,
    });
    match found {
        None if texts.next().is_some() => Ok(SqlType::String),
        None => user("Cannot construct a list of NULLs only: it has no type. Cast an element.".into()),
        Some(ty) => texts.try_fold(ty, |ty, text| text_as(text, &ty)),
    }
}

/// The type that a STRING literal comes to among values of a type.
fn text_as(text: &str, ty: &SqlType) -> Result<SqlType, ExprError> {
    let trimmed = text.trim();
    let readable = match ty {
        SqlType::String => true,
        SqlType::Boolean => {
            let lower = trimmed.to_ascii_lowercase();
            !lower.is_empty() && ["true", "false", "yes", "no"].iter().any(|w| w.starts_with(&lower))
        }
        ty if ty.is_numeric() => return number_type(trimmed).and_then(|n| widen(ty, &n).ok()).ok_or_else(|| mixed(text, ty)),
        SqlType::Date => parse_date(trimmed).is_ok(),
        SqlType::Time => parse_time(trimmed).is_ok(),
        SqlType::Timestamp => parse_timestamp(trimmed).is_ok(),
        SqlType::Bytes => true,
        _ => false,
    };
    if readable { Ok(ty.clone()) } else { Err(mixed(text, ty)) }
}

fn mixed(text: &str, ty: &SqlType) -> ExprError {
    ExprError::user(format!("invalid input syntax for type {ty}: \"{text}\". All values of a list must come to one type."))
}

/// The type of a number written in a STRING literal.
fn number_type(text: &str) -> Option<SqlType> {
    if text.parse::<i32>().is_ok() {
        return Some(SqlType::Integer);
    }
    if text.parse::<i64>().is_ok() {
        return Some(SqlType::Bigint);
    }
    if text.contains(['e', 'E']) {
        return text.parse::<f64>().is_ok().then_some(SqlType::Double);
    }
    let decimal: Decimal = text.parse().ok()?;
    SqlType::decimal(decimal.precision().max(decimal.scale).max(1) as u32, decimal.scale as u32).ok()
}

/// The type both come to, inside collections too.
fn unify(a: &SqlType, b: &SqlType) -> Option<SqlType> {
    match (a, b) {
        _ if a == b => Some(a.clone()),
        (SqlType::Array(a), SqlType::Array(b)) => Some(SqlType::array(unify(a, b)?)),
        (SqlType::Map(k1, v1), SqlType::Map(k2, v2)) => Some(SqlType::map(unify(k1, k2)?, unify(v1, v2)?)),
        (SqlType::Struct(a), SqlType::Struct(b)) => {
            let mut fields = Vec::with_capacity(a.len());
            for f in a {
                let ty = match b.iter().find(|g| g.name == f.name) {
                    Some(g) => unify(&f.ty, &g.ty)?,
                    None => f.ty.clone(),
                };
                fields.push(Field::new(f.name.clone(), ty));
            }
            fields.extend(b.iter().filter(|g| a.iter().all(|f| f.name != g.name)).cloned());
            Some(SqlType::Struct(fields))
        }
        _ => widen(a, b).ok(),
    }
}

fn cast_all(exprs: Vec<Expr>, ty: &SqlType) -> Result<Vec<Expr>, ExprError> {
    exprs.into_iter().map(|e| cast(e, ty)).collect()
}

/// `ARRAY[…]`
///
/// # Errors
/// No elements, or elements without a common type.
pub fn array(items: Vec<Expr>) -> Result<Expr, ExprError> {
    if items.is_empty() {
        return user("Array constructor cannot be empty. Please supply at least one element (NULL can be cast to a type).".into());
    }
    let element = common_type(&items.iter().collect::<Vec<_>>())?;
    Ok(Expr::Array { items: cast_all(items, &element)?, ty: SqlType::array(element) })
}

/// `MAP(key := value, …)`
///
/// # Errors
/// No entries, or keys or values without a common type.
pub fn map(entries: Vec<(Expr, Expr)>) -> Result<Expr, ExprError> {
    if entries.is_empty() {
        return user("Map constructor cannot be empty. Please supply at least one key value pair.".into());
    }
    let (keys, values): (Vec<Expr>, Vec<Expr>) = entries.into_iter().unzip();
    let key = common_type(&keys.iter().collect::<Vec<_>>())?;
    let value = common_type(&values.iter().collect::<Vec<_>>())?;
    let entries = cast_all(keys, &key)?.into_iter().zip(cast_all(values, &value)?).collect();
    Ok(Expr::Map { entries, ty: SqlType::map(key, value) })
}

/// `operand [NOT] IN (list)`
///
/// # Errors
/// An empty list, or values that do not come to one type with the operand.
pub fn in_list(operand: Expr, negated: bool, list: Vec<Expr>) -> Result<Expr, ExprError> {
    if list.is_empty() {
        return user("IN needs at least one value.".into());
    }
    let all: Vec<&Expr> = std::iter::once(&operand).chain(&list).collect();
    let ty = common_type(&all)?;
    Ok(Expr::In { operand: Box::new(cast(operand, &ty)?), negated, list: cast_all(list, &ty)? })
}
