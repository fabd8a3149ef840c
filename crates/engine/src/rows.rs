//! Cells of result rows as the JSON text of the HTTP API.

use std::fmt::Write;

use arrow::array::{Array, ArrayRef};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flumen_api::Cell;
use flumen_types::{SqlType, Value, format_date, format_time, format_timestamp, value_at};
use serde_json::value::RawValue;

/// The cells of one row.
pub fn row_cells(columns: &[(ArrayRef, SqlType)], row: usize) -> Vec<Cell> {
    columns.iter().map(|(array, ty)| cell_of(array.as_ref(), ty, row)).collect()
}

/// One cell: numbers bare (decimals with all their digits), text and times in quotes, BYTES in base64, ARRAY as a list, MAP
/// and STRUCT as objects; NaN and infinities in quotes.
pub fn cell_of(array: &dyn Array, ty: &SqlType, row: usize) -> Cell {
    let mut out = String::new();
    write_json(&mut out, &value_at(array, ty, row), ty);
    RawValue::from_string(out).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

pub(crate) fn write_json(out: &mut String, value: &Value, ty: &SqlType) {
    match (value, ty) {
        (Value::Null, _) => out.push_str("null"),
        (Value::Boolean(b), _) => out.push_str(if *b { "true" } else { "false" }),
        (Value::Integer(n), _) => out.push_str(itoa::Buffer::new().format(*n)),
        (Value::Bigint(n), _) => out.push_str(itoa::Buffer::new().format(*n)),
        (Value::Double(n), _) if n.is_finite() => out.push_str(&flumen_types::format_double(*n)),
        (Value::Double(n), _) => quoted(out, &flumen_types::format_double(*n)),
        (Value::Decimal(d), _) => {
            // Writing to a String cannot fail.
            let _ = write!(out, "{d}");
        }
        (Value::String(text), _) => quoted(out, text),
        (Value::Bytes(bytes), _) => quoted(out, &BASE64.encode(bytes)),
        (Value::Time(t), _) => quoted(out, &format_time(*t)),
        (Value::Date(d), _) => quoted(out, &format_date(*d)),
        (Value::Timestamp(t), _) => quoted(out, &format_timestamp(*t)),
        (Value::Array(items), SqlType::Array(element)) => {
            separated(out, '[', ']', items, |out, item| write_json(out, item, element));
        }
        (Value::Map(entries), SqlType::Map(key, element)) => separated(out, '{', '}', entries, |out, (k, v)| {
            quoted(out, &flumen_types::display_value(k, key));
            out.push(':');
            write_json(out, v, element);
        }),
        (Value::Struct(values), SqlType::Struct(fields)) => {
            let pairs: Vec<_> = values.iter().zip(fields).collect();
            separated(out, '{', '}', &pairs, |out, (v, field)| {
                quoted(out, &field.name);
                out.push(':');
                write_json(out, v, &field.ty);
            });
        }
        (Value::Array(_) | Value::Map(_) | Value::Struct(_), _) => out.push_str("null"),
    }
}

fn separated<T>(out: &mut String, open: char, close: char, items: &[T], mut write: impl FnMut(&mut String, &T)) {
    out.push(open);
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(close);
}

fn quoted(out: &mut String, text: &str) {
    out.push_str(&serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_string()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use flumen_types::{Field, column_of};

    fn shown(value: Value, ty: SqlType) -> String {
        let array = column_of(&ty, [&value]).unwrap();
        cell_of(array.as_ref(), &ty, 0).get().to_string()
    }

    #[test]
    fn cells_are_written_as_clients_expect() {
        assert_eq!(shown(Value::Double(1e10), SqlType::Double), "1.0E10");
        assert_eq!(shown(Value::Double(f64::NAN), SqlType::Double), "\"NaN\"");
        assert_eq!(shown(Value::Decimal("1.50".parse().unwrap()), SqlType::Decimal { precision: 4, scale: 2 }), "1.50");
        assert_eq!(shown("a\"b".into(), SqlType::String), r#""a\"b""#);
        assert_eq!(shown(Value::Bytes(vec![1, 2]), SqlType::Bytes), "\"AQI=\"");
        assert_eq!(shown(Value::Timestamp(0), SqlType::Timestamp), "\"1970-01-01T00:00:00.000\"");
        let ty = SqlType::Struct(vec![Field::new("A", SqlType::array(SqlType::Integer))]);
        assert_eq!(shown(Value::Struct(vec![Value::Array(vec![Value::Integer(1), Value::Null])]), ty), r#"{"A":[1,null]}"#);
        let map = SqlType::map(SqlType::String, SqlType::Bigint);
        assert_eq!(shown(Value::Map(vec![("k".into(), Value::Bigint(2))]), map), r#"{"k":2}"#);
        assert_eq!(shown(Value::Null, SqlType::Integer), "null");
    }
}
