//! Comparing ROWTIME, WINDOWSTART and WINDOWEND with a time written as text.

use flumen_parser::ast::{Expr, ExprKind, Literal};
use flumen_types::{PseudoColumn, parse_timestamp};

use crate::PlanError;
use crate::query::tree;

/// The condition with texts that are compared with a time column read as epoch milliseconds.
///
/// # Errors
/// A text that is no time.
pub(crate) fn times_as_millis(condition: &Expr) -> Result<Expr, PlanError> {
    let mut rebuilt = tree::rebuild(condition, &mut times_as_millis)?;
    match &mut rebuilt.kind {
        ExprKind::Comparison { left, right, .. } => {
            if is_time(left) {
                to_millis(right)?;
            } else if is_time(right) {
                to_millis(left)?;
            }
        }
        ExprKind::Between { operand, low, high, .. } if is_time(operand) => {
            to_millis(low)?;
            to_millis(high)?;
        }
        _ => {}
    }
    Ok(rebuilt)
}

fn is_time(expr: &Expr) -> bool {
    let times = [PseudoColumn::RowTime, PseudoColumn::WindowStart, PseudoColumn::WindowEnd];
    matches!(&expr.kind, ExprKind::Column { name, .. } if times.iter().any(|t| t.name() == name.value))
}

fn to_millis(expr: &mut Expr) -> Result<(), PlanError> {
    if let ExprKind::Literal(Literal::String(text)) = &expr.kind {
        let millis = parse_timestamp(text).map_err(|e| PlanError::from(e).or_at(expr.span))?;
        expr.kind = ExprKind::Literal(Literal::BigInt(millis));
    }
    Ok(())
}
