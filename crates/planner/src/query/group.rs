//! GROUP BY, aggregate functions and HAVING.

mod check;

use flumen_expr::{Expr as Typed, FunctionKind};
use flumen_parser::ast::{Emit as WrittenEmit, Expr, ExprKind, FunctionCall, Query};
use flumen_plan::{AggregateCall, Emit, NamedExpr, Operator, RowSchema, StoreKind};
use flumen_types::{Format, FormatError, FormatSpec, SqlType, Value, WindowSpec, supports};

use super::clauses::{Clauses, calls};
use super::flow::{Flow, FlowColumn, KeyRule};
use super::names::Names;
use super::partition::check_key_type;
use super::window::window_spec;
use super::{Planning, Use, tree};
use crate::PlanError;

impl Planning<'_> {
    /// Adds the aggregation of a query, if it has one.
    pub(crate) fn group_by(&mut self, flow: &mut Flow, query: &Query, clauses: &Clauses, used_as: Use) -> Result<(), PlanError> {
        let found = self.aggregate_calls(clauses)?;
        if clauses.group_by.is_empty() && found.is_empty() {
            return Ok(());
        }
        self.check_grouping(flow, query, clauses, &found, used_as)?;
        let window = query.window.as_ref().map(window_spec).transpose()?;
        self.regroup(flow, clauses, &found)?;
        self.aggregate(flow, query, &found, window)?;
        self.check_ungrouped(flow, clauses)?;
        if let Some(having) = &clauses.having {
            self.filter(flow, having, "HAVING")?;
        }
        Ok(())
    }

    /// The distinct aggregate calls of SELECT and HAVING, in order.
    fn aggregate_calls(&self, clauses: &Clauses) -> Result<Vec<Expr>, PlanError> {
        let mut found: Vec<Expr> = Vec::new();
        for expr in clauses.select_exprs().chain(&clauses.having) {
            for call in calls(expr, self.registry, FunctionKind::Aggregate) {
                for inner in tree::children(call) {
                    if !calls(inner, self.registry, FunctionKind::Aggregate).is_empty() {
                        return Err(PlanError::user_at(call.span, format!("Aggregate functions can not be nested: {call}")));
                    }
                    self.refuse_own_columns(inner)?;
                }
                if !found.contains(call) {
                    found.push(call.clone());
                }
            }
        }
        Ok(found)
    }

    /// Makes the grouping expressions the key, through a repartition topic unless they are the key already.
    fn regroup(&mut self, flow: &mut Flow, clauses: &Clauses, found: &[Expr]) -> Result<(), PlanError> {
        let wanted = &clauses.group_by;
        if wanted.is_empty() {
            return self.one_group(flow, found);
        }
        if self.already_keyed(flow, wanted) {
            flow.key.called = "grouping expression";
            return Ok(());
        }
        let bindings = flow.bindings();
        let mut names = Names::new(&self.scope);
        let mut keys = Vec::with_capacity(wanted.len());
        for expr in wanted {
            let name = self.key_name(flow, expr, &mut names);
            let typed = self.translator(&bindings).expr(expr).map_err(|e| e.within("Error in GROUP BY expression"))?;
            if typed.is_null_literal() {
                return Err(PlanError::user_at(expr.span, "GROUP BY needs an expression that has a type"));
            }
            check_key_type(&name, &typed, expr)?;
            keys.push(NamedExpr { name, expr: typed });
        }
        let format = self.internal_key_format(flow, &keys);
        self.rekey_for(flow, wanted, keys, found, true);
        let partitions = flow.partitions;
        self.builder.repartition(flow, format, partitions);
        flow.key = KeyRule::of("grouping expression", flow.key_columns());
        Ok(())
    }

    /// Aggregates without GROUP BY: all rows are one group.
    fn one_group(&mut self, flow: &mut Flow, found: &[Expr]) -> Result<(), PlanError> {
        let constant = Typed::literal(Value::Integer(0), SqlType::Integer);
        let keys = vec![NamedExpr { name: "KSQL_GROUP".to_string(), expr: constant }];
        let holds = super::scope::own_column("KSQL_GROUP", flumen_parser::Span::default());
        self.rekey_for(flow, &[holds], keys, found, false);
        self.builder.repartition(flow, FormatSpec::key(Format::Kafka, None), 1);
        Ok(())
    }

    /// A new key; of the values only those that the aggregates read stay.
    fn rekey_for(&mut self, flow: &mut Flow, wanted: &[Expr], keys: Vec<NamedExpr>, found: &[Expr], drop_null_keys: bool) {
        let bindings = flow.bindings();
        let mut values: Vec<NamedExpr> = Vec::new();
        let mut columns: Vec<FlowColumn> = wanted.iter().cloned().map(FlowColumn::starred).collect();
        for call in found {
            tree::visit(call, &mut |e| {
                let known = columns.iter().any(|c| c.holds == *e);
                if let (ExprKind::Column { name, .. }, Some(typed), false) = (&e.kind, bindings.get(e), known) {
                    let name = match typed {
                        Typed::Column { name, .. } => name.clone(),
                        _ => name.value.clone(),
                    };
                    values.push(NamedExpr { name, expr: typed.clone() });
                    columns.push(FlowColumn::starred(e.clone()));
                }
            });
        }
        let pair = |n: &NamedExpr| (n.name.clone(), n.expr.ty().clone());
        let schema = RowSchema { keys: keys.iter().map(pair).collect(), values: values.iter().map(pair).collect(), window: None };
        flow.columns = columns;
        flow.pseudo_of = None;
        self.builder.append(flow, Operator::Rekey { keys, values, drop_null_keys }, schema);
    }

    /// The format of the keys in a repartition topic: the source's, or JSON when that cannot hold them.
    fn internal_key_format(&self, flow: &Flow, keys: &[NamedExpr]) -> FormatSpec {
        let columns: Vec<_> = keys.iter().map(|k| flumen_types::Field::new(k.name.clone(), k.expr.ty().clone())).collect();
        let usual = self.context.setting("ksql.persistence.default.format.key").and_then(|f| Format::from_name(f).ok());
        let wanted = match flow.key_format.format {
            Format::None => FormatSpec::key(usual.unwrap_or(Format::Kafka), None),
            _ => FormatSpec::key(flow.key_format.format, flow.key_format.delimiter),
        };
        if supports(&wanted, &columns, true).is_ok() { wanted } else { FormatSpec::key(Format::Json, None) }
    }

    fn aggregate(&mut self, flow: &mut Flow, query: &Query, found: &[Expr], window: Option<WindowSpec>) -> Result<(), PlanError> {
        let bindings = flow.bindings();
        let mut aggregates = Vec::with_capacity(found.len());
        let mut irreversible = Vec::new();
        for (at, call) in found.iter().enumerate() {
            let ExprKind::Function(FunctionCall { name, args, .. }) = &call.kind else { continue };
            let args = self.translator(&bindings).arguments(&name.value, args)?;
            let resolved = self.registry.aggregate_call(&name.value, args).map_err(|e| PlanError::from(e).or_at(call.span))?;
            self.check_state(&name.value, call)?;
            if !resolved.undo && !irreversible.contains(&name.value) {
                irreversible.push(name.value.clone());
            }
            aggregates.push(AggregateCall {
                name: format!("KSQL_AGG_VARIABLE_{at}"),
                function: resolved.function,
                args: resolved.args,
                init: resolved.init,
                ty: resolved.ty,
            });
        }
        if flow.table && !irreversible.is_empty() {
            return Err(irreversible_error(irreversible, query));
        }
        let schema = RowSchema {
            keys: flow.schema.keys.clone(),
            values: aggregates.iter().map(|c| (c.name.clone(), c.ty.clone())).collect(),
            window: window.map(|w| w.kind),
        };
        let kind = window.map_or(StoreKind::KeyValue, StoreKind::Windowed);
        let keys = flow.key_columns().iter().cloned();
        flow.columns = keys.chain(found.iter().map(|c| FlowColumn { holds: c.clone(), starred: false })).collect();
        flow.pseudo_of = None;
        flow.own_window = window.is_some();
        let emit = if query.emit == Some(WrittenEmit::Final) { Emit::Final } else { Emit::Changes };
        let store = self.builder.append_with_store(flow, "aggregate", kind, schema, |store| Operator::Aggregate {
            calls: aggregates,
            store,
            window,
            emit,
        });
        self.builder.mark_table(flow);
        self.builder.materialized = Some(store);
        Ok(())
    }
}

