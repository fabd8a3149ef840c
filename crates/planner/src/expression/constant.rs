//! The value of an expression without columns.

use flumen_expr::{Compiled, Expr, Input, Random, Registry, Selection};
use flumen_types::{Value, value_at};

use crate::PlanError;

/// Evaluates an expression over no columns.
///
/// # Errors
/// The expression fails, with its own message.
pub(crate) fn evaluate(expr: &Expr, registry: &Registry, now_ms: i64) -> Result<Value, PlanError> {
    if let Expr::Literal { value, .. } = expr {
        return Ok(value.clone());
    }
    let compiled = Compiled::new(expr, registry)?;
    let random = Random::seeded(now_ms as u64);
    let input = Input { columns: &[], rows: 1, now_ms, random: &random };
    let result = compiled.eval(&input, &Selection::All)?;
    if let Some((_, message)) = result.failures.messages().first() {
        return Err(PlanError::user(format!("Failed to evaluate {expr}: {message}")));
    }
    Ok(value_at(result.array.as_ref(), expr.ty(), 0))
}
