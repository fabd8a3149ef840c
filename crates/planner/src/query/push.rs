//! SELECT … EMIT CHANGES: a query for one client.

use flumen_catalog::Catalog;
use flumen_expr::Registry;
use flumen_parser::ast::Query;
use flumen_plan::{Operator, QueryKind, RowSchema, SinkSpec};
use flumen_types::{Column, Format, FormatSpec, Schema};

use super::{Planning, Use};
use crate::{PlanContext, PlanError, Planned};

/// Plans a push query. Its sink has no topic; the value columns of its rows are the projection.
pub(crate) fn push(query: &Query, catalog: &Catalog, registry: &Registry, context: &PlanContext) -> Result<Planned, PlanError> {
    let mut planning = Planning::new(query, catalog, registry, context)?;
    let mut rows = planning.rows(query, Use::Transient)?;
    let columns = planning.projection(&rows, Use::Transient)?;
    let result = Schema::new(columns.iter().map(|c| Column::value(c.name.clone(), c.typed.ty().clone())).collect());
    let schema = RowSchema {
        keys: rows.flow.schema.keys.clone(),
        values: columns.iter().map(|c| (c.name.clone(), c.typed.ty().clone())).collect(),
        window: rows.flow.schema.window,
    };
    let keys = schema.keys.iter().map(|(name, _)| name.clone()).collect();
    planning.select(&mut rows.flow, keys, columns, schema);
    let sink = SinkSpec {
        topic: None,
        key_format: FormatSpec::key(Format::None, None),
        value_format: FormatSpec::plain(Format::Json),
        timestamp: None,
    };
    let schema = rows.flow.schema.clone();
    planning.builder.append(&mut rows.flow, Operator::Sink(Box::new(sink)), schema);
    planning.builder.materialized = None;
    let names = planning.source_names();
    let plan = planning.builder.finish(QueryKind::Push, names, None, context.overrides.clone())?;
    Ok(Planned { query: Some(plan), result_schema: Some(result), limit: query.limit, ..Planned::default() })
}
