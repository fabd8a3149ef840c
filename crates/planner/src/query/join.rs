//! Joins: their conditions, and the rows they make.

mod check;
mod criteria;

use flumen_parser::ast::{Expr, ExprKind, JoinKind as Written};
use flumen_plan::{JoinKind, NamedExpr, Operator, RowSchema, StoreKind, StoreSpec};
use flumen_types::{Format, PseudoColumn};

use super::Planning;
use super::clauses::Clauses;
use super::flow::{Flow, FlowColumn, KeyRule};
use super::scope::ScopeSource;
use crate::PlanError;

pub(crate) use criteria::Criterion;
use criteria::is_column;

/// Which streams and tables a join joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pair {
    StreamStream,
    StreamTable,
    TableTable,
    ForeignKey,
}

impl Planning<'_> {
    /// Joins the next source to the rows so far.
    pub(crate) fn join(&mut self, left: Flow, on: &Criterion, clauses: &Clauses) -> Result<Flow, PlanError> {
        let right = on.source.clone();
        let pair = self.check_join(&left, on)?;
        let held = self.key_held(&left, on, pair);
        let mut left = if left.pseudo_of.is_some() {
            self.prefix_left(left, on, pair, &held, clauses)?
        } else {
            self.rekey_left(left, on, pair, &held)?
        };
        match pair {
            Pair::StreamTable => {}
            Pair::StreamStream => self.builder.missing(PlanError::unsupported("a stream-stream join").or_at(on.span)),
            Pair::TableTable => self.builder.missing(PlanError::unsupported("a table-table join").or_at(on.span)),
            Pair::ForeignKey => self.builder.missing(PlanError::unsupported("a foreign-key table-table join").or_at(on.span)),
        }
        let read = self.source(&right, left.sub)?;
        self.check_partitions(&left, &read, on, pair)?;
        let right = self.prefix_right(read, &right, &held, clauses);
        let kind = if on.kind == Written::Inner { JoinKind::Inner } else { JoinKind::Left };
        let mut schema = left.schema.clone();
        schema.values.extend(right.schema.values.iter().cloned());
        left.columns.extend(right.value_columns().iter().cloned());
        let store = self.builder.store_id("join");
        let op = Operator::StreamTableJoin { kind, store: store.clone() };
        let rows = right.schema.clone();
        left.node = self.builder.node(left.sub, op, vec![left.node, right.node], schema.clone(), left.table);
        left.schema = schema;
        self.builder.add_store(left.sub, StoreSpec { id: store, node: left.node, kind: StoreKind::KeyValue, schema: rows });
        self.name_key(&mut left, on, pair, held);
        Ok(left)
    }

    /// The expression the key of the joined rows holds: the left side when it is a column, else the right one.
    fn key_held(&self, left: &Flow, on: &Criterion, pair: Pair) -> Expr {
        let current = left.key_columns().first().map(|c| c.holds.clone());
        match (&self.scope.synthetic_key, current) {
            _ if pair == Pair::ForeignKey => on.left.clone(),
            (_, Some(current)) if on.kind != Written::Full && is_column(&current) && self.is_key(left, on) => match on.kind {
                Written::Right if is_column(&on.right) => on.right.clone(),
                _ => current,
            },
            (Some(name), _) if on.synthetic => super::scope::own_column(name, on.span),
            _ if on.kind == Written::Right && is_column(&on.right) => on.right.clone(),
            _ if is_column(&on.left) => on.left.clone(),
            _ => on.right.clone(),
        }
    }

    /// Says what stands for the key in a projection.
    fn name_key(&mut self, flow: &mut Flow, on: &Criterion, pair: Pair, held: Expr) {
        if pair == Pair::ForeignKey {
            flow.key.called = "primary key column";
            return;
        }
        let before = flow.key.viable.first().cloned().unwrap_or_default();
        let own = matches!(held.kind, ExprKind::Column { source: None, .. });
        let mut viable = vec![held.clone()];
        // A key of its own stands for neither side: they may be NULL in it.
        for side in before.into_iter().chain([on.left.clone(), on.right.clone()]).filter(|_| !own) {
            if !viable.contains(&side) {
                viable.push(side);
            }
        }
        let all_inner = flow.key.all_inner && on.kind == Written::Inner;
        if let Some(first) = flow.columns.first_mut() {
            first.holds = held;
        }
        flow.key = KeyRule { called: "join expression", viable: vec![viable], all_inner };
    }

    /// The first source's rows, each column under the name `<ALIAS>_<COLUMN>`, keyed by the join's left side.
    fn prefix_left(&mut self, flow: Flow, on: &Criterion, pair: Pair, held: &Expr, clauses: &Clauses) -> Result<Flow, PlanError> {
        let mut flow = flow;
        let Some(source) = self.scope.sources.first().cloned() else { return Ok(flow) };
        // The key's own copy is needed when the key will hold something else.
        let from = if pair == Pair::ForeignKey || on.left == *held || !self.is_key(&flow, on) { flow.schema.keys.len() } else { 0 };
        let values = self.prefixed(&flow, &source, clauses, from);
        if pair == Pair::ForeignKey || self.is_key(&flow, on) && self.same_key_format(&flow, on) {
            let keys: Vec<String> = match pair {
                Pair::ForeignKey => flow.schema.keys.iter().map(|(name, _)| format!("{}_{name}", source.alias)).collect(),
                _ => vec![held_name(held)],
            };
            self.select_with_key(&mut flow, keys, values);
            return Ok(flow);
        }
        let all = self.prefixed(&flow, &source, clauses, 0);
        self.repartition_left(&mut flow, on, held, all)?;
        Ok(flow)
    }

    /// Rows joined already, keyed anew when the next join needs another key.
    fn rekey_left(&mut self, flow: Flow, on: &Criterion, pair: Pair, held: &Expr) -> Result<Flow, PlanError> {
        let mut flow = flow;
        let current = flow.key_columns().first().map(|c| c.holds.clone());
        let kept = pair == Pair::ForeignKey || self.is_key(&flow, on) && self.same_key_format(&flow, on);
        if kept && current.as_ref() == Some(held) {
            return Ok(flow);
        }
        // A join's own key is of no use behind the next join.
        let own = |e: &Expr| matches!(e.kind, ExprKind::Column { source: None, .. });
        let column = |(at, (column, (name, _))): (usize, (&FlowColumn, &flumen_plan::RowColumn))| {
            Some((column.clone(), NamedExpr { name: name.clone(), expr: flow.column(at)? }))
        };
        let all: Vec<_> = flow.typed().enumerate().filter(|(_, (c, _))| !own(&c.holds)).filter_map(column).collect();
        if kept {
            let keys = vec![held_name(held)];
            self.select_with_key(&mut flow, keys, all);
            return Ok(flow);
        }
        self.repartition_left(&mut flow, on, held, all)?;
        Ok(flow)
    }

    /// A projection that renames the key columns.
    fn select_with_key(&mut self, flow: &mut Flow, keys: Vec<String>, values: Vec<(FlowColumn, NamedExpr)>) {
        let schema = RowSchema {
            keys: keys.iter().cloned().zip(flow.schema.keys.iter().map(|(_, ty)| ty.clone())).collect(),
            values: values.iter().map(|(_, v)| (v.name.clone(), v.expr.ty().clone())).collect(),
            window: flow.schema.window,
        };
        flow.columns = flow.key_columns().iter().cloned().chain(values.iter().map(|(c, _)| c.clone())).collect();
        flow.pseudo_of = None;
        let op = Operator::Select { keys, values: values.into_iter().map(|(_, v)| v).collect() };
        self.builder.append(flow, op, schema);
    }

    fn repartition_left(
        &mut self,
        flow: &mut Flow,
        on: &Criterion,
        held: &Expr,
        values: Vec<(FlowColumn, NamedExpr)>,
    ) -> Result<(), PlanError> {
        let bindings = flow.bindings();
        let key = self.translator(&bindings).expr(&on.left)?;
        let name = held_name(held);
        let values: Vec<_> = values.into_iter().filter(|(c, _)| c.holds != *held).collect();
        let columns = std::iter::once(FlowColumn::starred(on.left.clone())).chain(values.iter().map(|(c, _)| c.clone())).collect();
        let schema = RowSchema {
            keys: vec![(name.clone(), key.ty().clone())],
            values: values.iter().map(|(_, v)| (v.name.clone(), v.expr.ty().clone())).collect(),
            window: None,
        };
        let keys = vec![NamedExpr { name, expr: key }];
        let op = Operator::Rekey { keys, values: values.into_iter().map(|(_, v)| v).collect(), drop_null_keys: true };
        flow.columns = columns;
        flow.pseudo_of = None;
        flow.key.viable = vec![vec![on.left.clone()]];
        self.builder.append(flow, op, schema);
        let format = on.source.def.key_format.clone();
        let partitions = self.partitions(&on.source.def.topic);
        self.builder.repartition(flow, format, partitions);
        Ok(())
    }

    /// True when the rows are keyed by the join's left side already.
    fn is_key(&self, flow: &Flow, on: &Criterion) -> bool {
        let [viable] = flow.key.viable.as_slice() else { return false };
        let best = viable.first() == Some(&on.left);
        best || flow.key.all_inner && viable.contains(&on.left)
    }

    /// Equal keys lie on equal partitions only when they are written in the same way.
    fn same_key_format(&self, flow: &Flow, on: &Criterion) -> bool {
        let other = &on.source.def.key_format;
        flow.key_format.format == other.format
            && (flow.key_format.format != Format::Delimited || flow.key_format.delimiter == other.delimiter)
    }

    /// The columns of a source that the query uses, from a position on, and its pseudo columns, prefixed with its alias.
    fn prefixed(&self, flow: &Flow, source: &ScopeSource, clauses: &Clauses, from: usize) -> Vec<(FlowColumn, NamedExpr)> {
        let mut all = Vec::new();
        for (at, (column, (name, _))) in flow.typed().enumerate().skip(from) {
            if let Some(expr) = flow.column(at).filter(|_| clauses.uses(&source.alias, &column.holds)) {
                all.push((column.clone(), NamedExpr { name: format!("{}_{name}", source.alias), expr }));
            }
        }
        let bindings = flow.bindings();
        for pseudo in PseudoColumn::ALL {
            let holds = source.column(pseudo.name());
            if let Some(expr) = bindings.get(&holds).filter(|_| clauses.uses(&source.alias, &holds)) {
                let named = NamedExpr { name: format!("{}_{}", source.alias, pseudo.name()), expr: expr.clone() };
                all.push((FlowColumn { holds, starred: false }, named));
            }
        }
        all
    }

    /// The joined source's rows with all its columns as values, but for one that the key of the result holds.
    fn prefix_right(&mut self, flow: Flow, source: &ScopeSource, held: &Expr, clauses: &Clauses) -> Flow {
        let mut flow = flow;
        let all: Vec<_> = self.prefixed(&flow, source, clauses, 0).into_iter().filter(|(c, _)| c.holds != *held).collect();
        let keys = flow.schema.keys.iter().map(|(name, _)| format!("{}_{name}", source.alias)).collect();
        self.select_with_key(&mut flow, keys, all);
        flow
    }
}

/// The name of the key column that holds this.
fn held_name(held: &Expr) -> String {
    match &held.kind {
        ExprKind::Column { source: Some(source), name } => format!("{}_{}", source.value, name.value),
        ExprKind::Column { source: None, name } => name.value.clone(),
        _ => "KSQL_JOIN_KEY".to_string(),
    }
}
