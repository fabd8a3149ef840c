//! Columns made of record headers.

use arrow::array::{ArrayRef, BinaryBuilder};
use flumen_types::{ColumnBuilder, SqlType, Value, null_column};
use flumen_wire::RecordChunk;
use std::sync::Arc;

use crate::RuntimeError;

/// The header columns of a source: all headers, or the last of one name.
pub(super) struct HeaderColumns {
    columns: Vec<(Option<String>, bool)>,
}

impl HeaderColumns {
    /// Columns as a plan names them, with whether each is read.
    pub fn new(columns: &[(String, Option<String>)], wanted: Vec<bool>) -> Self {
        HeaderColumns { columns: columns.iter().map(|(_, key)| key.clone()).zip(wanted).collect() }
    }

    /// One column each, NULL for records without a value.
    pub fn columns(&self, records: &RecordChunk, deleted: &[bool]) -> Result<Vec<ArrayRef>, RuntimeError> {
        let make = |(key, wanted): &(Option<String>, bool)| match (key, wanted) {
            (None, false) => Ok(null_column(&SqlType::headers(), records.len())),
            (Some(_), false) => Ok(null_column(&SqlType::Bytes, records.len())),
            (None, true) => all(records, deleted),
            (Some(key), true) => Ok(last(records, deleted, key.as_bytes())),
        };
        self.columns.iter().map(make).collect()
    }
}

fn all(records: &RecordChunk, deleted: &[bool]) -> Result<ArrayRef, RuntimeError> {
    let mut out = ColumnBuilder::new(&SqlType::headers());
    for row in 0..records.len() {
        if deleted.get(row) == Some(&true) {
            out.append_null();
            continue;
        }
        let header = |(name, value): (&[u8], Option<&[u8]>)| {
            let name = String::from_utf8_lossy(name).into_owned();
            Value::Struct(vec![Value::String(name), value.map_or(Value::Null, |v| Value::Bytes(v.to_vec()))])
        };
        let list = Value::Array(records.headers(row).map(header).collect());
        out.append(&list).map_err(|e| RuntimeError::Internal(e.to_string()))?;
    }
    Ok(out.finish())
}

fn last(records: &RecordChunk, deleted: &[bool], key: &[u8]) -> ArrayRef {
    let mut out = BinaryBuilder::new();
    for row in 0..records.len() {
        let found = records.headers(row).filter(|(name, _)| *name == key).last().and_then(|(_, value)| value);
        out.append_option(found.filter(|_| deleted.get(row) != Some(&true)));
    }
    Arc::new(out.finish())
}
