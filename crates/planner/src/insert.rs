//! INSERT INTO … VALUES: one row of constants.

use std::sync::Arc;

use flumen_catalog::{Catalog, SourceDef};
use flumen_expr::{Expr, Registry, build};
use flumen_parser::ast::{Ident, InsertValues};
use flumen_types::{Column, Namespace, PseudoColumn, SqlType, Value, back_tick};

use crate::expression::{Bindings, Translator, evaluate};
use crate::{PlanContext, PlanError};

/// A row to write.
#[derive(Debug, Clone, PartialEq)]
pub struct InsertPlan {
    /// The source whose topic is written.
    pub source: Arc<SourceDef>,
    /// Values of its key columns, in their order.
    pub keys: Vec<Value>,
    /// Values of its value columns, in their order.
    pub values: Vec<Value>,
    /// ROWTIME, when it was given.
    pub timestamp: Option<i64>,
}

/// Plans INSERT INTO … VALUES; functions such as UNIX_TIMESTAMP see `now_ms`.
///
/// # Errors
/// A source that cannot be written, unknown columns, values that do not fit.
pub fn plan_insert(
    insert: &InsertValues,
    catalog: &Catalog,
    registry: &Registry,
    context: &PlanContext,
    now_ms: i64,
) -> Result<InsertPlan, PlanError> {
    if !context.flag("ksql.insert.into.values.enabled", true)? {
        return Err(PlanError::user(
            "The server has disabled INSERT INTO ... VALUES functionality. To enable it, restart your ksqlDB server with 'ksql.insert.into.values.enabled'=true",
        ));
    }
    let source = target(insert, catalog)?;
    let names = column_names(insert, source)?;
    let mut given: Vec<(String, Value)> = Vec::with_capacity(names.len());
    for (name, written) in names.iter().zip(&insert.values) {
        let ty = match source.schema.find(&name.value) {
            Some(column) => column.ty.clone(),
            None => SqlType::Bigint,
        };
        let value = (|| {
            let bindings = Bindings::new();
            let typed = Translator::new(catalog, registry, &bindings).under(context).expr(written)?;
            evaluate(&assigned(typed, &ty)?, registry, now_ms)
        })();
        let failed = |e: PlanError| e.or_at(written.span).within(&format!("Expected type {ty} for field {}", back_tick(&name.value)));
        given.push((name.value.clone(), value.map_err(failed)?));
    }
    let take = |column: &Column| given.iter().find(|(n, _)| *n == column.name).map_or(Value::Null, |(_, v)| v.clone());
    let timestamp = match given.iter().find(|(n, _)| n == PseudoColumn::RowTime.name()) {
        Some((_, Value::Bigint(ms))) if *ms >= 0 => Some(*ms),
        Some((_, Value::Null)) | None => None,
        Some(_) => return Err(PlanError::user_at(insert.values_span, "ROWTIME must be a BIGINT of milliseconds, 0 or more")),
    };
    let keys: Vec<Value> = source.schema.keys().map(take).collect();
    if source.is_table() {
        check_primary_key(source, &keys, insert)?;
    }
    Ok(InsertPlan { keys, values: source.schema.values().map(take).collect(), timestamp, source: source.clone() })
}

/// The source to write, when it can be written.
fn target<'c>(insert: &InsertValues, catalog: &'c Catalog) -> Result<&'c Arc<SourceDef>, PlanError> {
    let name = &insert.target;
    let refuse = |text: String| Err(PlanError::user_at(name.span, text));
    let Some(source) = catalog.source(&name.value) else {
        return refuse(format!(
            "Cannot insert values into an unknown stream/table: {}{}",
            back_tick(&name.value),
            catalog.hint(&name.value)
        ));
    };
    if source.window.is_some() {
        return refuse(format!("Cannot insert values into windowed stream/table: {}", name.value));
    }
    if source.read_only {
        return refuse(format!("Cannot insert values into read-only {}: {}", source.kind_name(), name.value));
    }
    Ok(source)
}

/// The columns the values are for, as many as values.
fn column_names(insert: &InsertValues, source: &SourceDef) -> Result<Vec<Ident>, PlanError> {
    let names: Vec<Ident> = if insert.columns.is_empty() {
        source.schema.keys().chain(source.schema.values()).map(|c| Ident::new(c.name.clone())).collect()
    } else {
        insert.columns.clone()
    };
    if names.len() != insert.values.len() {
        return Err(PlanError::user_at(
            insert.values_span,
            format!(
                "Expected a value for each column. Expected Columns: [{}]. Got {} values.",
                names.iter().map(|n| back_tick(&n.value)).collect::<Vec<_>>().join(", "),
                insert.values.len()
            ),
        ));
    }
    for (at, name) in names.iter().enumerate() {
        if names.iter().take(at).any(|n| n == name) {
            return Err(PlanError::user_at(name.span, format!("Column name {} is given twice", back_tick(&name.value))));
        }
        match source.schema.find(&name.value).map(|c| &c.namespace) {
            Some(Namespace::Headers(_)) => {
                return Err(PlanError::user_at(name.span, format!("Cannot insert into HEADER columns: {}", name.value)));
            }
            Some(_) => {}
            None if name.value == PseudoColumn::RowTime.name() => {}
            None => {
                let near = flumen_catalog::nearest(&name.value, source.schema.columns.iter().map(|c| c.name.as_str()));
                let hint = near.map(|n| format!(" Did you mean {}?", flumen_types::quote_name(n))).unwrap_or_default();
                return Err(PlanError::user_at(name.span, format!("Column name {} does not exist.{hint}", back_tick(&name.value))));
            }
        }
    }
    Ok(names)
}

/// The value as the column's type: beside the implicit conversions, any primitive becomes a STRING.
fn assigned(typed: Expr, ty: &SqlType) -> Result<Expr, PlanError> {
    let to_text = *ty == SqlType::String && typed.ty().is_primitive() && *typed.ty() != SqlType::Bytes && !matches!(typed, Expr::Null);
    Ok(if to_text { build::cast(typed, ty)? } else { build::assign(typed, ty)? })
}

fn check_primary_key(source: &SourceDef, keys: &[Value], insert: &InsertValues) -> Result<(), PlanError> {
    let missing = source.schema.keys().zip(keys).filter(|(_, v)| v.is_null()).map(|(c, _)| c.name.as_str()).collect::<Vec<_>>();
    if missing.is_empty() {
        return Ok(());
    }
    Err(PlanError::user_at(
        insert.values_span,
        format!(
            "Failed to insert values into '{}'. Value for primary key column(s) {} is required for tables",
            source.name,
            missing.join(", ")
        ),
    ))
}
