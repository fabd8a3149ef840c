//! The column list of CREATE STREAM and CREATE TABLE.

use flumen_catalog::Catalog;
use flumen_parser::ast::{ColumnConstraint, ColumnDef, CreateSource, SourceKind};
use flumen_types::{Column, Namespace, SqlType, back_tick};

use super::check_column_name;
use crate::sql_type::sql_type;
use crate::{PlanContext, PlanError};

/// The declared columns, checked.
pub(crate) fn columns(create: &CreateSource, catalog: &Catalog, context: &PlanContext) -> Result<Vec<Column>, PlanError> {
    let mut columns: Vec<Column> = Vec::with_capacity(create.columns.len());
    for def in &create.columns {
        check_column_name(&def.name)?;
        if columns.iter().any(|c| c.name == def.name.value) {
            return Err(PlanError::user_at(def.name.span, format!("Duplicate column names: {}", def.name.value)));
        }
        let ty = sql_type(&def.data_type, catalog)?;
        let namespace = namespace(def, create.kind, &ty)?;
        columns.push(Column { name: def.name.value.clone(), ty, namespace });
    }
    check_headers(create, &columns, context)?;
    Ok(columns)
}

fn namespace(def: &ColumnDef, kind: SourceKind, ty: &SqlType) -> Result<Namespace, PlanError> {
    let name = back_tick(&def.name.value);
    let refuse = |text: String| Err(PlanError::user_at(def.span, text));
    match (&def.constraint, kind) {
        (None, _) => Ok(Namespace::Value),
        (Some(ColumnConstraint::Key), SourceKind::Table) => refuse(format!(
            "Column {name} is a 'KEY' column: please use 'PRIMARY KEY' for tables.\nTables have PRIMARY KEYs, which are unique and NON NULL.\nStreams have KEYs, which have no uniqueness or NON NULL constraints."
        )),
        (Some(ColumnConstraint::PrimaryKey), SourceKind::Stream) => refuse(format!(
            "Column {name} is a 'PRIMARY KEY' column: please use 'KEY' for streams.\nTables have PRIMARY KEYs, which are unique and NON NULL.\nStreams have KEYs, which have no uniqueness or NON NULL constraints."
        )),
        (Some(ColumnConstraint::Key | ColumnConstraint::PrimaryKey), _) if ty.contains_map() => refuse(format!(
            "Map keys, including types that contain maps, are not supported: their entries have no fixed order. Key column name: {name}. Column type: {ty}"
        )),
        (Some(ColumnConstraint::Key | ColumnConstraint::PrimaryKey), _) => Ok(Namespace::Key),
        (Some(ColumnConstraint::Headers), _) if *ty != SqlType::headers() => {
            refuse(format!("Invalid type for HEADERS column: expected {}, got {ty}", SqlType::headers()))
        }
        (Some(ColumnConstraint::Headers), _) => Ok(Namespace::Headers(None)),
        (Some(ColumnConstraint::Header(key)), _) if *ty != SqlType::Bytes => {
            refuse(format!("Invalid type for HEADER('{key}') column: expected BYTES, got {ty}"))
        }
        (Some(ColumnConstraint::Header(key)), _) => Ok(Namespace::Headers(Some(key.clone()))),
    }
}

/// At most one HEADERS column, or HEADER('…') columns of different keys.
fn check_headers(create: &CreateSource, columns: &[Column], context: &PlanContext) -> Result<(), PlanError> {
    let headers: Vec<&Namespace> = columns.iter().map(|c| &c.namespace).filter(|n| matches!(n, Namespace::Headers(_))).collect();
    let refuse = |text: &str| Err(PlanError::user_at(create.name.span, text.to_string()));
    if headers.is_empty() {
        return Ok(());
    }
    if !context.flag("ksql.headers.columns.enabled", true)? {
        return refuse("Cannot create source with headers columns: ksql.headers.columns.enabled is false");
    }
    let whole = headers.iter().filter(|n| matches!(n, Namespace::Headers(None))).count();
    if whole > 1 {
        return refuse("Schema already contains a HEADERS column: only one is possible");
    }
    if whole == 1 && headers.len() > 1 {
        return refuse("Schema cannot have both a HEADERS column and HEADER('key') columns");
    }
    for (i, header) in headers.iter().enumerate() {
        if let Namespace::Headers(Some(key)) = header
            && headers.iter().take(i).any(|other| other == header)
        {
            return refuse(&format!("Schema already contains a HEADER('{key}') column"));
        }
    }
    Ok(())
}
