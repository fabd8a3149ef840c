//! PARTITION BY: other key columns for a stream.

use flumen_parser::Span;
use flumen_parser::ast::Expr;
use flumen_plan::{NamedExpr, Operator, RowSchema};
use flumen_types::{Format, FormatSpec, PseudoColumn, back_tick};

use super::Planning;
use super::clauses::{Clauses, is_null};
use super::flow::{Flow, FlowColumn, KeyRule};
use super::names::Names;
use super::scope::column;
use crate::PlanError;

impl Planning<'_> {
    /// Gives a stream the key its PARTITION BY clause asks for. Old key columns move behind the values.
    pub(crate) fn partition_by(&mut self, flow: &mut Flow, clauses: &Clauses, names: &Names) -> Result<(), PlanError> {
        let wanted = &clauses.partition_by;
        let Some(first) = wanted.first() else { return Ok(()) };
        if flow.table {
            return Err(PlanError::user_at(
                first.span,
                "PARTITION BY is not supported on tables: a table's key cannot be changed. Use GROUP BY.",
            ));
        }
        for expr in wanted {
            self.refuse_functions(expr, "PARTITION BY")?;
        }
        let keyless = wanted.len() == 1 && is_null(first);
        if !keyless && let Some(null) = wanted.iter().find(|e| is_null(e)) {
            return Err(PlanError::user_at(null.span, "Cannot PARTITION BY multiple columns including NULL"));
        }
        let wanted: &[Expr] = if keyless { &[] } else { wanted };
        if self.already_keyed(flow, wanted) {
            return Ok(());
        }
        let bindings = flow.bindings();
        let mut keys: Vec<NamedExpr> = Vec::with_capacity(wanted.len());
        let mut names = names.clone();
        for expr in wanted {
            let name = self.key_name(flow, expr, &mut names);
            let typed = self.translator(&bindings).expr(expr).map_err(|e| e.within("Error in PARTITION BY expression"))?;
            if typed.is_null_literal() {
                return Err(PlanError::user_at(expr.span, "PARTITION BY needs an expression that has a type"));
            }
            check_key_type(&name, &typed, expr)?;
            keys.push(NamedExpr { name, expr: typed });
        }
        let old_keys = flow.schema.keys.len();
        let order = (old_keys..flow.columns.len()).chain(0..old_keys);
        self.rekey(flow, wanted, keys, order, false);
        flow.key.called = "partitioning expression";
        flow.key_format = FormatSpec::key(if keyless { Format::None } else { flow.key_format.format }, flow.key_format.delimiter);
        Ok(())
    }

    /// True when the rows already have exactly these key columns, outside a window.
    pub(crate) fn already_keyed(&self, flow: &Flow, wanted: &[Expr]) -> bool {
        let held = flow.key_columns();
        flow.schema.window.is_none() && held.len() == wanted.len() && held.iter().zip(wanted).all(|(h, w)| h.holds == *w)
    }

    /// The name of a key column made from an expression.
    pub(crate) fn key_name(&self, flow: &Flow, expr: &Expr, names: &mut Names) -> String {
        let held = flow.typed().find(|(column, _)| column.holds == *expr);
        held.map_or_else(|| names.of(expr, &self.scope), |(_, (name, _))| name.clone())
    }

    /// Adds a node that makes new key columns; the columns at `order` that are no key now become the values.
    pub(crate) fn rekey(
        &mut self,
        flow: &mut Flow,
        wanted: &[Expr],
        keys: Vec<NamedExpr>,
        order: impl Iterator<Item = usize>,
        drop_null_keys: bool,
    ) {
        let mut values = Vec::new();
        let mut columns: Vec<FlowColumn> = wanted.iter().cloned().map(FlowColumn::starred).collect();
        // The window leaves with the old key; its bounds can still be selected.
        let bindings = flow.bindings();
        let alias = flow.pseudo_of.as_deref().filter(|_| flow.schema.window.is_some());
        for pseudo in [PseudoColumn::WindowStart, PseudoColumn::WindowEnd] {
            let Some(holds) = alias.map(|alias| column(alias, pseudo.name(), Span::default())) else { continue };
            if let Some(expr) = bindings.get(&holds).filter(|_| !wanted.contains(&holds)) {
                values.push(NamedExpr { name: pseudo.name().to_string(), expr: expr.clone() });
                columns.push(FlowColumn { holds, starred: false });
            }
        }
        for at in order {
            let (Some(held), Some(expr)) = (flow.columns.get(at), flow.column(at)) else { continue };
            if wanted.contains(&held.holds) {
                continue;
            }
            columns.push(held.clone());
            let name = match &expr {
                flumen_expr::Expr::Column { name, .. } => name.clone(),
                other => other.to_string(),
            };
            values.push(NamedExpr { name, expr });
        }
        let pair = |n: &NamedExpr| (n.name.clone(), n.expr.ty().clone());
        let schema = RowSchema { keys: keys.iter().map(pair).collect(), values: values.iter().map(pair).collect(), window: None };
        flow.columns = columns;
        self.builder.append(flow, Operator::Rekey { keys, values, drop_null_keys }, schema);
        flow.key = KeyRule { all_inner: flow.key.all_inner, ..KeyRule::of(flow.key.called, flow.key_columns()) };
    }
}

/// Refuses types that cannot be keys.
pub(crate) fn check_key_type(name: &str, typed: &flumen_expr::Expr, written: &Expr) -> Result<(), PlanError> {
    if !typed.ty().contains_map() {
        return Ok(());
    }
    Err(PlanError::user_at(
        written.span,
        format!(
            "Map keys, including types that contain maps, are not supported: their entries have no fixed order. Key column name: {}. Column type: {}",
            back_tick(name),
            typed.ty()
        ),
    ))
}
