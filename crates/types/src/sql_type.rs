//! The SQL types and how they are written.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{MAX_PRECISION, TypeError, back_tick};

/// A SQL type. Every value of every type may be NULL.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SqlType {
    /// true or false.
    Boolean,
    /// 32-bit signed integer, wraps on overflow.
    Integer,
    /// 64-bit signed integer, wraps on overflow.
    Bigint,
    /// IEEE 754 double.
    Double,
    /// Exact decimal of `precision` digits, `scale` of them after the point; 1 ≤ precision ≤ 76, scale ≤ precision.
    Decimal {
        /// Number of significant digits.
        precision: u8,
        /// Digits after the decimal point.
        scale: u8,
    },
    /// UTF-8 text.
    String,
    /// Raw bytes.
    Bytes,
    /// Milliseconds of the day.
    Time,
    /// Days since 1970-01-01.
    Date,
    /// Milliseconds since 1970-01-01T00:00Z.
    Timestamp,
    /// List of one element type.
    Array(Box<SqlType>),
    /// Map from key type to value type.
    Map(Box<SqlType>, Box<SqlType>),
    /// Named fields in order.
    Struct(Vec<Field>),
}

/// A named field of a struct.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field {
    /// The field's name, case kept.
    pub name: String,
    /// The field's type.
    pub ty: SqlType,
}

impl Field {
    /// A field of this name and type.
    pub fn new(name: impl Into<String>, ty: SqlType) -> Self {
        Field { name: name.into(), ty }
    }
}

impl SqlType {
    /// DECIMAL(precision, scale), refused when the pair is not a valid one.
    pub fn decimal(precision: u32, scale: u32) -> Result<SqlType, TypeError> {
        if precision < 1 {
            return Err(TypeError::InvalidType(format!("DECIMAL precision must be >= 1: DECIMAL({precision},{scale})")));
        }
        if scale > precision {
            return Err(TypeError::InvalidType(format!("DECIMAL precision must be >= scale: DECIMAL({precision},{scale})")));
        }
        if precision > MAX_PRECISION as u32 {
            return Err(TypeError::InvalidType(format!("DECIMAL({precision},{scale}) has more than {MAX_PRECISION} digits")));
        }
        Ok(SqlType::Decimal { precision: precision as u8, scale: scale as u8 })
    }

    /// Array of this element type.
    pub fn array(element: SqlType) -> SqlType {
        SqlType::Array(Box::new(element))
    }

    /// Map of these key and value types.
    pub fn map(key: SqlType, value: SqlType) -> SqlType {
        SqlType::Map(Box::new(key), Box::new(value))
    }

    /// The type a HEADERS column must have: `ARRAY<STRUCT<KEY STRING, VALUE BYTES>>`.
    pub fn headers() -> SqlType {
        SqlType::array(SqlType::Struct(vec![Field::new("KEY", SqlType::String), Field::new("VALUE", SqlType::Bytes)]))
    }

    /// INTEGER, BIGINT, DECIMAL or DOUBLE.
    pub fn is_numeric(&self) -> bool {
        matches!(self, SqlType::Integer | SqlType::Bigint | SqlType::Double | SqlType::Decimal { .. })
    }

    /// DATE, TIME or TIMESTAMP.
    pub fn is_time(&self) -> bool {
        matches!(self, SqlType::Date | SqlType::Time | SqlType::Timestamp)
    }

    /// Neither ARRAY, MAP nor STRUCT.
    pub fn is_primitive(&self) -> bool {
        !matches!(self, SqlType::Array(_) | SqlType::Map(..) | SqlType::Struct(_))
    }

    /// True when a MAP is found at any depth; such a type cannot be a key.
    pub fn contains_map(&self) -> bool {
        match self {
            SqlType::Map(..) => true,
            SqlType::Array(e) => e.contains_map(),
            SqlType::Struct(fields) => fields.iter().any(|f| f.ty.contains_map()),
            _ => false,
        }
    }

    /// The bare name without parameters, as the HTTP API gives it: `INTEGER`, `DECIMAL`, `ARRAY`.
    pub fn base_name(&self) -> &'static str {
        match self {
            SqlType::Boolean => "BOOLEAN",
            SqlType::Integer => "INTEGER",
            SqlType::Bigint => "BIGINT",
            SqlType::Double => "DOUBLE",
            SqlType::Decimal { .. } => "DECIMAL",
            SqlType::String => "STRING",
            SqlType::Bytes => "BYTES",
            SqlType::Time => "TIME",
            SqlType::Date => "DATE",
            SqlType::Timestamp => "TIMESTAMP",
            SqlType::Array(_) => "ARRAY",
            SqlType::Map(..) => "MAP",
            SqlType::Struct(_) => "STRUCT",
        }
    }
}

impl fmt::Display for SqlType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SqlType::Decimal { precision, scale } => write!(f, "DECIMAL({precision}, {scale})"),
            SqlType::Array(e) => write!(f, "ARRAY<{e}>"),
            SqlType::Map(k, v) => write!(f, "MAP<{k}, {v}>"),
            SqlType::Struct(fields) if fields.is_empty() => f.write_str("STRUCT< >"),
            SqlType::Struct(fields) => {
                f.write_str("STRUCT<")?;
                for (i, field) in fields.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{} {}", back_tick(&field.name), field.ty)?;
                }
                f.write_str(">")
            }
            other => f.write_str(other.base_name()),
        }
    }
}
