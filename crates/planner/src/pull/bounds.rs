//! Which keys and windows a WHERE clause can hold for.
//!
//! The whole clause is applied to what is read; bounds only spare reading the rest. So what is not understood here costs
//! time, never rows.

use std::ops::Bound;

use flumen_catalog::Catalog;
use flumen_expr::{Expr as Typed, Registry, build};
use flumen_parser::ast::{ComparisonOp, Expr, ExprKind};
use flumen_plan::{KeyBounds, WindowBounds};
use flumen_types::{PseudoColumn, SqlType, Value};

use super::conjuncts::{Simple, alternatives, flipped};
use crate::PlanError;
use crate::expression::{Bindings, Translator, evaluate};
use crate::query::PullRows;

/// The bounds a condition gives.
pub(super) fn bounds(
    filter: &Expr,
    rows: &PullRows,
    registry: &Registry,
    catalog: &Catalog,
) -> Result<(KeyBounds, WindowBounds), PlanError> {
    let reader = Reader { rows, registry, catalog };
    let Some(alternatives) = alternatives(filter) else {
        return Ok((KeyBounds::Scan, WindowBounds::default()));
    };
    let windows = alternatives.iter().map(|a| reader.windows(a)).reduce(either).unwrap_or_default();
    let mut keys: Vec<Vec<Value>> = Vec::new();
    let all_looked_up = alternatives.iter().all(|all| match reader.key(all) {
        Some(key) => {
            if !keys.contains(&key) {
                keys.push(key);
            }
            true
        }
        None => false,
    });
    if all_looked_up {
        return Ok((KeyBounds::Lookup(keys), windows));
    }
    let range = match alternatives.as_slice() {
        [only] => reader.range(only),
        _ => None,
    };
    Ok((range.unwrap_or(KeyBounds::Scan), windows))
}

struct Reader<'a> {
    rows: &'a PullRows,
    registry: &'a Registry,
    catalog: &'a Catalog,
}

impl Reader<'_> {
    /// Comparisons of a column with a constant of its type.
    fn comparisons<'s>(
        &'s self,
        all: &'s [Simple<'_>],
        column: &'s Expr,
        ty: &'s SqlType,
    ) -> impl Iterator<Item = (ComparisonOp, Value)> + 's {
        all.iter().filter_map(move |simple| {
            let Simple::Compare(op, left, right) = simple else { return None };
            if *left == column {
                Some((*op, self.constant(right, ty)?))
            } else if *right == column {
                Some((flipped(*op), self.constant(left, ty)?))
            } else {
                None
            }
        })
    }

    /// The one key these conditions leave.
    fn key(&self, all: &[Simple<'_>]) -> Option<Vec<Value>> {
        let columns = self.rows.keys.iter().zip(&self.rows.schema.keys);
        columns
            .map(|(column, (_, ty))| self.comparisons(all, column, ty).find(|(op, _)| *op == ComparisonOp::Equal).map(|(_, v)| v))
            .collect()
    }

    /// The range of a single key column.
    fn range(&self, all: &[Simple<'_>]) -> Option<KeyBounds> {
        let ([column], [(_, ty)]) = (self.rows.keys.as_slice(), self.rows.schema.keys.as_slice()) else { return None };
        if !ty.is_primitive() || matches!(ty, SqlType::Double | SqlType::Decimal { .. } | SqlType::Boolean) {
            return None;
        }
        let (mut low, mut high) = (Bound::Unbounded, Bound::Unbounded);
        for (op, value) in self.comparisons(all, column, ty) {
            match op {
                ComparisonOp::GreaterThan if low == Bound::Unbounded => low = Bound::Excluded(value),
                ComparisonOp::GreaterThanOrEqual if low == Bound::Unbounded => low = Bound::Included(value),
                ComparisonOp::LessThan if high == Bound::Unbounded => high = Bound::Excluded(value),
                ComparisonOp::LessThanOrEqual if high == Bound::Unbounded => high = Bound::Included(value),
                _ => {}
            }
        }
        let unbounded = low == Bound::Unbounded && high == Bound::Unbounded;
        (!unbounded).then_some(KeyBounds::Range { low, high })
    }

    fn windows(&self, all: &[Simple<'_>]) -> WindowBounds {
        let mut bounds = WindowBounds::default();
        let Some(alias) = self.rows.keys.iter().find_map(source_of).filter(|_| self.rows.schema.window.is_some()) else {
            return bounds;
        };
        for (pseudo, from, to) in [
            (PseudoColumn::WindowStart, &mut bounds.start_from, &mut bounds.start_to),
            (PseudoColumn::WindowEnd, &mut bounds.end_from, &mut bounds.end_to),
        ] {
            let column = crate::query::scope::column(&alias, pseudo.name(), flumen_parser::Span::default());
            for (op, value) in self.comparisons(all, &column, &SqlType::Bigint) {
                let Value::Bigint(ms) = value else { continue };
                let (least, most) = match op {
                    ComparisonOp::Equal => (Some(ms), Some(ms)),
                    ComparisonOp::GreaterThan => (ms.checked_add(1), None),
                    ComparisonOp::GreaterThanOrEqual => (Some(ms), None),
                    ComparisonOp::LessThan => (None, ms.checked_sub(1)),
                    ComparisonOp::LessThanOrEqual => (None, Some(ms)),
                    _ => (None, None),
                };
                *from = (*from).max(least);
                *to = match (*to, most) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
            }
        }
        bounds
    }

    /// The value of a side without columns, as a type it converts to unasked. Functions that give another value each
    /// time, all of which take no argument, are left to the filter.
    fn constant(&self, side: &Expr, ty: &SqlType) -> Option<Value> {
        let bindings = Bindings::new();
        let typed = Translator::new(self.catalog, self.registry, &bindings).expr(side).ok()?;
        let mut changing = false;
        typed.visit(&mut |e| changing |= matches!(e, Typed::Call { args, .. } if args.is_empty()));
        if changing || typed.is_null_literal() {
            return None;
        }
        let value = evaluate(&build::implicit_cast(typed, ty).ok()?, self.registry, 0).ok()?;
        (!value.is_null()).then_some(value)
    }
}

fn source_of(column: &Expr) -> Option<String> {
    match &column.kind {
        ExprKind::Column { source: Some(source), .. } => Some(source.value.clone()),
        _ => None,
    }
}

/// Bounds that hold for either of two alternatives.
fn either(a: WindowBounds, b: WindowBounds) -> WindowBounds {
    let least = |a: Option<i64>, b: Option<i64>| a.zip(b).map(|(a, b)| a.min(b));
    let most = |a: Option<i64>, b: Option<i64>| a.zip(b).map(|(a, b)| a.max(b));
    WindowBounds {
        start_from: least(a.start_from, b.start_from),
        start_to: most(a.start_to, b.start_to),
        end_from: least(a.end_from, b.end_from),
        end_to: most(a.end_to, b.end_to),
    }
}
