//! Records to Arrow: one decoder for the key or the value of a topic.

use arrow::array::ArrayRef;
use flumen_types::Field;

use crate::builders::RecordBuilder;
use crate::delimited::LineReader;
use crate::{DecodeError, Format, FormatError, FormatSpec, Presence, json, kafka};

/// Appends records to Arrow builders. Only wanted columns are built.
pub struct Decoder {
    record: RecordBuilder,
    reader: Reader,
}

enum Reader {
    /// No columns: any bytes will do.
    Nothing,
    Kafka,
    Delimited(LineReader),
    /// A JSON object with a field per column.
    JsonObject,
    /// The JSON text of the only column.
    JsonValue,
}

impl Decoder {
    /// A decoder of records of these columns. `wanted` says for each column whether its array is asked for; columns
    /// beyond its end are not.
    pub fn new(spec: &FormatSpec, columns: &[Field], wanted: &[bool]) -> Result<Decoder, FormatError> {
        let reader = match spec.format {
            Format::None => Reader::Nothing,
            Format::Kafka if columns.is_empty() => Reader::Nothing,
            Format::Kafka => Reader::Kafka,
            Format::Delimited => Reader::Delimited(LineReader::new(spec.delimiter, columns.len())),
            Format::Json if columns.len() == 1 && !spec.wrap => Reader::JsonValue,
            Format::Json => Reader::JsonObject,
            other => return Err(FormatError::Unsupported(other.name().to_string())),
        };
        let record = RecordBuilder::new(columns, |i| wanted.get(i).copied().unwrap_or(false));
        Ok(Decoder { record, reader })
    }

    /// Appends one record. [`Presence::Null`] for no bytes, and for JSON text that is `null`: a row of NULLs was
    /// appended then. On error nothing was appended.
    pub fn append(&mut self, bytes: Option<&[u8]>) -> Result<Presence, DecodeError> {
        let Some(bytes) = bytes else {
            self.append_null();
            return Ok(Presence::Null);
        };
        let row = self.record.rows;
        let read = match &mut self.reader {
            Reader::Nothing => {
                self.record.push_null();
                Ok(Presence::Value)
            }
            Reader::Kafka => kafka::read(bytes, &mut self.record),
            Reader::Delimited(lines) => lines.read(bytes, &mut self.record),
            Reader::JsonObject => json::read_object(bytes, &mut self.record),
            Reader::JsonValue => json::read_value(bytes, &mut self.record),
        };
        if read.is_err() {
            self.record.truncate(row);
        }
        read
    }

    /// Appends a row of NULLs.
    pub fn append_null(&mut self) {
        self.record.push_null();
    }

    /// Rows appended since the last [`Decoder::finish`].
    pub fn rows(&self) -> usize {
        self.record.rows
    }

    /// One array per wanted column, in column order; the decoder is empty afterwards and can go on.
    pub fn finish(&mut self) -> Vec<ArrayRef> {
        self.record.finish()
    }
}
