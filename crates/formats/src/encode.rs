//! Arrow to records: one encoder for the key or the value of a topic.

use arrow::array::{Array, ArrayRef};
use flumen_types::Field;

use crate::bound::Bound;
use crate::{EncodeError, Format, FormatError, FormatSpec, Presence, delimited, json, kafka};

/// Writes rows in one format; made once, bound to each chunk.
pub struct Encoder {
    columns: Vec<Field>,
    writer: Writer,
}

enum Writer {
    /// Always null.
    Nothing,
    Kafka,
    Delimited(char),
    JsonObject(json::Record),
    JsonValue(json::Shape),
}

impl Encoder {
    /// An encoder of rows of these columns.
    pub fn new(spec: &FormatSpec, columns: &[Field]) -> Result<Encoder, FormatError> {
        let writer = match (spec.format, columns) {
            (Format::None, _) | (Format::Kafka, []) => Writer::Nothing,
            (Format::Kafka, _) => Writer::Kafka,
            (Format::Delimited, _) => Writer::Delimited(spec.delimiter.unwrap_or(delimited::DEFAULT_DELIMITER)),
            (Format::Json, [column]) if !spec.wrap => Writer::JsonValue(json::Shape::new(&column.ty)),
            (Format::Json, _) => Writer::JsonObject(json::Record::new(columns)),
            (other, _) => return Err(FormatError::Unsupported(other.name().to_string())),
        };
        Ok(Encoder { columns: columns.to_vec(), writer })
    }

    /// Binds a chunk's arrays, one per column and as long as each other.
    pub fn bind<'a>(&'a self, arrays: &'a [ArrayRef]) -> Result<BoundEncoder<'a>, EncodeError> {
        if arrays.len() != self.columns.len() {
            return Err(EncodeError::WrongCount { actual: arrays.len(), wanted: self.columns.len() });
        }
        let bind = |(array, column): (&'a ArrayRef, &Field)| {
            Bound::new(array, &column.ty).ok_or_else(|| EncodeError::WrongArray {
                column: column.name.clone(),
                actual: array.data_type().to_string(),
                wanted: column.ty.to_string(),
            })
        };
        let columns = arrays.iter().zip(&self.columns).map(bind).collect::<Result<_, _>>()?;
        Ok(BoundEncoder { writer: &self.writer, columns })
    }
}

/// An [`Encoder`] with the arrays of one chunk.
pub struct BoundEncoder<'a> {
    writer: &'a Writer,
    columns: Vec<Bound<'a>>,
}

impl BoundEncoder<'_> {
    /// Appends the bytes of one row to `out`; with [`Presence::Null`] nothing was appended and the record's part is null.
    /// `row` must be a row of the bound arrays.
    pub fn encode(&mut self, row: usize, out: &mut Vec<u8>) -> Result<Presence, EncodeError> {
        Ok(match (self.writer, self.columns.as_slice()) {
            (Writer::Nothing, _) | (Writer::Kafka | Writer::JsonValue(_), []) => Presence::Null,
            (Writer::Kafka, [column, ..]) => kafka::write(column, row, out),
            (Writer::Delimited(delimiter), columns) => delimited::write(columns, *delimiter, row, out),
            (Writer::JsonObject(record), columns) => {
                record.write(columns, row, out);
                Presence::Value
            }
            (Writer::JsonValue(shape), [column, ..]) => {
                if column.is_null(row) {
                    return Ok(Presence::Null);
                }
                shape.write(column, row, out);
                Presence::Value
            }
        })
    }
}
