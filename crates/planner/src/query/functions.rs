//! Table functions: several rows for one.

use flumen_expr::FunctionKind;
use flumen_parser::ast::{Expr, ExprKind};
use flumen_plan::{NamedExpr, Operator};
use flumen_types::SqlType;

use super::Planning;
use super::clauses::{Clauses, calls};
use super::flow::{Flow, FlowColumn};
use super::tree;
use crate::PlanError;

impl Planning<'_> {
    /// Adds the node of the table functions called in SELECT, if there are any.
    pub(crate) fn table_functions(&mut self, flow: &mut Flow, clauses: &Clauses) -> Result<(), PlanError> {
        let mut found: Vec<Expr> = Vec::new();
        for expr in clauses.select_exprs() {
            for call in calls(expr, self.registry, FunctionKind::Table) {
                if !found.contains(call) {
                    found.push(call.clone());
                }
            }
            self.refuse_in_case(expr)?;
        }
        let Some(first) = found.first() else { return Ok(()) };
        if flow.table {
            return Err(PlanError::user_at(first.span, "Table source is not supported with table functions"));
        }
        if clauses.aggregates(self.registry) || !clauses.group_by.is_empty() {
            return Err(PlanError::user_at(first.span, "Table functions cannot be used with aggregations."));
        }
        let bindings = flow.bindings();
        let mut functions = Vec::with_capacity(found.len());
        let mut schema = flow.schema.clone();
        for (at, call) in found.into_iter().enumerate() {
            let ExprKind::Function(function) = &call.kind else { continue };
            let mut translator = self.translator(&bindings);
            let args = translator.arguments(&function.name.value, &function.args)?;
            let typed = self.registry.table_call(&function.name.value, args).map_err(|e| PlanError::from(e).or_at(call.span))?;
            let name = format!("KSQL_SYNTH_{at}");
            let row = match typed.ty() {
                SqlType::Array(element) => element.as_ref().clone(),
                other => other.clone(),
            };
            schema.values.push((name.clone(), row));
            flow.columns.push(FlowColumn { holds: call, starred: false });
            functions.push(NamedExpr { name, expr: typed });
        }
        self.builder.append(flow, Operator::FlatMap { functions }, schema);
        Ok(())
    }

    /// Refuses aggregates and table functions where they have no meaning.
    pub(crate) fn refuse_functions(&self, expr: &Expr, clause: &str) -> Result<(), PlanError> {
        for (kind, called) in [(FunctionKind::Aggregate, "aggregate"), (FunctionKind::Table, "table")] {
            if let Some(call) = calls(expr, self.registry, kind).first()
                && let ExprKind::Function(function) = &call.kind
            {
                let name = &function.name.value;
                return Err(PlanError::user_at(
                    call.span,
                    format!(
                        "{clause} does not support {called} functions: {name} is {} {called} function.",
                        if called == "table" { "a" } else { "an" }
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Table functions cannot stand inside CASE, nor inside each other (the translator refuses those).
    fn refuse_in_case(&self, expr: &Expr) -> Result<(), PlanError> {
        let mut refused = None;
        tree::visit(expr, &mut |e| {
            if matches!(e.kind, ExprKind::SearchedCase { .. } | ExprKind::SimpleCase { .. })
                && let Some(call) = calls(e, self.registry, FunctionKind::Table).first()
            {
                refused.get_or_insert(call.span);
            }
        });
        match refused {
            Some(span) => Err(PlanError::user_at(span, "Table functions cannot be used in CASE: every row would call them.")),
            None => Ok(()),
        }
    }
}
