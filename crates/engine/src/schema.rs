//! Columns and types as the API shows them.

use std::collections::BTreeMap;

use flumen_api::{FieldInfo, FieldKind, SchemaInfo};
use flumen_types::{Column, Namespace, SqlType};

/// A type as the API shows it.
pub(crate) fn schema_info(ty: &SqlType) -> SchemaInfo {
    let mut info = SchemaInfo::simple(ty.base_name());
    match ty {
        SqlType::Decimal { precision, scale } => {
            info.parameters = BTreeMap::from([("precision".to_string(), i64::from(*precision)), ("scale".to_string(), i64::from(*scale))]);
        }
        SqlType::Array(member) | SqlType::Map(_, member) => info.member_schema = Some(Box::new(schema_info(member))),
        SqlType::Struct(fields) => {
            let field =
                |f: &flumen_types::Field| FieldInfo { name: f.name.clone(), schema: schema_info(&f.ty), kind: None, header_key: None };
            info.fields = Some(fields.iter().map(field).collect());
        }
        _ => {}
    }
    info
}

/// A column as the API shows it.
pub(crate) fn field_info(column: &Column) -> FieldInfo {
    let (kind, header_key) = match &column.namespace {
        Namespace::Key => (Some(FieldKind::Key), None),
        Namespace::Value => (None, None),
        Namespace::Headers(key) => (Some(FieldKind::Header), key.clone()),
    };
    FieldInfo { name: column.name.clone(), schema: schema_info(&column.ty), kind, header_key }
}

/// The columns of a source or result, keys first.
pub fn field_infos<'a>(columns: impl IntoIterator<Item = &'a Column>) -> Vec<FieldInfo> {
    let (keys, rest): (Vec<_>, Vec<_>) = columns.into_iter().partition(|c| c.namespace == Namespace::Key);
    keys.into_iter().chain(rest).map(field_info).collect()
}
