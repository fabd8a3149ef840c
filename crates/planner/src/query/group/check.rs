//! The rules of grouping.

use flumen_parser::ast::{Expr, ExprKind, Query};
use flumen_types::PseudoColumn;

use crate::PlanError;
use crate::expression::Bindings;
use crate::query::clauses::{Clauses, Item};
use crate::query::flow::Flow;
use crate::query::{Planning, Use, tree};

impl Planning<'_> {
    /// Checks what can be said before types are known.
    pub(super) fn check_grouping(
        &self,
        flow: &Flow,
        query: &Query,
        clauses: &Clauses,
        found: &[Expr],
        used_as: Use,
    ) -> Result<(), PlanError> {
        for (at, expr) in clauses.group_by.iter().enumerate() {
            self.refuse_functions(expr, "GROUP BY")?;
            if clauses.group_by.iter().take(at).any(|e| e == expr) {
                return Err(PlanError::user_at(expr.span, format!("Duplicate GROUP BY expression: {expr}")));
            }
        }
        let Some(first) = clauses.group_by.first() else {
            return self.check_ungrouped_query(clauses, found, used_as);
        };
        if found.is_empty() {
            self.refuse_unknown_functions(clauses)?;
            return Err(PlanError::user_at(first.span, "GROUP BY requires aggregate functions in either the SELECT or HAVING clause."));
        }
        if let (Some(window), true) = (&query.window, flow.table) {
            return Err(PlanError::user_at(
                window.span,
                "WINDOW clause is not supported when aggregating a table: only streams have windows.",
            ));
        }
        Ok(())
    }

    /// A mistyped aggregate is reported by its name.
    fn refuse_unknown_functions(&self, clauses: &Clauses) -> Result<(), PlanError> {
        let mut unknown = Ok(());
        for expr in clauses.select_exprs().chain(&clauses.having) {
            tree::visit(expr, &mut |e| {
                if let ExprKind::Function(call) = &e.kind
                    && unknown.is_ok()
                    && self.registry.kind(&call.name.value).is_none()
                {
                    let error = self.registry.aggregate_call(&call.name.value, Vec::new());
                    unknown = error.map(|_| ()).map_err(|e| PlanError::from(e).or_at(call.name.span));
                }
            });
        }
        unknown
    }

    /// Aggregates without GROUP BY.
    fn check_ungrouped_query(&self, clauses: &Clauses, found: &[Expr], used_as: Use) -> Result<(), PlanError> {
        let calls = |e: &Expr| found.iter().any(|f| f == e);
        for item in &clauses.select {
            let (offending, span) = match item {
                Item::Expr { expr, .. } => (ungrouped(expr, &calls).then(|| expr.to_string()), expr.span),
                Item::All { span, .. } => (Some("*".to_string()), *span),
                Item::StructAll { base } => (Some(base.to_string()), base.span),
            };
            if let Some(text) = offending {
                return Err(not_grouped("SELECT expression(s)", &text).or_at(span));
            }
        }
        match (used_as, found.first()) {
            (Use::Persistent, Some(call)) => Err(PlanError::user_at(
                call.span,
                format!("CREATE TABLE AS SELECT statement does not support aggregate function [{call}] without a GROUP BY clause."),
            )),
            _ => Ok(()),
        }
    }

    /// Every column outside an aggregate must be part of a grouping expression.
    pub(super) fn check_ungrouped(&self, flow: &Flow, clauses: &Clauses) -> Result<(), PlanError> {
        let bindings: Bindings = flow.bindings();
        let known = |e: &Expr| bindings.contains_key(e);
        let mut wrong: Vec<(String, flumen_parser::Span)> = Vec::new();
        for item in &clauses.select {
            match item {
                Item::Expr { expr, .. } if ungrouped(expr, &known) => wrong.push((bare(expr), expr.span)),
                Item::StructAll { base } if ungrouped(base, &known) => wrong.push((bare(base), base.span)),
                Item::All { source, span } => {
                    let sources = self.scope.sources.iter().filter(|s| source.as_ref().is_none_or(|a| *a == s.alias));
                    let columns = sources.flat_map(|s| s.def.schema.columns.iter().map(|c| s.column(&c.name)));
                    wrong.extend(columns.filter(|c| !known(c)).map(|c| (bare(&c), *span)));
                }
                _ => {}
            }
        }
        if let Some((_, span)) = wrong.first() {
            let all: Vec<&str> = wrong.iter().map(|(text, _)| text.as_str()).collect();
            return Err(not_grouped("SELECT expression(s)", &all.join(", ")).or_at(*span));
        }
        match &clauses.having {
            Some(having) if ungrouped(having, &known) => Err(not_grouped("HAVING expression", &bare(having)).or_at(having.span)),
            _ => Ok(()),
        }
    }

    /// Window bounds cannot be arguments of aggregates.
    pub(super) fn refuse_own_columns(&self, expr: &Expr) -> Result<(), PlanError> {
        let mut refused = None;
        tree::visit(expr, &mut |e| {
            if let ExprKind::Column { source: None, name } = &e.kind
                && PseudoColumn::from_name(&name.value).is_some()
            {
                refused.get_or_insert((name.value.clone(), e.span));
            }
        });
        match refused {
            Some((name, span)) => Err(PlanError::user_at(
                span,
                format!(
                    "Window bounds column {name} can only be used in the SELECT clause of windowed aggregations and can not be passed to aggregate functions."
                ),
            )),
            None => Ok(()),
        }
    }
}

/// True when a column is left that is part of nothing `known`.
fn ungrouped(expr: &Expr, known: &dyn Fn(&Expr) -> bool) -> bool {
    if known(expr) {
        return false;
    }
    match &expr.kind {
        ExprKind::Column { source: Some(_), .. } => true,
        ExprKind::Column { source: None, name } => PseudoColumn::from_name(&name.value).is_some(),
        _ => tree::children(expr).into_iter().any(|e| ungrouped(e, known)),
    }
}

/// The expression without the qualifiers of its columns, as users write it.
fn bare(expr: &Expr) -> String {
    fn strip(expr: &Expr) -> Expr {
        match &expr.kind {
            ExprKind::Column { name, .. } => Expr { kind: ExprKind::Column { source: None, name: name.clone() }, span: expr.span },
            _ => tree::rebuild(expr, &mut |e| Ok::<_, std::convert::Infallible>(strip(e))).unwrap_or_else(|never| match never {}),
        }
    }
    strip(expr).to_string()
}

fn not_grouped(what: &str, list: &str) -> PlanError {
    PlanError::user(format!(
        "Non-aggregate {what} not part of GROUP BY: {list}\nEither add the column(s) to the GROUP BY or remove them from the SELECT."
    ))
}
