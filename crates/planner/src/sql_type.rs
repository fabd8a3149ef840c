//! Types as written to types as they are: custom names looked up, bounds checked.

use flumen_catalog::{Catalog, nearest};
use flumen_parser::ast::{DataType, DataTypeKind};
use flumen_types::{Field, SqlType, quote_name};

use crate::PlanError;

/// The type that was written.
pub(crate) fn sql_type(written: &DataType, catalog: &Catalog) -> Result<SqlType, PlanError> {
    Ok(match &written.kind {
        DataTypeKind::Boolean => SqlType::Boolean,
        DataTypeKind::Integer => SqlType::Integer,
        DataTypeKind::BigInt => SqlType::Bigint,
        DataTypeKind::Double => SqlType::Double,
        DataTypeKind::String => SqlType::String,
        DataTypeKind::Bytes => SqlType::Bytes,
        DataTypeKind::Time => SqlType::Time,
        DataTypeKind::Date => SqlType::Date,
        DataTypeKind::Timestamp => SqlType::Timestamp,
        DataTypeKind::Decimal { precision, scale } => {
            SqlType::decimal(*precision, *scale).map_err(|e| PlanError::from(e).or_at(written.span))?
        }
        DataTypeKind::Array(element) => SqlType::array(sql_type(element, catalog)?),
        DataTypeKind::Map(key, value) => SqlType::map(sql_type(key, catalog)?, sql_type(value, catalog)?),
        DataTypeKind::Struct(fields) => {
            let mut resolved: Vec<Field> = Vec::with_capacity(fields.len());
            for field in fields {
                if resolved.iter().any(|f| f.name == field.name.value) {
                    return Err(PlanError::user_at(
                        field.name.span,
                        format!("Duplicate field names found in STRUCT: '{}'", field.name.value),
                    ));
                }
                resolved.push(Field::new(field.name.value.clone(), sql_type(&field.data_type, catalog)?));
            }
            SqlType::Struct(resolved)
        }
        DataTypeKind::Custom(name) => {
            let found = catalog.custom_type(&name.value).or_else(|| catalog.custom_type(&name.value.to_uppercase()));
            found.cloned().ok_or_else(|| {
                let near = nearest(&name.value, catalog.types().map(|(n, _)| n));
                let hint = near.map(|n| format!(" Did you mean {}?", quote_name(n))).unwrap_or_default();
                PlanError::user_at(written.span, format!("Cannot resolve unknown type: {}.{hint}", name.value))
            })?
        }
    })
}
