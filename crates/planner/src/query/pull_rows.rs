//! The clauses of a pull query over the rows of its table.

use flumen_catalog::Catalog;
use flumen_expr::{Expr as Typed, Registry};
use flumen_parser::ast::{Expr, Query};
use flumen_plan::RowSchema;

use super::clauses::Clauses;
use super::{Planning, Rows, Use};
use crate::magic_time::times_as_millis;
use crate::{PlanContext, PlanError};

/// A pull query's clauses over a table's rows.
pub(crate) struct PullRows {
    /// The table's rows.
    pub(crate) schema: RowSchema,
    /// The table's key columns as expressions name them.
    pub(crate) keys: Vec<Expr>,
    /// WHERE, names resolved.
    pub(crate) filter: Option<Expr>,
    /// WHERE, typed.
    pub(crate) predicate: Option<Typed>,
    /// The result columns: name, as written, typed.
    pub(crate) columns: Vec<(String, Expr, Typed)>,
}

/// Resolves and types the clauses of a pull query on a table.
pub(crate) fn pull_rows(query: &Query, catalog: &Catalog, registry: &Registry, context: &PlanContext) -> Result<PullRows, PlanError> {
    let mut planning = Planning::new(query, catalog, registry, context)?;
    let clauses = Clauses::of(query, &planning.scope, &[])?;
    if let Some(filter) = &clauses.filter {
        planning.refuse_functions(filter, "WHERE")?;
    }
    let sub = planning.builder.sub_topology();
    let first = planning.scope.sources.first().cloned().ok_or_else(|| PlanError::user("a query needs a source"))?;
    let flow = planning.source(&first, sub)?;
    let bindings = flow.bindings();
    let typed = |filter: &Expr| planning.translator(&bindings).condition(&times_as_millis(filter)?, "WHERE");
    let predicate = clauses.filter.as_ref().map(typed).transpose()?;
    let filter = clauses.filter.clone();
    let keys = flow.key_columns().iter().map(|k| k.holds.clone()).collect();
    let schema = flow.schema.clone();
    let columns = planning.projection(&Rows { flow, clauses }, Use::Transient)?;
    Ok(PullRows { schema, keys, filter, predicate, columns: columns.into_iter().map(|c| (c.name, c.expr, c.typed)).collect() })
}
