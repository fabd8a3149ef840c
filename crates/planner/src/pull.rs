//! Pull queries: a SELECT that reads what is there and ends.

mod bounds;
mod check;
mod conjuncts;

use flumen_catalog::{Catalog, QueryDef, SourceDef};
use flumen_expr::Registry;
use flumen_parser::ast::{Expr, Query};
use flumen_plan::{KeyBounds, NamedExpr, Operator, PullPlan, RowSchema, StoreId, WindowBounds};
use flumen_types::{Column, Namespace, Schema};

use crate::magic_time::times_as_millis;
use crate::query::{self, PullRows};
use crate::{PlanContext, PlanError, Planned};

/// A planned pull query.
#[derive(Debug, Clone, PartialEq)]
pub enum Pull {
    /// On a table: look-ups in its store.
    Table(Box<PullPlan>),
    /// On a stream: a push query that ends at the offsets at which its topics end now.
    Stream(Box<Planned>),
}

/// Plans a pull query.
///
/// # Errors
/// Clauses pull queries cannot have, a table without a store, a WHERE clause that needs a scan where none is allowed.
pub fn plan_pull(query: &Query, catalog: &Catalog, registry: &Registry, context: &PlanContext) -> Result<Pull, PlanError> {
    check::clauses(query, registry, context)?;
    let name = &query.from.source.name;
    let source = catalog
        .source(&name.value)
        .ok_or_else(|| PlanError::user_at(name.span, format!("{} does not exist.{}", name.value, catalog.hint(&name.value))))?;
    if !source.is_table() {
        context.require("ksql.query.pull.stream.enabled", "A pull query on a stream", name.span)?;
        return Ok(Pull::Stream(Box::new(query::push(query, catalog, registry, context)?)));
    }
    check::of_table(query, source, registry)?;
    table(query, source, catalog, registry, context).map(|plan| Pull::Table(Box::new(plan)))
}

fn table(query: &Query, source: &SourceDef, catalog: &Catalog, registry: &Registry, context: &PlanContext) -> Result<PullPlan, PlanError> {
    let (definition, store) = store_of(source, query, catalog)?;
    let not_kept = || check::not_queryable(source, query);
    let (_, spec) = definition.plan.store(&store).ok_or_else(not_kept)?;
    let mut stored = spec.schema.clone();
    let steps = steps_behind(definition, &store);
    let rows: PullRows = query::pull_rows(query, catalog, registry, context)?;
    stored.window = stored.window.or(rows.schema.window);
    let (keys, windows) = match &rows.filter {
        Some(filter) => bounds::bounds(&times_as_millis(filter)?, &rows, registry, catalog)?,
        None => (KeyBounds::Scan, WindowBounds::default()),
    };
    check::scans(&keys, &rows, query, context)?;
    Ok(PullPlan {
        source: source.name.clone(),
        query: definition.id.clone(),
        store,
        stored,
        steps,
        keys,
        windows,
        filter: rows.predicate,
        result: result(&rows.columns, &rows.schema),
        projection: rows.columns.into_iter().map(|(name, _, expr)| NamedExpr { name, expr }).collect(),
        rows: rows.schema,
        limit: query.limit,
    })
}

/// The query that keeps the table's rows, and its store.
fn store_of<'c>(source: &'c SourceDef, query: &Query, catalog: &'c Catalog) -> Result<(&'c QueryDef, StoreId), PlanError> {
    if catalog.writers(&source.name).nth(1).is_some() {
        return Err(PlanError::user_at(
            query.from.source.span,
            format!("The {} table isn't queryable: it is written by several queries.", flumen_types::back_tick(&source.name)),
        ));
    }
    let found = catalog.materializing_query(&source.name);
    let kept = found.and_then(|q| Some((q.as_ref(), q.plan.materialized.clone()?)));
    kept.ok_or_else(|| check::not_queryable(source, query))
}

/// The filters and projections from the node that owns the store to the sink.
fn steps_behind(definition: &QueryDef, store: &StoreId) -> Vec<Operator> {
    let Some((sub, spec)) = definition.plan.store(store) else { return Vec::new() };
    let mut at = spec.node;
    let mut steps = Vec::new();
    for (_, node) in definition.plan.nodes().filter(|(s, _)| *s == sub) {
        if node.inputs.contains(&at) && matches!(node.op, Operator::Filter { .. } | Operator::Select { .. }) {
            steps.push(node.op.clone());
            at = node.id;
        }
    }
    steps
}

/// Names and types of the result: what is projected as it is keeps its place in the key.
fn result(columns: &[(String, Expr, flumen_expr::Expr)], rows: &RowSchema) -> Schema {
    let bounds = [flumen_types::PseudoColumn::WindowStart, flumen_types::PseudoColumn::WindowEnd].map(|p| rows.pseudo_index(p));
    let is_key = |e: &flumen_expr::Expr| matches!(e, flumen_expr::Expr::Column { index, .. } if (*index as usize) < rows.keys.len() || bounds.contains(index));
    let column = |(name, _, typed): &(String, Expr, flumen_expr::Expr)| Column {
        name: name.clone(),
        ty: typed.ty().clone(),
        namespace: if is_key(typed) { Namespace::Key } else { Namespace::Value },
    };
    Schema::new(columns.iter().map(column).collect())
}
