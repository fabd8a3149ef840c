//! Statements that change the catalog without starting a query.

mod columns;
mod create;
pub(crate) mod topic;

use flumen_catalog::{Catalog, Ddl, QueryTarget};
use flumen_parser::ast::{self, Ident};
use flumen_plan::SourceKind;
use flumen_types::{Column, PseudoColumn, back_tick};

use crate::sql_type::sql_type;
use crate::{PlanError, Planned};

pub(crate) use create::{create_source, exists_already, timestamp_column};

/// Stream or table, as plans name it.
pub(crate) fn source_kind(kind: ast::SourceKind) -> SourceKind {
    match kind {
        ast::SourceKind::Stream => SourceKind::Stream,
        ast::SourceKind::Table => SourceKind::Table,
    }
}

/// Refuses names of sources that topics and ids could not hold.
pub(crate) fn check_source_name(name: &Ident) -> Result<(), PlanError> {
    if !name.value.is_empty() && name.value.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
        return Ok(());
    }
    Err(PlanError::user_at(
        name.span,
        format!("Illegal argument at Identifier {}: source names may have letters, digits, '_' and '-' only.", back_tick(&name.value)),
    ))
}

/// Refuses the names of the columns every record has.
pub(crate) fn check_column_name(name: &Ident) -> Result<(), PlanError> {
    match PseudoColumn::from_name(&name.value) {
        None => Ok(()),
        Some(_) => Err(PlanError::user_at(
            name.span,
            format!("'{}' is a reserved column name. You cannot use it as a name for a column.", name.value),
        )),
    }
}

pub(crate) fn alter(alter: &ast::AlterSource, catalog: &Catalog) -> Result<Planned, PlanError> {
    let mut columns = Vec::with_capacity(alter.columns.len());
    for column in &alter.columns {
        check_column_name(&column.name)?;
        columns.push(Column::value(column.name.value.clone(), sql_type(&column.data_type, catalog)?));
    }
    if let Some(source) = catalog.source(&alter.name.value) {
        let all: Vec<Column> = source.schema.columns.iter().chain(&columns).cloned().collect();
        let values = crate::properties::fields(&all, |n| *n == flumen_types::Namespace::Value);
        flumen_types::supports(&source.value_format, &values, false)?;
    }
    Ok(Planned::ddl(Ddl::AlterSource { kind: source_kind(alter.kind), name: alter.name.value.clone(), columns }))
}

pub(crate) fn drop(drop: &ast::DropSource, catalog: &Catalog) -> Planned {
    let name = drop.name.value.clone();
    if drop.if_exists && catalog.source(&name).is_none() {
        return Planned::warning(format!("Source {} does not exist.", back_tick(&name)));
    }
    Planned::ddl(Ddl::DropSource { kind: source_kind(drop.kind), name, if_exists: drop.if_exists, delete_topic: drop.delete_topic })
}

pub(crate) fn create_type(create: &ast::CreateType, catalog: &Catalog) -> Result<Planned, PlanError> {
    let name = create.name.value.clone();
    let ty = sql_type(&create.data_type, catalog)?;
    if create.if_not_exists && catalog.custom_type(&name).is_some() {
        return Ok(Planned::warning(format!("Type {} already exists.", back_tick(&name))));
    }
    Ok(Planned::ddl(Ddl::CreateType { name, ty, if_not_exists: create.if_not_exists }))
}

pub(crate) fn drop_type(drop: &ast::DropType, catalog: &Catalog) -> Planned {
    let name = drop.name.value.clone();
    if drop.if_exists && catalog.custom_type(&name).is_none() {
        return Planned::warning(format!("Type {} does not exist.", back_tick(&name)));
    }
    Planned::ddl(Ddl::DropType { name, if_exists: drop.if_exists })
}

pub(crate) fn query_target(target: &ast::QueryTarget) -> QueryTarget {
    match target {
        ast::QueryTarget::All => QueryTarget::All,
        ast::QueryTarget::Id(id) => QueryTarget::Id(id.value.clone()),
    }
}
