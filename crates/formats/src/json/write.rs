//! Rows to JSON text, written directly: field names are prepared once, NULLs are explicit.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flumen_types::json_text::write_string;
use flumen_types::{Field, SqlType};

use crate::bound::{Bound, span};
use crate::number::{write_decimal, write_decimal256, write_double, write_int};

/// What is written around the cells of a type, prepared once.
pub(crate) enum Shape {
    Plain,
    List(Box<Shape>),
    Map(Box<Shape>),
    Struct(Record),
}

/// The fields of an object in order, each with the text that comes before its value: `{"A":` or `,"B":`.
pub(crate) struct Record {
    fields: Vec<(Vec<u8>, Shape)>,
}

impl Record {
    pub fn new(columns: &[Field]) -> Self {
        let field = |(i, column): (usize, &Field)| {
            let mut prefix = vec![if i == 0 { b'{' } else { b',' }];
            write_string(&column.name, &mut prefix);
            prefix.push(b':');
            (prefix, Shape::new(&column.ty))
        };
        Record { fields: columns.iter().enumerate().map(field).collect() }
    }

    pub fn write(&self, columns: &[Bound<'_>], row: usize, out: &mut Vec<u8>) {
        if self.fields.is_empty() {
            out.push(b'{');
        }
        for ((prefix, shape), column) in self.fields.iter().zip(columns) {
            out.extend_from_slice(prefix);
            shape.write(column, row, out);
        }
        out.push(b'}');
    }
}

impl Shape {
    pub fn new(ty: &SqlType) -> Self {
        match ty {
            SqlType::Array(element) => Shape::List(Box::new(Shape::new(element))),
            SqlType::Map(_, value) => Shape::Map(Box::new(Shape::new(value))),
            SqlType::Struct(fields) => Shape::Struct(Record::new(fields)),
            _ => Shape::Plain,
        }
    }

    pub fn write(&self, column: &Bound<'_>, row: usize, out: &mut Vec<u8>) {
        if column.is_null(row) {
            out.extend_from_slice(b"null");
            return;
        }
        match (self, column) {
            (Shape::List(element), Bound::List(list, items)) => {
                out.push(b'[');
                for (n, i) in span(list.value_offsets(), row).enumerate() {
                    if n > 0 {
                        out.push(b',');
                    }
                    element.write(items, i, out);
                }
                out.push(b']');
            }
            (Shape::Map(shape), Bound::Map(map, keys, values)) => {
                out.push(b'{');
                for (n, i) in span(map.value_offsets(), row).enumerate() {
                    if n > 0 {
                        out.push(b',');
                    }
                    write_key(keys, i, out);
                    out.push(b':');
                    shape.write(values, i, out);
                }
                out.push(b'}');
            }
            (Shape::Struct(record), Bound::Struct(_, columns)) => record.write(columns, row, out),
            (_, plain) => write_plain(plain, row, out),
        }
    }
}

fn write_plain(column: &Bound<'_>, row: usize, out: &mut Vec<u8>) {
    match column {
        Bound::Boolean(a) => out.extend_from_slice(if a.value(row) { b"true" } else { b"false" }),
        Bound::Int(a) => write_int(a.value(row), out),
        Bound::Long(a) => write_int(a.value(row), out),
        Bound::Double(a) => {
            let value = a.value(row);
            if value.is_finite() {
                write_double(value, out);
            } else {
                // JSON has no number for these; they read back from text.
                out.push(b'"');
                write_double(value, out);
                out.push(b'"');
            }
        }
        Bound::Decimal128(a, scale) => write_decimal(a.value(row), *scale, out),
        Bound::Decimal256(a, scale) => write_decimal256(a.value(row), *scale, out),
        Bound::String(a) => write_string(a.value(row), out),
        Bound::Bytes(a) => {
            out.push(b'"');
            write_base64(a.value(row), out);
            out.push(b'"');
        }
        Bound::Time(a) => write_int(a.value(row), out),
        Bound::Date(a) => write_int(a.value(row), out),
        Bound::Timestamp(a) => write_int(a.value(row), out),
        // Nested arrays have a shape of their own and never come here.
        Bound::List(..) | Bound::Map(..) | Bound::Struct(..) => out.extend_from_slice(b"null"),
    }
}

/// A map's key is text, whatever its type.
fn write_key(keys: &Bound<'_>, row: usize, out: &mut Vec<u8>) {
    match keys {
        Bound::String(_) | Bound::Bytes(_) => write_plain(keys, row, out),
        other => {
            out.push(b'"');
            write_plain(other, row, out);
            out.push(b'"');
        }
    }
}

/// Writes bytes as base64 with padding.
pub(crate) fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let Some(len) = base64::encoded_len(bytes.len(), true) else { return };
    out.resize(start + len, 0);
    let written = out.get_mut(start..).and_then(|room| BASE64.encode_slice(bytes, room).ok());
    out.truncate(start + written.unwrap_or(0));
}
