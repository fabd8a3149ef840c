//! Literals and their types.

use flumen_expr::{Expr, build};
use flumen_parser::ast::Literal;
use flumen_types::{SqlType, Value};

use crate::PlanError;

/// The constant a literal stands for; NULL has no type yet.
pub(crate) fn literal(literal: &Literal) -> Result<Expr, PlanError> {
    Ok(match literal {
        Literal::Null => Expr::Null,
        Literal::Boolean(b) => Expr::literal(Value::Boolean(*b), SqlType::Boolean),
        Literal::Integer(n) => Expr::literal(Value::Integer(*n), SqlType::Integer),
        Literal::BigInt(n) => Expr::literal(Value::Bigint(*n), SqlType::Bigint),
        Literal::Double(d) => Expr::literal(Value::Double(d.0), SqlType::Double),
        Literal::String(text) => Expr::literal(Value::String(text.clone()), SqlType::String),
        Literal::Decimal(digits) => build::decimal_literal(digits)?,
    })
}
