//! CREATE STREAM AS SELECT, CREATE TABLE AS SELECT.

use flumen_catalog::{Catalog, Ddl};
use flumen_expr::Registry;
use flumen_parser::ast::{self, Query};
use flumen_plan::{QueryKind, WindowedKey};

use super::sink::Windows;
use super::window::window_spec;
use super::{Planning, Use};
use crate::ddl::{check_source_name, exists_already, source_kind};
use crate::properties::{self, Clause};
use crate::{PlanContext, PlanError, Planned};

/// Plans CREATE STREAM AS SELECT and CREATE TABLE AS SELECT.
pub(crate) fn create_as(
    create: &ast::CreateAs,
    text: &str,
    catalog: &Catalog,
    registry: &Registry,
    context: &PlanContext,
) -> Result<Planned, PlanError> {
    check_source_name(&create.name)?;
    if create.or_replace {
        context.require("ksql.create.or.replace.enabled", "CREATE OR REPLACE", create.name.span)?;
    }
    if let Some(known) = exists_already(&create.name, create.if_not_exists, catalog) {
        return Ok(known);
    }
    let query = &create.query;
    check_persistent(query)?;
    let with = properties::read(&create.properties, Clause::CreateAs)?;
    let mut planning = Planning::new(query, catalog, registry, context)?;
    planning.refuse_windowed_tables()?;
    let mut rows = planning.rows(query, Use::Persistent)?;
    let makes_table = rows.flow.table;
    if makes_table != (create.kind == ast::SourceKind::Table) {
        let (is, use_this) = if makes_table { ("TABLE", "CREATE TABLE AS SELECT") } else { ("STREAM", "CREATE STREAM AS SELECT") };
        return Err(PlanError::user_at(
            query.span,
            format!("Invalid result type. Your SELECT query produces a {is}. Please use {use_this} statement instead."),
        ));
    }
    planning.persistent(&mut rows, &create.name.value)?;
    let windows = planning.windows(query, &rows.flow)?;
    let (source, topic) = planning.new_sink(&rows.flow, &create.name, &with, windows, text)?;
    planning.write(&mut rows.flow, &source);
    let kind = match source_kind(create.kind) {
        flumen_plan::SourceKind::Stream => QueryKind::CreateStreamAs,
        flumen_plan::SourceKind::Table => QueryKind::CreateTableAs,
    };
    let names = planning.source_names();
    if !makes_table {
        planning.builder.materialized = None;
    }
    let plan = planning.builder.finish(kind, names, Some(source.name.clone()), context.overrides.clone())?;
    Ok(Planned {
        query: Some(plan),
        topics_to_create: topic.into_iter().collect(),
        result_schema: Some(source.schema.clone()),
        ..Planned::ddl(Ddl::CreateSource { source: Box::new(source), or_replace: create.or_replace })
    })
}

/// Rules for every query that goes on.
pub(crate) fn check_persistent(query: &Query) -> Result<(), PlanError> {
    match query.limit {
        Some(_) => {
            Err(PlanError::user_at(query.span, "LIMIT is possible in a SELECT of its own only, not in CREATE … AS SELECT or INSERT INTO."))
        }
        None => Ok(()),
    }
}

impl Planning<'_> {
    /// Tables with a window in the key cannot be read by persistent queries.
    pub(crate) fn refuse_windowed_tables(&self) -> Result<(), PlanError> {
        match self.scope.sources.iter().find(|s| s.def.is_table() && s.def.window.is_some()) {
            Some(source) => Err(PlanError::user_at(
                source.span,
                format!("KSQL does not support persistent queries on windowed tables: {} has a window in its key.", source.def.name),
            )),
            None => Ok(()),
        }
    }

    /// The windows of a query's result.
    fn windows(&self, query: &Query, flow: &super::flow::Flow) -> Result<Option<Windows>, PlanError> {
        if let (Some(window), true) = (&query.window, flow.own_window) {
            let spec = window_spec(window)?;
            let size = (spec.kind != flumen_types::WindowKind::Session).then_some(spec.size);
            return Ok(Some(Windows { key: WindowedKey { kind: spec.kind, size }, retention_ms: Some(spec.retention) }));
        }
        let inherited = flow.schema.window.and_then(|_| self.scope.sources.first()).and_then(|s| s.def.window);
        Ok(inherited.map(|key| Windows { key, retention_ms: None }))
    }
}
