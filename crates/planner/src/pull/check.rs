//! What a pull query may not have.

use flumen_catalog::SourceDef;
use flumen_expr::{FunctionKind, Registry};
use flumen_parser::Span;
use flumen_parser::ast::{Expr, ExprKind, Query, SelectItemKind};
use flumen_plan::KeyBounds;
use flumen_types::{PseudoColumn, SqlType, back_tick};

use crate::query::PullRows;
use crate::query::clauses::calls;
use crate::query::tree;
use crate::{PlanContext, PlanError};

/// Refuses clauses that only queries that go on can have.
pub(super) fn clauses(query: &Query, registry: &Registry, context: &PlanContext) -> Result<(), PlanError> {
    if !context.flag("ksql.pull.queries.enable", true)? {
        return Err(PlanError::user_at(
            query.span,
            "Pull queries are disabled. Please set ksql.pull.queries.enable=true to enable this feature.",
        ));
    }
    let refuse = |span: Span, what: &str| {
        Err(PlanError::user_at(span, format!("Pull queries don't support {what}. Add EMIT CHANGES if you want a push query.")))
    };
    if let Some(join) = query.from.joins.first() {
        return refuse(join.span, "JOIN clauses");
    }
    if let Some(window) = &query.window {
        return refuse(window.span, "WINDOW clauses");
    }
    if let Some(group) = query.group_by.first() {
        return refuse(group.span, "GROUP BY clauses");
    }
    if let Some(partition) = query.partition_by.first() {
        return refuse(partition.span, "PARTITION BY clauses");
    }
    if let Some(having) = &query.having {
        return refuse(having.span, "HAVING clauses");
    }
    if query.limit.is_some() {
        context.require("ksql.query.pull.limit.clause.enabled", "LIMIT in a pull query", query.span)?;
    }
    for expr in selected(query) {
        if let Some(call) = calls(expr, registry, FunctionKind::Aggregate).first() {
            return refuse(call.span, "aggregate functions");
        }
    }
    Ok(())
}

/// Refuses what only records have, not the rows of a store: their place in a topic, and other rows made of them.
pub(super) fn of_table(query: &Query, source: &SourceDef, registry: &Registry) -> Result<(), PlanError> {
    for expr in selected(query) {
        if let Some(call) = calls(expr, registry, FunctionKind::Table).first() {
            return Err(PlanError::user_at(
                call.span,
                "Pull queries on tables don't support table functions. Add EMIT CHANGES if you want a push query.",
            ));
        }
    }
    let parts = selected(query).map(|e| (e, "SELECT")).chain(query.filter.iter().map(|e| (e, "WHERE")));
    for (expr, clause) in parts {
        let mut found = None;
        tree::visit(expr, &mut |e| {
            if let ExprKind::Column { name, .. } = &e.kind
                && matches!(PseudoColumn::from_name(&name.value), Some(PseudoColumn::RowPartition | PseudoColumn::RowOffset))
            {
                found.get_or_insert((e.span, name.value.clone()));
            }
        });
        if let Some((span, name)) = found {
            return Err(PlanError::user_at(
                span,
                format!(
                    "Pull queries don't support the following columns in {clause} clauses: {}. {} holds rows, not records.",
                    back_tick(&name),
                    source.name
                ),
            ));
        }
    }
    Ok(())
}

fn selected(query: &Query) -> impl Iterator<Item = &Expr> {
    query.select.iter().filter_map(|item| match &item.kind {
        SelectItemKind::Expr { expr, .. } | SelectItemKind::StructAll { base: expr } => Some(expr),
        SelectItemKind::All { .. } => None,
    })
}

/// A table whose rows nothing keeps.
pub(super) fn not_queryable(source: &SourceDef, query: &Query) -> PlanError {
    let name = &source.name;
    PlanError::user_at(
        query.from.source.span,
        format!(
            "The {} table isn't queryable. To derive a queryable table, you can do 'CREATE TABLE QUERYABLE_{name} AS SELECT * FROM {name}'. Add EMIT CHANGES if you want a push query.",
            back_tick(name)
        ),
    )
}

/// Refuses what would read more of a table than the settings allow.
pub(super) fn scans(keys: &KeyBounds, rows: &PullRows, query: &Query, context: &PlanContext) -> Result<(), PlanError> {
    if context.flag("ksql.query.pull.table.scan.enabled", true)? {
        return Ok(());
    }
    let one_text = matches!(rows.schema.keys.as_slice(), [(_, SqlType::String)]);
    let why = match keys {
        KeyBounds::Lookup(_) => return Ok(()),
        KeyBounds::Range { .. } if one_text && context.flag("ksql.query.pull.range.scan.enabled", true)? => return Ok(()),
        KeyBounds::Range { .. } => "a range of keys can be read without one for a single STRING key only",
        KeyBounds::Scan if query.filter.is_none() => "there is no WHERE clause",
        KeyBounds::Scan if rows.schema.keys.len() > 1 => "Multi-column sources must specify every key in the WHERE clause",
        KeyBounds::Scan => "WHERE clause missing key column for disjunct",
    };
    let span = query.filter.as_ref().map_or(query.span, |f| f.span);
    Err(PlanError::user_at(
        span,
        format!(
            "Query requires table scan to be enabled: {why}. Table scans can be enabled by setting ksql.query.pull.table.scan.enabled=true"
        ),
    ))
}
