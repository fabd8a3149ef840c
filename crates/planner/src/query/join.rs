//! Joins: their conditions, and the rows they make.

mod check;
mod criteria;

use flumen_parser::ast::{Expr, JoinKind as Written};
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
        let mut left = if left.pseudo_of.is_some() { self.prefix_left(left, on, pair, clauses)? } else { self.rekey_left(left, on, pair)? };
        match pair {
            Pair::StreamTable => {}
            Pair::StreamStream => self.builder.missing(PlanError::unsupported("a stream-stream join").or_at(on.span)),
            Pair::TableTable => self.builder.missing(PlanError::unsupported("a table-table join").or_at(on.span)),
            Pair::ForeignKey => self.builder.missing(PlanError::unsupported("a foreign-key table-table join").or_at(on.span)),
        }
        let read = self.source(&right, left.sub)?;
        self.check_partitions(&left, &read, on, pair)?;
        let held = self.key_held(on, pair);
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
    fn key_held(&self, on: &Criterion, pair: Pair) -> Expr {
        let synthetic = self.scope.synthetic_key.as_ref().map(|name| super::scope::own_column(name, on.span));
        match (pair, synthetic) {
            (Pair::ForeignKey, _) => on.left.clone(),
            (_, Some(key)) if on.synthetic => key,
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
        let mut viable = vec![held.clone()];
        if !on.synthetic {
            let sides = before.into_iter().chain([on.left.clone(), on.right.clone()]).filter(|e| is_column(e));
            for side in sides {
                if !viable.contains(&side) {
                    viable.push(side);
                }
            }
        }
        let all_inner = flow.key.all_inner && on.kind == Written::Inner;
        if let Some(first) = flow.columns.first_mut() {
            first.holds = held;
        }
        flow.key = KeyRule { called: "join expression", viable: vec![viable], all_inner };
    }

    /// The first source's rows, each column under the name `<ALIAS>_<COLUMN>`, keyed by the join's left side.
    fn prefix_left(&mut self, flow: Flow, on: &Criterion, pair: Pair, clauses: &Clauses) -> Result<Flow, PlanError> {
        let mut flow = flow;
        let Some(source) = self.scope.sources.first().cloned() else { return Ok(flow) };
        let values = self.prefixed(&flow, &source, clauses, flow.schema.keys.len());
        if pair == Pair::ForeignKey || self.is_key(&flow, on) && self.same_key_format(&flow, on) {
            let keys: Vec<String> = flow.schema.keys.iter().map(|(name, _)| format!("{}_{name}", source.alias)).collect();
            let columns = flow.key_columns().iter().cloned().chain(values.iter().map(|(c, _)| c.clone())).collect();
            let schema = RowSchema {
                keys: keys.iter().cloned().zip(flow.schema.keys.iter().map(|(_, ty)| ty.clone())).collect(),
                values: values.iter().map(|(_, v)| (v.name.clone(), v.expr.ty().clone())).collect(),
                window: flow.schema.window,
            };
            let op = Operator::Select { keys, values: values.into_iter().map(|(_, v)| v).collect() };
            flow.columns = columns;
            flow.pseudo_of = None;
            self.builder.append(&mut flow, op, schema);
            return Ok(flow);
        }
        let all = self.prefixed(&flow, &source, clauses, 0);
        self.repartition_left(&mut flow, on, all)?;
        Ok(flow)
    }

    /// Rows joined already, keyed anew when the next join needs another key.
    fn rekey_left(&mut self, flow: Flow, on: &Criterion, pair: Pair) -> Result<Flow, PlanError> {
        let mut flow = flow;
        if pair == Pair::ForeignKey || self.is_key(&flow, on) && self.same_key_format(&flow, on) {
            return Ok(flow);
        }
        let all: Vec<(FlowColumn, NamedExpr)> = flow
            .typed()
            .enumerate()
            .filter_map(|(at, (column, (name, _)))| Some((column.clone(), NamedExpr { name: name.clone(), expr: flow.column(at)? })))
            .collect();
        self.repartition_left(&mut flow, on, all)?;
        Ok(flow)
    }

    fn repartition_left(&mut self, flow: &mut Flow, on: &Criterion, values: Vec<(FlowColumn, NamedExpr)>) -> Result<(), PlanError> {
        let bindings = flow.bindings();
        let key = self.translator(&bindings).expr(&on.left)?;
        let name = values.iter().find(|(c, _)| c.holds == on.left).map_or_else(|| "KSQL_JOIN_KEY".to_string(), |(_, v)| v.name.clone());
        let values: Vec<_> = values.into_iter().filter(|(c, _)| c.holds != on.left).collect();
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
        let keys: Vec<String> = flow.schema.keys.iter().map(|(name, _)| format!("{}_{name}", source.alias)).collect();
        let schema = RowSchema {
            keys: keys.iter().cloned().zip(flow.schema.keys.iter().map(|(_, ty)| ty.clone())).collect(),
            values: all.iter().map(|(_, v)| (v.name.clone(), v.expr.ty().clone())).collect(),
            window: flow.schema.window,
        };
        flow.columns = flow.key_columns().iter().cloned().chain(all.iter().map(|(c, _)| c.clone())).collect();
        flow.pseudo_of = None;
        let op = Operator::Select { keys, values: all.into_iter().map(|(_, v)| v).collect() };
        self.builder.append(&mut flow, op, schema);
        flow
    }
}
