//! The column that gives rows their timestamp.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Int64Type, TimestampMillisecondType};
use flumen_plan::TimestampColumn;
use flumen_types::{SqlType, TimePattern, Zone};

use crate::RuntimeError;

/// Reads timestamps from a column: BIGINT and TIMESTAMP milliseconds, or STRING text of a pattern.
pub(crate) struct TimeColumn {
    /// Position among the columns it was looked up in.
    pub index: usize,
    name: String,
    kind: Kind,
}

enum Kind {
    Bigint,
    Timestamp,
    /// In UTC, unless the text names a zone.
    Text(TimePattern, Zone),
}

impl TimeColumn {
    /// Finds the column among these.
    pub fn new<'a>(spec: &TimestampColumn, columns: impl IntoIterator<Item = &'a (String, SqlType)>) -> Result<Self, RuntimeError> {
        let found = columns.into_iter().enumerate().find(|(_, (name, _))| *name == spec.column);
        let (index, (name, ty)) = found.ok_or_else(|| RuntimeError::Plan(format!("there is no timestamp column {}", spec.column)))?;
        let kind = match (ty, &spec.pattern) {
            (SqlType::Bigint, _) => Kind::Bigint,
            (SqlType::Timestamp, _) => Kind::Timestamp,
            (SqlType::String, Some(pattern)) => {
                Kind::Text(TimePattern::new(pattern).map_err(|e| RuntimeError::Plan(e.to_string()))?, Zone::utc())
            }
            _ => return Err(RuntimeError::Plan(format!("timestamp column {name} is of type {ty}"))),
        };
        Ok(TimeColumn { index, name: name.clone(), kind })
    }

    /// The timestamp in a row of the column, or why there is none.
    pub fn read(&self, column: &ArrayRef, row: usize) -> Result<i64, String> {
        let name = &self.name;
        if column.is_null(row) {
            return Err(format!("timestamp column {name} is NULL"));
        }
        let wrong = || format!("timestamp column {name} is not of its declared type");
        let time = match &self.kind {
            Kind::Bigint => column.as_primitive_opt::<Int64Type>().ok_or_else(wrong)?.value(row),
            Kind::Timestamp => column.as_primitive_opt::<TimestampMillisecondType>().ok_or_else(wrong)?.value(row),
            Kind::Text(pattern, zone) => {
                let text = column.as_string_opt::<i32>().ok_or_else(wrong)?.value(row);
                pattern.parse_timestamp(text, zone).map_err(|e| format!("timestamp column {name}: {e}"))?
            }
        };
        if time < 0 { Err(format!("timestamp column {name} is negative: {time}")) } else { Ok(time) }
    }
}
