//! INSERT INTO … SELECT.

use flumen_catalog::{Catalog, SourceDef};
use flumen_expr::{Expr, Registry, build};
use flumen_parser::ast;
use flumen_plan::{NamedExpr, Operator, QueryKind, RowSchema};
use flumen_types::Schema;

use super::create_as::check_persistent;
use super::flow::Flow;
use super::sink::schema_of;
use super::{Planning, Use};
use crate::properties::{self, Clause};
use crate::{PlanContext, PlanError, Planned};

/// Plans INSERT INTO … SELECT.
pub(crate) fn insert_select(
    insert: &ast::InsertSelect,
    catalog: &Catalog,
    registry: &Registry,
    context: &PlanContext,
) -> Result<Planned, PlanError> {
    let with = properties::read(&insert.properties, Clause::Insert)?;
    let target = target(insert, catalog)?;
    check_persistent(&insert.query)?;
    let mut planning = Planning::new(&insert.query, catalog, registry, context)?;
    planning.refuse_windowed_tables()?;
    let mut rows = planning.rows(&insert.query, Use::Persistent)?;
    if rows.flow.table {
        return Err(PlanError::user_at(
            insert.query.span,
            format!(
                "Incompatible data sink type and query result type. Data sink ({}) type is STREAM but select query result is TABLE.",
                target.name
            ),
        ));
    }
    planning.persistent(&mut rows, &target.name)?;
    planning.fit(&mut rows.flow, target)?;
    planning.write(&mut rows.flow, target);
    planning.builder.materialized = None;
    let names = planning.source_names();
    let plan = planning.builder.finish(QueryKind::Insert, names, Some(target.name.clone()), context.overrides.clone())?;
    let result_schema = Some(schema_of(&rows.flow));
    Ok(Planned { query: Some(plan), query_id: with.query_id, result_schema, ..Planned::default() })
}

/// The stream to write, when it can be written.
fn target<'c>(insert: &ast::InsertSelect, catalog: &'c Catalog) -> Result<&'c SourceDef, PlanError> {
    let name = &insert.target;
    let refuse = |text: String| Err(PlanError::user_at(name.span, text));
    let Some(target) = catalog.source(&name.value) else {
        return refuse(format!("Source {} does not exist.{}", flumen_types::back_tick(&name.value), catalog.hint(&name.value)));
    };
    if target.is_table() {
        return refuse(format!("INSERT INTO can only be used to insert into a stream. {} is a table.", name.value));
    }
    if target.read_only {
        return refuse(format!("Cannot insert into read-only {}: {}", target.kind_name(), name.value));
    }
    if target.has_headers() {
        return refuse(format!("Cannot insert into {} because it has header columns", name.value));
    }
    Ok(target)
}

impl Planning<'_> {
    /// Makes the rows of a query those of an existing stream: same columns, types converted where that loses nothing.
    fn fit(&mut self, flow: &mut Flow, target: &SourceDef) -> Result<(), PlanError> {
        let result = schema_of(flow);
        let wanted = RowSchema {
            keys: target.schema.keys().map(|c| (c.name.clone(), c.ty.clone())).collect(),
            values: target.schema.values().map(|c| (c.name.clone(), c.ty.clone())).collect(),
            window: flow.schema.window,
        };
        let refuse = || incompatible(&result, &target.schema);
        if flow.schema.window.is_some() != target.window.is_some() {
            return Err(refuse());
        }
        let names = |schema: &RowSchema| {
            schema
                .keys
                .iter()
                .map(|(n, _)| n.clone())
                .chain([String::new()])
                .chain(schema.values.iter().map(|(n, _)| n.clone()))
                .collect::<Vec<_>>()
        };
        if names(&flow.schema) != names(&wanted) {
            return Err(refuse());
        }
        if flow.schema == wanted {
            return Ok(());
        }
        let convert = |from: usize, wanted: &[flumen_plan::RowColumn]| {
            (from..)
                .zip(wanted)
                .map(|(at, (name, ty))| {
                    let column = flow.column(at).ok_or_else(refuse)?;
                    let expr: Expr = build::implicit_cast(column, ty).map_err(|_| refuse())?;
                    Ok(NamedExpr { name: name.clone(), expr })
                })
                .collect::<Result<Vec<_>, PlanError>>()
        };
        let keys = convert(0, &wanted.keys)?;
        let values = convert(wanted.keys.len(), &wanted.values)?;
        let op = if flow.schema.keys == wanted.keys {
            Operator::Select { keys: Vec::new(), values }
        } else {
            Operator::Rekey { keys, values, drop_null_keys: false }
        };
        self.builder.append(flow, op, wanted);
        Ok(())
    }
}

fn incompatible(result: &Schema, sink: &Schema) -> PlanError {
    PlanError::user(format!("Incompatible schema between results and sink.\nResult schema is {result}\nSink schema is {sink}"))
}
