//! The WITH clause: names, values and rules of its properties.

mod formats;
mod read;

use flumen_parser::Span;
use flumen_plan::WindowedKey;
use flumen_types::Format;

pub(crate) use formats::{fields, key_spec, value_spec};
pub(crate) use read::{Clause, read};

/// The properties of a WITH clause, checked one by one; `None` where not given.
#[derive(Debug, Clone, Default)]
pub(crate) struct With {
    pub(crate) topic: Option<String>,
    pub(crate) partitions: Option<i32>,
    pub(crate) replicas: Option<i16>,
    pub(crate) retention_ms: Option<i64>,
    pub(crate) key_format: Option<Format>,
    pub(crate) value_format: Option<Format>,
    /// True when KEY_FORMAT was given, not FORMAT.
    pub(crate) key_format_alone: bool,
    pub(crate) key_delimiter: Option<char>,
    pub(crate) value_delimiter: Option<char>,
    pub(crate) wrap: Option<bool>,
    pub(crate) timestamp: Option<(String, Span)>,
    pub(crate) timestamp_format: Option<String>,
    pub(crate) window: Option<WindowedKey>,
    pub(crate) query_id: Option<String>,
    pub(crate) key_schema: SchemaSettings,
    pub(crate) value_schema: SchemaSettings,
}

/// What is said about the schema of one side in a registry.
#[derive(Debug, Clone, Default)]
pub(crate) struct SchemaSettings {
    /// KEY_SCHEMA_ID, VALUE_SCHEMA_ID.
    pub(crate) id: Option<(i64, Span)>,
    /// …_SCHEMA_FULL_NAME.
    pub(crate) full_name: Option<(String, Span)>,
    /// …_PROTOBUF_NULLABLE_REPRESENTATION.
    pub(crate) nullable: Option<Span>,
}
