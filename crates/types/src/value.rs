//! A single SQL value.

use serde::{Deserialize, Serialize};

use crate::Decimal;

/// One value, for literals, keys of look-ups and tests; the data path keeps to Arrow arrays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// NULL of any type.
    Null,
    /// BOOLEAN.
    Boolean(bool),
    /// INTEGER.
    Integer(i32),
    /// BIGINT.
    Bigint(i64),
    /// DOUBLE.
    Double(f64),
    /// DECIMAL.
    Decimal(Decimal),
    /// STRING.
    String(String),
    /// BYTES.
    Bytes(Vec<u8>),
    /// TIME: milliseconds of the day.
    Time(i32),
    /// DATE: days since 1970-01-01.
    Date(i32),
    /// TIMESTAMP: milliseconds since 1970-01-01T00:00Z.
    Timestamp(i64),
    /// ARRAY.
    Array(Vec<Value>),
    /// MAP, entries in insertion order.
    Map(Vec<(Value, Value)>),
    /// STRUCT, fields in the order of the type.
    Struct(Vec<Value>),
}

impl Value {
    /// True for NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(text.to_string())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::String(text)
    }
}

impl From<i32> for Value {
    fn from(n: i32) -> Self {
        Value::Integer(n)
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Self {
        Value::Bigint(n)
    }
}

impl From<f64> for Value {
    fn from(n: f64) -> Self {
        Value::Double(n)
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Value::Boolean(b)
    }
}
