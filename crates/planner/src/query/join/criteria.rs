//! The ON condition of a join: one equality between the new source and one of those before it.

use std::collections::BTreeSet;

use flumen_parser::Span;
use flumen_parser::ast::{ComparisonOp, Expr, ExprKind, Join, JoinKind, LogicalOp, Query, Within};

use crate::PlanError;
use crate::query::Planning;
use crate::query::scope::ScopeSource;
use crate::query::tree;

/// A join and its condition, columns qualified.
#[derive(Debug, Clone)]
pub(crate) struct Criterion {
    /// Inner or outer.
    pub(crate) kind: JoinKind,
    /// The source that is joined.
    pub(crate) source: ScopeSource,
    /// Expression over the sources before it.
    pub(crate) left: Expr,
    /// Expression over the source that is joined.
    pub(crate) right: Expr,
    /// WITHIN.
    pub(crate) within: Option<Within>,
    /// True when the key of the result is a column of its own.
    pub(crate) synthetic: bool,
    /// The condition as written, for messages.
    pub(crate) text: String,
    /// Where the join is written.
    pub(crate) span: Span,
}

impl Planning<'_> {
    /// The joins of a query, their conditions checked for form.
    pub(crate) fn criteria(&mut self, query: &Query) -> Result<Vec<Criterion>, PlanError> {
        let mut all = Vec::with_capacity(query.from.joins.len());
        for (join, at) in query.from.joins.iter().zip(1..) {
            let criterion = self.criterion(join, at)?;
            if criterion.synthetic {
                self.scope.synthetic_key = Some(self.synthetic_name());
            }
            all.push(criterion);
        }
        Ok(all)
    }

    fn criterion(&self, join: &Join, at: usize) -> Result<Criterion, PlanError> {
        let refuse = |text: String| Err(PlanError::user_at(join.on.span, text));
        let (op, left, right) = match &join.on.kind {
            ExprKind::Comparison { op, left, right } => (op, left, right),
            ExprKind::Logical { op: LogicalOp::And, .. } => {
                return refuse(format!("Invalid join condition: joins on multiple conditions are not yet supported. Got {}.", join.on));
            }
            _ => return refuse(format!("Invalid join condition: a join needs one equality between its two sides. Got {}.", join.on)),
        };
        if *op != ComparisonOp::Equal {
            return refuse(format!("Only equality join criteria are possible. Got {}.", join.on));
        }
        let left = self.scope.qualify(left, "JOIN ON")?;
        let right = self.scope.qualify(right, "JOIN ON")?;
        let (of_left, of_right) = (one_source(&left, &join.on)?, one_source(&right, &join.on)?);
        if of_left == of_right {
            return refuse(format!(
                "Each side of the join must reference exactly one source and not the same source. Left side references `{of_left}` and right references `{of_right}`"
            ));
        }
        let Some(source) = self.scope.sources.get(at).cloned() else {
            return refuse("a join needs a source".to_string());
        };
        let before: Vec<&str> = self.scope.sources.iter().take(at).map(|s| s.alias.as_str()).collect();
        let (left, right) = if of_right == source.alias && before.contains(&of_left.as_str()) {
            (left, right)
        } else if of_left == source.alias && before.contains(&of_right.as_str()) {
            (right, left)
        } else {
            return refuse(format!(
                "A join criteria is expected to reference the source (`{}`) in the FROM clause, instead the right source references `{of_right}` and the left source references `{of_left}`",
                source.alias
            ));
        };
        let synthetic = join.kind == JoinKind::Full || !is_column(&left) && !is_column(&right);
        Ok(Criterion {
            kind: join.kind,
            source,
            left,
            right,
            within: join.within.clone(),
            synthetic,
            text: join.on.to_string(),
            span: join.span,
        })
    }

    /// ROWKEY, or ROWKEY_n when a source has such a column.
    fn synthetic_name(&self) -> String {
        let taken = |name: &str| self.scope.sources.iter().any(|s| s.def.schema.find(name).is_some());
        let numbered = (1..).map(|n| format!("ROWKEY_{n}"));
        std::iter::once("ROWKEY".to_string()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
    }
}

/// True for a plain column.
pub(super) fn is_column(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Column { .. })
}

/// The one source a side of the condition is about.
fn one_source(side: &Expr, on: &Expr) -> Result<String, PlanError> {
    let mut found = BTreeSet::new();
    tree::visit(side, &mut |e| {
        if let ExprKind::Column { source: Some(source), .. } = &e.kind {
            found.insert(source.value.clone());
        }
    });
    let mut names = found.into_iter();
    match (names.next(), names.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(PlanError::user_at(
            side.span,
            format!(
                "Invalid comparison expression '{side}' in join '({on})'. Each side of the join comparision must contain references from exactly one source."
            ),
        )),
    }
}
