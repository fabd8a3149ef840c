//! Columns and types.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A column, or a field of a struct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldInfo {
    /// The name.
    pub name: String,
    /// The type.
    pub schema: SchemaInfo,
    /// What is special about the column; nothing for a value column and for a struct's field.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<FieldKind>,
    /// The header that the column shows, if it shows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header_key: Option<String>,
}

/// What is special about a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum FieldKind {
    /// It is part of the key.
    Key,
    /// It shows headers.
    Header,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SchemaInfo {
    /// `BOOLEAN INTEGER BIGINT DECIMAL DOUBLE STRING BYTES TIME DATE TIMESTAMP ARRAY MAP STRUCT`.
    #[serde(rename = "type")]
    pub name: String,
    /// The fields of a struct.
    #[serde(default)]
    pub fields: Option<Vec<FieldInfo>>,
    /// The elements of an array, the values of a map.
    #[serde(default)]
    pub member_schema: Option<Box<SchemaInfo>>,
    /// `precision` and `scale` of a decimal.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, i64>,
}

impl SchemaInfo {
    /// A type without parts.
    pub fn simple(name: impl Into<String>) -> Self {
        Self { name: name.into(), fields: None, member_schema: None, parameters: BTreeMap::new() }
    }
}

impl std::fmt::Display for SchemaInfo {
    /// The type as SQL writes it, with ksqlDB's `VARCHAR(STRING)` left to the shell.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let member = |f: &mut std::fmt::Formatter<'_>| match &self.member_schema {
            Some(member) => write!(f, "{member}"),
            None => f.write_str("?"),
        };
        match self.name.as_str() {
            "ARRAY" => {
                f.write_str("ARRAY<")?;
                member(f)?;
                f.write_str(">")
            }
            "MAP" => {
                f.write_str("MAP<STRING, ")?;
                member(f)?;
                f.write_str(">")
            }
            "STRUCT" => {
                f.write_str("STRUCT<")?;
                for (number, field) in self.fields.iter().flatten().enumerate() {
                    let comma = if number == 0 { "" } else { ", " };
                    write!(f, "{comma}{} {}", field.name, field.schema)?;
                }
                f.write_str(">")
            }
            "DECIMAL" => {
                let part = |name: &str| self.parameters.get(name).copied().unwrap_or(0);
                write!(f, "DECIMAL({}, {})", part("precision"), part("scale"))
            }
            name => f.write_str(name),
        }
    }
}
