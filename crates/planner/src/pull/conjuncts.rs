//! A condition as alternatives of simple conditions that must all hold.

use flumen_parser::ast::{ComparisonOp, Expr, ExprKind, LogicalOp};

/// More alternatives than this are not looked at one by one.
const MOST: usize = 1024;

/// A simple condition.
#[derive(Debug, Clone, Copy)]
pub(super) enum Simple<'e> {
    /// `left op right`
    Compare(ComparisonOp, &'e Expr, &'e Expr),
    /// Anything else.
    Other,
}

/// The alternatives of a condition; `None` when they are too many.
pub(super) fn alternatives(condition: &Expr) -> Option<Vec<Vec<Simple<'_>>>> {
    match &condition.kind {
        ExprKind::Logical { op: LogicalOp::Or, left, right } => {
            let mut all = alternatives(left)?;
            all.extend(alternatives(right)?);
            (all.len() <= MOST).then_some(all)
        }
        ExprKind::Logical { op: LogicalOp::And, left, right } => {
            let (left, right) = (alternatives(left)?, alternatives(right)?);
            if left.len().checked_mul(right.len())? > MOST {
                return None;
            }
            let both = left.iter().flat_map(|l| right.iter().map(move |r| l.iter().chain(r).copied().collect()));
            Some(both.collect())
        }
        ExprKind::InList { operand, negated: false, list } if list.len() <= MOST => {
            Some(list.iter().map(|value| vec![Simple::Compare(ComparisonOp::Equal, operand, value)]).collect())
        }
        ExprKind::Between { operand, negated: false, low, high } => Some(vec![vec![
            Simple::Compare(ComparisonOp::GreaterThanOrEqual, operand, low),
            Simple::Compare(ComparisonOp::LessThanOrEqual, operand, high),
        ]]),
        ExprKind::Comparison { op, left, right } => Some(vec![vec![Simple::Compare(*op, left, right)]]),
        _ => Some(vec![vec![Simple::Other]]),
    }
}

/// The comparison seen from its right side.
pub(super) fn flipped(op: ComparisonOp) -> ComparisonOp {
    match op {
        ComparisonOp::LessThan => ComparisonOp::GreaterThan,
        ComparisonOp::LessThanOrEqual => ComparisonOp::GreaterThanOrEqual,
        ComparisonOp::GreaterThan => ComparisonOp::LessThan,
        ComparisonOp::GreaterThanOrEqual => ComparisonOp::LessThanOrEqual,
        same => same,
    }
}
