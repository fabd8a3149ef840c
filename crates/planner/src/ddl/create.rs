//! CREATE STREAM and CREATE TABLE over a topic.

use flumen_catalog::{Catalog, Ddl, SourceDef};
use flumen_parser::ast::{self, Ident};
use flumen_plan::{SourceKind, TimestampColumn};
use flumen_types::{Column, Namespace, Schema, SqlType, back_tick};

use super::topic::{Wanted, topic};
use super::{check_source_name, columns, source_kind};
use crate::properties::{self, Clause, With, key_spec, value_spec};
use crate::query::source_table_query;
use crate::{PlanContext, PlanError, Planned};

/// Plans CREATE STREAM or CREATE TABLE with a column list.
pub(crate) fn create_source(
    create: &ast::CreateSource,
    text: &str,
    catalog: &Catalog,
    context: &PlanContext,
) -> Result<Planned, PlanError> {
    let kind = source_kind(create.kind);
    check_source_name(&create.name)?;
    if create.or_replace {
        context.require("ksql.create.or.replace.enabled", "CREATE OR REPLACE", create.name.span)?;
    }
    if let Some(known) = exists_already(&create.name, create.if_not_exists, catalog) {
        return Ok(known);
    }
    let with = properties::read(&create.properties, Clause::Create)?;
    let columns = columns::columns(create, catalog, context)?;
    check_columns(create, kind, &columns, &with)?;
    let key_format = key_spec(&with, None, &columns, context);
    let value_format = value_spec(&with, None, &columns, context);
    // A mistake is reported before a missing feature, on whichever side it is.
    let (key_format, value_format) = match (key_format, value_format) {
        (Err(missing @ PlanError::Unsupported { .. }), Err(mistake @ PlanError::User { .. })) => {
            return Err(if create.columns.is_empty() { missing } else { mistake });
        }
        (key, value) => (key?, value?),
    };
    if columns.is_empty() {
        return Err(PlanError::user_at(create.name.span, "The statement does not define any columns."));
    }
    let name = with
        .topic
        .clone()
        .ok_or_else(|| PlanError::user_at(create.name.span, "Missing required property \"KAFKA_TOPIC\" which has no default value."))?;
    let wanted = Wanted { name: &name, kind, windowed: with.window.is_some(), partitions: None, replicas: -1, retention_ms: None };
    let new_topic = topic(&wanted, &with, context)?;
    if let Some(new) = new_topic.as_ref().filter(|_| create.read_only) {
        return Err(PlanError::user(format!(
            "Topic '{}' does not exist: a SOURCE {} is made over an existing topic.",
            new.name,
            flumen_catalog::kind_name(kind)
        )));
    }
    let source = SourceDef {
        name: create.name.value.clone(),
        kind,
        timestamp: timestamp_column(&with, &columns)?,
        schema: Schema::new(columns),
        topic: name,
        key_format,
        value_format,
        window: with.window,
        read_only: create.read_only,
        created_by: None,
        built_from: Vec::new(),
        statement: text.to_string(),
    };
    let materialised = create.read_only
        && kind == SourceKind::Table
        && source.window.is_none()
        && context.flag("ksql.source.table.materialization.enabled", true)?;
    let query = materialised.then(|| source_table_query(&source, context));
    Ok(Planned {
        topics_to_create: new_topic.into_iter().collect(),
        query,
        ..Planned::ddl(Ddl::CreateSource { source: Box::new(source), or_replace: create.or_replace })
    })
}

/// The answer to IF NOT EXISTS when there is such a source.
pub(crate) fn exists_already(name: &Ident, if_not_exists: bool, catalog: &Catalog) -> Option<Planned> {
    let source = catalog.source(&name.value).filter(|_| if_not_exists)?;
    let kind = if source.is_table() { "Table" } else { "Stream" };
    Some(Planned::warning(format!(
        "Cannot add {kind} {}: A {} with the same name already exists.",
        back_tick(&name.value),
        source.kind_name()
    )))
}

fn check_columns(create: &ast::CreateSource, kind: SourceKind, columns: &[Column], with: &With) -> Result<(), PlanError> {
    for (side, namespace, settings) in [("KEY", Namespace::Key, &with.key_schema), ("VALUE", Namespace::Value, &with.value_schema)] {
        if let Some((_, span)) = settings.id
            && columns.iter().any(|c| c.namespace == namespace)
        {
            return Err(PlanError::user_at(span, format!("Table elements and {side}_SCHEMA_ID cannot both exist for create statement.")));
        }
    }
    let keyed = columns.iter().any(|c| c.namespace == Namespace::Key);
    let inferred = with.key_format.is_some_and(|f| f.needs_registry());
    if kind == SourceKind::Table && !keyed && !inferred {
        return Err(PlanError::user_at(
            create.name.span,
            "Tables require a PRIMARY KEY. Please define the PRIMARY KEY.\nUse a partial schema to define the primary key and still load the value columns from the Schema Registry.",
        ));
    }
    if with.window.is_some() && !keyed && !inferred {
        return Err(PlanError::user_at(create.name.span, "Windowed sources require a key column."));
    }
    Ok(())
}

/// The TIMESTAMP property against the columns.
pub(crate) fn timestamp_column(with: &With, columns: &[Column]) -> Result<Option<TimestampColumn>, PlanError> {
    let Some((name, span)) = &with.timestamp else { return Ok(None) };
    let refuse = |text: String| Err(PlanError::user_at(*span, text));
    let Some(column) = columns.iter().find(|c| c.name == *name && !matches!(c.namespace, Namespace::Headers(_))) else {
        return refuse(format!("The TIMESTAMP column set in the WITH clause does not exist in the schema: '{name}'"));
    };
    match (&column.ty, &with.timestamp_format) {
        (SqlType::Bigint | SqlType::Timestamp, None) | (SqlType::String, Some(_)) => {}
        (SqlType::String, None) => {
            return refuse(format!("A String timestamp field '{name}' has been specified without also specifying the 'TIMESTAMP_FORMAT'"));
        }
        (SqlType::Bigint | SqlType::Timestamp, Some(_)) => {
            return refuse(format!("A timestamp format can only be given for a STRING column, and '{name}' is {}", column.ty));
        }
        _ => {
            return refuse(format!(
                "Timestamp column, {}, should be LONG(INT64), TIMESTAMP, or a String with a timestamp_format specified. It is {}.",
                back_tick(name),
                column.ty
            ));
        }
    }
    Ok(Some(TimestampColumn { column: name.clone(), pattern: with.timestamp_format.clone() }))
}
