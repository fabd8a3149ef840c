//! Expressions as written to typed expressions.
//!
//! Columns are bound by [`Bindings`]: a map from expressions as written (columns qualified with their source, but also
//! whole grouping expressions, aggregates and table functions) to what holds their value. Typing and conversions are
//! those of `flumen_expr::build`.

mod call;
mod constant;
mod literal;
mod policy;

use std::collections::HashMap;

use flumen_catalog::Catalog;
use flumen_expr::build;
use flumen_expr::{ArithmeticOp, CompareOp, Expr, IntervalUnit, LambdaParam, LogicalOp, Registry};
use flumen_parser::ast::{self, ExprKind};

use crate::sql_type::sql_type;
use crate::{PlanContext, PlanError};

pub(crate) use constant::evaluate;

/// What holds the value of an expression as written.
pub(crate) type Bindings = HashMap<ast::Expr, Expr>;

/// Translates expressions over one row.
pub(crate) struct Translator<'a> {
    /// Custom types for CAST.
    pub(crate) catalog: &'a Catalog,
    /// The functions.
    pub(crate) registry: &'a Registry,
    /// The row.
    pub(crate) bindings: &'a Bindings,
    /// The properties, where they matter.
    context: Option<&'a PlanContext>,
    /// Parameters of the lambdas around, innermost last.
    variables: Vec<LambdaParam>,
}

impl<'a> Translator<'a> {
    pub(crate) fn new(catalog: &'a Catalog, registry: &'a Registry, bindings: &'a Bindings) -> Self {
        Translator { catalog, registry, bindings, context: None, variables: Vec::new() }
    }

    /// Under these properties, instead of the defaults.
    pub(crate) fn under(self, context: &'a PlanContext) -> Self {
        Translator { context: Some(context), ..self }
    }

    /// The typed expression; errors carry the place of the innermost part that is wrong.
    pub(crate) fn expr(&mut self, written: &ast::Expr) -> Result<Expr, PlanError> {
        if let Some(bound) = self.bindings.get(written) {
            return Ok(bound.clone());
        }
        self.unbound(written).map_err(|e| e.or_at(written.span))
    }

    /// A condition: BOOLEAN.
    pub(crate) fn condition(&mut self, written: &ast::Expr, clause: &str) -> Result<Expr, PlanError> {
        let place = format!("Error in {clause} expression");
        let condition = self.expr(written).map_err(|e| e.within(&place))?;
        if *condition.ty() != flumen_types::SqlType::Boolean || condition.is_null_literal() {
            let what = if condition.is_null_literal() { "NULL".to_string() } else { condition.ty().to_string() };
            return Err(PlanError::user_at(
                written.span,
                format!("{place}: type error in {clause} expression: should evaluate to boolean but is {written} ({what}) instead."),
            ));
        }
        Ok(condition)
    }

    fn boxed(&mut self, all: &[ast::Expr]) -> Result<Vec<Expr>, PlanError> {
        all.iter().map(|e| self.expr(e)).collect()
    }