impl Planning<'_> {
    /// Refuses functions whose state the format of the aggregated values cannot hold, as ksqlDB does: there the state is
    /// kept in that format.
    fn check_state(&self, function: &str, call: &Expr) -> Result<(), PlanError> {
        let format = &self.leftmost()?.value_format;
        let state = [flumen_types::Field::new("STATE", SqlType::array(SqlType::Bigint))];
        let fits = !matches!(supports(format, &state, false), Err(FormatError::Invalid(_)));
        if fits || !self.registry.has_composite_state(function) {
            return Ok(());
        }
        Err(PlanError::user_at(
            call.span,
            format!(
                "One of the functions used in the statement has an intermediate type that the value format can not handle: {function} on values in {}. Please remove the function or change the format: copy the source to JSON with CREATE STREAM … AS SELECT first.",
                format.format
            ),
        ))
    }
}

fn irreversible_error(mut names: Vec<String>, query: &Query) -> PlanError {
    names.sort();
    let last = names.pop().unwrap_or_default();
    let (word, list) = if names.is_empty() { ("function", last) } else { ("functions", format!("{} and {last}", names.join(", "))) };
    PlanError::user_at(
        query.span,
        format!(
            "The aggregation {word} {list} cannot be applied to a table source, only to a stream source: a table's rows change, and {list} cannot take a row back."
        ),
    )
}
