//! What two properties change in expressions: errors inside constructors, and CASTs of NULL to text.
//!
//! Both are written into the expression, so that a query keeps the behaviour it was created with.

use flumen_expr::{Expr, LogicalOp, build};
use flumen_types::SqlType;

use super::Translator;
use crate::PlanError;

impl Translator<'_> {
    /// The value of an ARRAY, MAP or STRUCT constructor. With `ksql.nested.error.set.null=false` an error in one element
    /// is the whole value's: every element that can fail is tested before the constructor, where errors are not caught.
    pub(super) fn constructor(&self, built: Expr) -> Result<Expr, PlanError> {
        if self.flag("ksql.nested.error.set.null")? {
            return Ok(built);
        }
        let parts: Vec<&Expr> = match &built {
            Expr::Array { items, .. } => items.iter().collect(),
            Expr::Map { entries, .. } => entries.iter().flat_map(|(k, v)| [k, v]).collect(),
            Expr::Struct { values, .. } => values.iter().collect(),
            _ => Vec::new(),
        };
        // `e IS NULL IS NOT NULL`: true for every value, and an error where `e` is one.
        let test = |e: &Expr| build::is_null(build::is_null(e.clone(), false), true);
        let mut tests = parts.into_iter().filter(|e| can_fail(e)).map(test);
        let Some(first) = tests.next() else { return Ok(built) };
        let all = tests.try_fold(first, |all, test| build::logical(LogicalOp::And, all, test))?;
        Ok(build::case(vec![(all, built)], None)?)
    }

    /// `CAST(operand AS ty)`. With `ksql.cast.strings.preserve.nulls=false` a NULL becomes the text `null`.
    pub(super) fn cast(&self, operand: Expr, ty: &SqlType) -> Result<Expr, PlanError> {
        let is_text = operand.is_null_literal() || *operand.ty() == SqlType::String;
        let text = build::cast(operand, ty)?;
        if is_text || *ty != SqlType::String || self.flag("ksql.cast.strings.preserve.nulls")? {
            return Ok(text);
        }
        let null = Expr::literal("null".into(), SqlType::String);
        Ok(self.registry.call("COALESCE", vec![text, null])?)
    }

    /// A BOOLEAN property that is true unless it is set.
    fn flag(&self, name: &str) -> Result<bool, PlanError> {
        self.context.map_or(Ok(true), |context| context.flag(name, true))
    }
}

fn can_fail(expr: &Expr) -> bool {
    !matches!(expr, Expr::Column { .. } | Expr::Literal { .. } | Expr::Variable { .. } | Expr::Null)
}