    fn unbound(&mut self, written: &ast::Expr) -> Result<Expr, PlanError> {
        Ok(match &written.kind {
            ExprKind::Literal(literal) => literal::literal(literal)?,
            ExprKind::Column { source, name } => {
                let variable = self.variables.iter().rev().find(|v| source.is_none() && v.name == name.value);
                match variable {
                    Some(v) => Expr::Variable { id: v.id, name: v.name.clone(), ty: v.ty.clone() },
                    None => return Err(PlanError::user(format!("column {written} cannot be used here"))),
                }
            }
            ExprKind::Arithmetic { op, left, right } => build::arithmetic(arithmetic_op(*op), self.expr(left)?, self.expr(right)?)?,
            ExprKind::Comparison { op, left, right } => build::compare(compare_op(*op), self.expr(left)?, self.expr(right)?)?,
            ExprKind::Logical { op, left, right } => {
                let op = match op {
                    ast::LogicalOp::And => LogicalOp::And,
                    ast::LogicalOp::Or => LogicalOp::Or,
                };
                build::logical(op, self.expr(left)?, self.expr(right)?)?
            }
            ExprKind::Not(operand) => build::not(self.expr(operand)?)?,
            ExprKind::Unary { sign: ast::Sign::Minus, operand } => build::negate(self.expr(operand)?)?,
            ExprKind::Unary { sign: ast::Sign::Plus, operand } => {
                let operand = self.expr(operand)?;
                build::negate(operand.clone())?;
                operand
            }
            ExprKind::IsNull { operand, negated } => build::is_null(self.expr(operand)?, *negated),
            ExprKind::Between { operand, negated, low, high } => {
                build::between(self.expr(operand)?, *negated, self.expr(low)?, self.expr(high)?)?
            }
            ExprKind::InList { operand, negated, list } => {
                let operand = self.expr(operand)?;
                build::in_list(operand, *negated, self.boxed(list)?)?
            }
            ExprKind::Like { operand, negated, pattern, escape } => {
                build::like(self.expr(operand)?, *negated, self.expr(pattern)?, *escape)?
            }
            ExprKind::SearchedCase { branches, default } => {
                let branch = |b: &ast::WhenClause, t: &mut Self| Ok::<_, PlanError>((t.expr(&b.when)?, t.expr(&b.then)?));
                let branches = branches.iter().map(|b| branch(b, self)).collect::<Result<Vec<_>, _>>()?;
                build::case(branches, default.as_deref().map(|d| self.expr(d)).transpose()?)?
            }
            ExprKind::SimpleCase { .. } => {
                return Err(PlanError::user(
                    "Only searched CASE expressions are possible: write CASE WHEN a = b THEN … instead of CASE a WHEN b THEN …",
                ));
            }
            ExprKind::Cast { operand, data_type } => {
                let operand = self.expr(operand)?;
                self.cast(operand, &sql_type(data_type, self.catalog)?)?
            }
            ExprKind::Subscript { base, index } => build::subscript(self.expr(base)?, self.expr(index)?)?,
            ExprKind::StructDeref { base, field } => build::field(self.expr(base)?, &field.value)?,
            ExprKind::Function(function) => self.call(function)?,
            ExprKind::Lambda { .. } => return Err(PlanError::user("a lambda can stand only where a function takes one")),
            ExprKind::Array(items) => {
                let items = self.boxed(items)?;
                self.constructor(build::array(items)?)?
            }
            ExprKind::Map(entries) => {
                let entries = entries.iter().map(|(k, v)| Ok((self.expr(k)?, self.expr(v)?))).collect::<Result<Vec<_>, PlanError>>()?;
                self.constructor(build::map(entries)?)?
            }
            ExprKind::Struct(fields) => {
                let fields = fields.iter().map(|(n, v)| Ok((n.value.clone(), self.expr(v)?))).collect::<Result<Vec<_>, PlanError>>()?;
                self.constructor(build::struct_(fields)?)?
            }
            ExprKind::AtTimeZone { .. } => {
                return Err(PlanError::user("AT TIME ZONE is not part of the language: use CONVERT_TZ(timestamp, from_zone, to_zone)"));
            }
            ExprKind::TimeUnit(unit) => Expr::Unit { unit: interval_unit(*unit)? },
        })
    }
}

fn interval_unit(unit: ast::TimeUnit) -> Result<IntervalUnit, PlanError> {
    Ok(match unit {
        ast::TimeUnit::Millisecond => IntervalUnit::Milliseconds,
        ast::TimeUnit::Second => IntervalUnit::Seconds,
        ast::TimeUnit::Minute => IntervalUnit::Minutes,
        ast::TimeUnit::Hour => IntervalUnit::Hours,
        ast::TimeUnit::Day => IntervalUnit::Days,
        ast::TimeUnit::Month | ast::TimeUnit::Year => {
            return Err(PlanError::user("months and years have no fixed length: use MILLISECONDS, SECONDS, MINUTES, HOURS or DAYS"));
        }
    })
}

fn arithmetic_op(op: ast::ArithmeticOp) -> ArithmeticOp {
    match op {
        ast::ArithmeticOp::Add => ArithmeticOp::Add,
        ast::ArithmeticOp::Subtract => ArithmeticOp::Subtract,
        ast::ArithmeticOp::Multiply => ArithmeticOp::Multiply,
        ast::ArithmeticOp::Divide => ArithmeticOp::Divide,
        ast::ArithmeticOp::Modulo => ArithmeticOp::Remainder,
    }
}

fn compare_op(op: ast::ComparisonOp) -> CompareOp {
    match op {
        ast::ComparisonOp::Equal => CompareOp::Eq,
        ast::ComparisonOp::NotEqual => CompareOp::Ne,
        ast::ComparisonOp::LessThan => CompareOp::Lt,
        ast::ComparisonOp::LessThanOrEqual => CompareOp::Le,
        ast::ComparisonOp::GreaterThan => CompareOp::Gt,
        ast::ComparisonOp::GreaterThanOrEqual => CompareOp::Ge,
        ast::ComparisonOp::IsDistinctFrom => CompareOp::DistinctFrom,
        ast::ComparisonOp::IsNotDistinctFrom => CompareOp::NotDistinctFrom,
    }
}
