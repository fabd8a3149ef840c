//! Types as written: primitives, containers, and names of custom types still to be looked up.

use super::name::Ident;
use crate::span::Span;

/// A type in a column list, a CAST or a CREATE TYPE.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DataType {
    /// Which type.
    pub kind: DataTypeKind,
    /// Where it was written.
    pub span: Span,
}

/// The types of the language. Aliases are resolved: `INT` is [`Integer`](DataTypeKind::Integer),
/// `VARCHAR` is [`String`](DataTypeKind::String).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DataTypeKind {
    /// `BOOLEAN`
    Boolean,
    /// `INTEGER`, `INT`: 32 bits
    Integer,
    /// `BIGINT`: 64 bits
    BigInt,
    /// `DOUBLE`
    Double,
    /// `STRING`, `VARCHAR`
    String,
    /// `BYTES`
    Bytes,
    /// `TIME`
    Time,
    /// `DATE`
    Date,
    /// `TIMESTAMP`
    Timestamp,
    /// `DECIMAL(precision, scale)`, as written; the bounds are the planner's to check.
    Decimal {
        /// Number of digits.
        precision: u32,
        /// Digits behind the point.
        scale: u32,
    },
    /// `ARRAY<element>`
    Array(Box<DataType>),
    /// `MAP<key, value>`
    Map(Box<DataType>, Box<DataType>),
    /// `STRUCT<name type, …>`; may be empty
    Struct(Vec<StructField>),
    /// The name of a type made with CREATE TYPE.
    Custom(Ident),
}

/// One field of a struct type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructField {
    /// The field's name.
    pub name: Ident,
    /// The field's type.
    pub data_type: DataType,
}
