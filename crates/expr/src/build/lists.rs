//! Expressions that must come to one type: elements of ARRAY and MAP, the values of IN.

use flumen_types::{Decimal, Field, SqlType, Value, parse_date, parse_time, parse_timestamp};

use super::{cast, decimal_literal, user};
use crate::coerce::widen;
use crate::{Expr, ExprError};

/// A value of a list: an expression, or only its type where it is an element of a collection computed at run time.
#[derive(Clone, Copy)]
enum Item<'a> {
    Expr(&'a Expr),
    Type(&'a SqlType),
}

impl<'a> Item<'a> {
    fn ty(self) -> &'a SqlType {
        match self {
            Item::Expr(e) => e.ty(),
            Item::Type(ty) => ty,
        }
    }

    /// The text of a STRING literal.
    fn text(self) -> Option<&'a str> {
        match self {
            Item::Expr(Expr::Literal { value: Value::String(text), .. }) => Some(text),
            _ => None,
        }
    }

    fn is_literal(self) -> bool {
        matches!(self, Item::Expr(Expr::Literal { .. }))
    }

    /// The NULL literal, also where a constructor without a better type made it a STRING.
    fn is_untyped(self) -> bool {
        matches!(self, Item::Expr(Expr::Null | Expr::Literal { value: Value::Null, ty: SqlType::String }))
    }
}

/// The type all of the expressions convert to: one type, the widest number, or, where STRING literals stand among
/// others, the type of the others if the literals read as it. Number and BOOLEAN literals among STRINGs become text;
/// NULLs take any type; collections agree element by element.
///
/// # Errors
/// Types without a common one, or nothing but NULLs.
pub fn common_type(exprs: &[&Expr]) -> Result<SqlType, ExprError> {
    common(&exprs.iter().map(|e| Item::Expr(e)).collect::<Vec<_>>())
}

