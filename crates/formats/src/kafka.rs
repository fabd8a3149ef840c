//! The KAFKA format: one primitive in the form of Kafka's own serializers, big-endian.

use crate::bound::Bound;
use crate::builders::{Builder, Cells, RecordBuilder};
use crate::{DecodeError, Presence};

/// Reads the only column of a record.
pub(crate) fn read(bytes: &[u8], record: &mut RecordBuilder) -> Result<Presence, DecodeError> {
    if let Some(Some(column)) = record.columns.first_mut() {
        read_cell(bytes, column).map_err(|reason| DecodeError { column: record.names.first().cloned(), reason })?;
    }
    record.rows += 1;
    Ok(Presence::Value)
}

fn read_cell(bytes: &[u8], column: &mut Builder) -> Result<(), String> {
    match &mut column.cells {
        Cells::Int(v) => v.push(i32::from_be_bytes(exactly(bytes, "INTEGER")?)),
        Cells::Long(v) => v.push(i64::from_be_bytes(exactly(bytes, "BIGINT")?)),
        Cells::Double(v) => v.push(f64::from_be_bytes(exactly(bytes, "DOUBLE")?)),
        Cells::String(s) => {
            s.bytes.extend_from_slice(String::from_utf8_lossy(bytes).as_bytes());
            s.end_cell().map_err(|e| e.to_string())?;
        }
        Cells::Bytes(s) => {
            s.bytes.extend_from_slice(bytes);
            s.end_cell().map_err(|e| e.to_string())?;
        }
        _ => return Err("format KAFKA does not hold this type".to_string()),
    }
    column.valid.append_non_null();
    Ok(())
}

fn exactly<const N: usize>(bytes: &[u8], wanted: &str) -> Result<[u8; N], String> {
    bytes.try_into().map_err(|_| format!("{wanted} takes {N} bytes, but there are {}", bytes.len()))
}

/// Writes the only column of a row.
pub(crate) fn write(column: &Bound<'_>, row: usize, out: &mut Vec<u8>) -> Presence {
    if column.is_null(row) {
        return Presence::Null;
    }
    match column {
        Bound::Int(a) => out.extend_from_slice(&a.value(row).to_be_bytes()),
        Bound::Long(a) => out.extend_from_slice(&a.value(row).to_be_bytes()),
        Bound::Double(a) => out.extend_from_slice(&a.value(row).to_be_bytes()),
        Bound::String(a) => out.extend_from_slice(a.value(row).as_bytes()),
        Bound::Bytes(a) => out.extend_from_slice(a.value(row)),
        // `supports` lets no other type through.
        _ => return Presence::Null,
    }
    Presence::Value
}
