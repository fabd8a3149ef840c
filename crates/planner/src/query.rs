//! Queries to plans: names resolved, clauses checked, nodes built from the sources to the sink.

mod builder;
pub(crate) mod clauses;
mod create_as;
mod flow;
mod functions;
mod group;
mod insert_select;
mod join;
pub(crate) mod names;
mod partition;
mod project;
mod pull_rows;
mod push;
pub(crate) mod scope;
mod sink;
mod source;
pub(crate) mod tree;
mod window;

use flumen_catalog::{Catalog, SourceDef};
use flumen_expr::Registry;
use flumen_parser::ast::{Emit, Query};
use flumen_plan::{OnError, Operator, QueryKind, QueryPlan, SourceSpec, StoreId, StoreKind, StoreSpec};

use crate::expression::{Bindings, Translator};
use crate::magic_time::times_as_millis;
use crate::{PlanContext, PlanError};
use builder::Builder;
use clauses::Clauses;
use flow::Flow;
use names::Names;
use scope::Scope;

pub(crate) use create_as::create_as;
pub(crate) use insert_select::insert_select;
pub(crate) use pull_rows::{PullRows, pull_rows};
pub(crate) use push::push;
pub(crate) use source::{row_schema, source_spec};

/// One query on its way to a plan.
pub(crate) struct Planning<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) registry: &'a Registry,
    pub(crate) context: &'a PlanContext,
    pub(crate) scope: Scope,
    pub(crate) builder: Builder,
}

/// What kind of query it is, where that decides what is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It goes on until it is terminated.
    Persistent,
    /// It feeds one client.
    Transient,
}

/// The part of a plan before the projection.
pub(crate) struct Rows {
    pub(crate) flow: Flow,
    pub(crate) clauses: Clauses,
}

impl<'a> Planning<'a> {
    pub(crate) fn new(query: &Query, catalog: &'a Catalog, registry: &'a Registry, context: &'a PlanContext) -> Result<Self, PlanError> {
        let scope = Scope::of(&query.from, catalog)?;
        Ok(Planning { catalog, registry, context, scope, builder: Builder::default() })
    }

    pub(crate) fn translator<'t>(&'t self, bindings: &'t Bindings) -> Translator<'t> {
        Translator::new(self.catalog, self.registry, bindings).under(self.context)
    }

    /// Names of the sources, left to right.
    pub(crate) fn source_names(&self) -> Vec<String> {
        self.scope.sources.iter().map(|s| s.def.name.clone()).collect()
    }

    /// The left-most source, whose formats and topic a sink inherits.
    pub(crate) fn leftmost(&self) -> Result<&SourceDef, PlanError> {
        let first = self.scope.sources.first();
        first.map(|s| s.def.as_ref()).ok_or_else(|| PlanError::user("a query needs a source"))
    }

    /// Builds everything up to the projection.
    pub(crate) fn rows(&mut self, query: &Query, used_as: Use) -> Result<Rows, PlanError> {
        let criteria = self.criteria(query)?;
        self.scope.window_bounds = query.window.is_some() && !self.scope.joined();
        // The right sides are keys of the sources that are joined, which the joins read themselves.
        let conditions: Vec<_> = criteria.iter().map(|c| c.left.clone()).collect();
        let clauses = Clauses::of(query, &self.scope, &conditions)?;
        self.check_clauses(query, &clauses)?;
        let sub = self.builder.sub_topology();
        let first = self.scope.sources.first().cloned().ok_or_else(|| PlanError::user("a query needs a source"))?;
        let mut flow = self.source(&first, sub)?;
        // The rows of a table are kept where changes need the old row, and where pull queries shall read the result.
        if flow.table && !self.scope.joined() && (used_as == Use::Persistent || self.needs_old_rows(&clauses)) {
            self.materialize(&mut flow);
        }
        for criterion in &criteria {
            flow = self.join(flow, criterion, &clauses)?;
        }
        if let Some(filter) = &clauses.filter {
            self.filter(&mut flow, filter, "WHERE")?;
        }
        let names = Names::new(&self.scope);
        self.partition_by(&mut flow, &clauses, &names)?;
        self.table_functions(&mut flow, &clauses)?;
        self.group_by(&mut flow, query, &clauses, used_as)?;
        if query.emit == Some(Emit::Final) {
            if query.window.is_none() || clauses.group_by.is_empty() {
                return Err(PlanError::user_at(query.span, "EMIT FINAL is only supported for windowed aggregations."));
            }
            self.context.require("ksql.suppress.enabled", "EMIT FINAL", query.span)?;
        }
        Ok(Rows { flow, clauses })
    }

    fn needs_old_rows(&self, clauses: &Clauses) -> bool {
        clauses.filter.is_some() || !clauses.group_by.is_empty() || clauses.aggregates(self.registry)
    }

    /// Rules about which clauses may stand together.
    fn check_clauses(&self, query: &Query, clauses: &Clauses) -> Result<(), PlanError> {
        if let Some(filter) = &clauses.filter {
            self.refuse_functions(filter, "WHERE")?;
        }
        if let Some(window) = &query.window
            && query.group_by.is_empty()
        {
            return Err(PlanError::user_at(window.span, "WINDOW clause requires a GROUP BY clause."));
        }
        if let Some(having) = &query.having
            && query.group_by.is_empty()
        {
            return Err(PlanError::user_at(having.span, "HAVING clause requires a GROUP BY clause."));
        }
        let source_of_kafka = |s: &&scope::ScopeSource| s.def.value_format.format == flumen_types::Format::Kafka;
        let kafka: Vec<&str> = self.scope.sources.iter().filter(source_of_kafka).map(|s| s.def.name.as_str()).collect();
        let clause = if self.scope.joined() { "JOIN" } else { "GROUP BY" };
        if !kafka.is_empty() && (self.scope.joined() || !query.group_by.is_empty()) {
            return Err(PlanError::user_at(
                query.from.source.span,
                format!(
                    "Source(s) {} are using the 'KAFKA' value format. This format does not yet support {clause}.\nCopy them to another format with CREATE STREAM … AS SELECT first.",
                    kafka.join(", ")
                ),
            ));
        }
        Ok(())
    }

    /// Adds a filter.
    pub(crate) fn filter(&mut self, flow: &mut Flow, condition: &flumen_parser::ast::Expr, clause: &str) -> Result<(), PlanError> {
        let bindings = flow.bindings();
        let condition = times_as_millis(condition)?;
        let predicate = self.translator(&bindings).condition(&condition, clause)?;
        self.builder.append(flow, Operator::Filter { predicate }, flow.schema.clone());
        Ok(())
    }
}

/// The query that keeps a SOURCE table's rows, so that it can be pulled.
pub(crate) fn source_table_query(source: &SourceDef, context: &PlanContext) -> QueryPlan {
    let schema = row_schema(source);
    let mut builder = Builder::default();
    let sub = builder.sub_topology();
    let spec: SourceSpec = source_spec(source, OnError::Log);
    let read = builder.node(sub, Operator::Source(Box::new(spec)), Vec::new(), schema.clone(), true);
    let id: StoreId = builder.store_id("table");
    let keep = builder.node(sub, Operator::Materialize { store: id.clone() }, vec![read], schema.clone(), true);
    builder.add_store(sub, StoreSpec { id: id.clone(), node: keep, kind: StoreKind::KeyValue, schema });
    builder.plan(QueryKind::SourceTable, vec![source.name.clone()], None, context.overrides.clone(), Some(id))
}