fn common(items: &[Item<'_>]) -> Result<SqlType, ExprError> {
    let present: Vec<Item<'_>> = items.iter().copied().filter(|i| !i.is_untyped()).collect();
    let typed: Vec<Item<'_>> = present.iter().copied().filter(|i| i.text().is_none()).collect();
    let Some(first) = typed.first() else {
        let any_string = items.iter().any(|i| !matches!(i, Item::Expr(Expr::Null)));
        return match any_string {
            true => Ok(SqlType::String),
            false => user("Cannot construct a list of NULLs only: it has no type. Cast an element.".into()),
        };
    };
    if typed.iter().any(|i| *i.ty() == SqlType::String) {
        let odd = typed.iter().find(|i| *i.ty() != SqlType::String && !i.is_literal());
        return match odd {
            None => Ok(SqlType::String),
            Some(odd) => Err(no_common(&SqlType::String, odd.ty())),
        };
    }
    match first.ty() {
        SqlType::Array(_) => return array_type(&present),
        SqlType::Map(..) => return map_type(&present),
        SqlType::Struct(_) => return struct_type(&present),
        _ => {}
    }
    let ty = typed.iter().try_fold(first.ty().clone(), |ty, item| widen(&ty, item.ty()).map_err(|_| no_common(&ty, item.ty())))?;
    present.iter().filter_map(|i| i.text()).try_fold(ty, |ty, text| text_as(text, &ty))
}

fn no_common(a: &SqlType, b: &SqlType) -> ExprError {
    ExprError::user(format!("operator does not exist: {a} and {b} have no common type. All values of a list must come to one type."))
}

fn array_type(arrays: &[Item<'_>]) -> Result<SqlType, ExprError> {
    let mut elements = Vec::new();
    for array in arrays {
        match (array, array.ty()) {
            (Item::Expr(Expr::Array { items, .. }), _) => elements.extend(items.iter().map(Item::Expr)),
            (_, SqlType::Array(element)) => elements.push(Item::Type(element)),
            (_, other) => return Err(no_common(arrays[0].ty(), other)),
        }
    }
    Ok(SqlType::array(common(&elements)?))
}

fn map_type(maps: &[Item<'_>]) -> Result<SqlType, ExprError> {
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    for map in maps {
        match (map, map.ty()) {
            (Item::Expr(Expr::Map { entries, .. }), _) => {
                keys.extend(entries.iter().map(|(k, _)| Item::Expr(k)));
                values.extend(entries.iter().map(|(_, v)| Item::Expr(v)));
            }
            (_, SqlType::Map(key, value)) => {
                keys.push(Item::Type(key));
                values.push(Item::Type(value));
            }
            (_, other) => return Err(no_common(maps[0].ty(), other)),
        }
    }
    Ok(SqlType::map(common(&keys)?, common(&values)?))
}

fn struct_type(structs: &[Item<'_>]) -> Result<SqlType, ExprError> {
    let mut fields: Vec<(&str, Vec<Item<'_>>)> = Vec::new();
    for structure in structs {
        let SqlType::Struct(declared) = structure.ty() else { return Err(no_common(structs[0].ty(), structure.ty())) };
        for (i, field) in declared.iter().enumerate() {
            let item = match structure {
                Item::Expr(Expr::Struct { values, .. }) => values.get(i).map_or(Item::Type(&field.ty), Item::Expr),
                _ => Item::Type(&field.ty),
            };
            match fields.iter_mut().find(|(name, _)| *name == field.name) {
                Some((_, items)) => items.push(item),
                None => fields.push((&field.name, vec![item])),
            }
        }
    }
    let field = |(name, items): (&str, Vec<Item<'_>>)| Ok(Field::new(name, common(&items)?));
    Ok(SqlType::Struct(fields.into_iter().map(field).collect::<Result<_, ExprError>>()?))
}

/// The type that a STRING literal comes to among values of a type.
fn text_as(text: &str, ty: &SqlType) -> Result<SqlType, ExprError> {
    let trimmed = text.trim();
    let readable = match ty {
        SqlType::Boolean => {
            let lower = trimmed.to_ascii_lowercase();
            !lower.is_empty() && ["true", "false", "yes", "no"].iter().any(|w| w.starts_with(&lower))
        }
        ty if ty.is_numeric() => {
            let number = number(trimmed).and_then(|n| widen(ty, n.ty()).ok());
            return number.ok_or_else(|| mixed(text, ty));
        }
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

/// The number written in a STRING literal, as a literal of the narrowest type; with a point or an exponent it is a DECIMAL.
fn number(text: &str) -> Option<Expr> {
    let decimal: Decimal = text.parse().ok()?;
    if decimal.scale > 0 || text.contains(['e', 'E']) {
        return decimal_literal(text).ok();
    }
    let whole = decimal.to_string();
    if let Ok(n) = whole.parse::<i32>() {
        return Some(Expr::literal(Value::Integer(n), SqlType::Integer));
    }
    match whole.parse::<i64>() {
        Ok(n) => Some(Expr::literal(Value::Bigint(n), SqlType::Bigint)),
        Err(_) => decimal_literal(&whole).ok(),
    }
}

/// A value of a list as the list's common type; the values of constructors are converted where they stand.
fn convert(expr: Expr, to: &SqlType) -> Result<Expr, ExprError> {
    match (expr, to) {
        (Expr::Array { items, .. }, SqlType::Array(element)) => Ok(Expr::Array { items: convert_all(items, element)?, ty: to.clone() }),
        (Expr::Map { entries, .. }, SqlType::Map(key, value)) => {
            let entry = |(k, v)| Ok((convert(k, key)?, convert(v, value)?));
            Ok(Expr::Map { entries: entries.into_iter().map(entry).collect::<Result<_, ExprError>>()?, ty: to.clone() })
        }
        (Expr::Literal { value: Value::String(text), ty }, _) if to.is_numeric() => match number(text.trim()) {
            Some(literal) => cast(literal, to),
            None => cast(Expr::Literal { value: Value::String(text), ty }, to),
        },
        (other, _) => cast(other, to),
    }
}

fn convert_all(exprs: Vec<Expr>, ty: &SqlType) -> Result<Vec<Expr>, ExprError> {
    exprs.into_iter().map(|e| convert(e, ty)).collect()
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
    Ok(Expr::Array { items: convert_all(items, &element)?, ty: SqlType::array(element) })
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
    let entries = convert_all(keys, &key)?.into_iter().zip(convert_all(values, &value)?).collect();
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
    Ok(Expr::In { operand: Box::new(convert(operand, &ty)?), negated, list: convert_all(list, &ty)? })
}
