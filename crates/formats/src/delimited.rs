//! The DELIMITED format: one CSV record (RFC 4180 quoting) in the dialect of commons-csv's default.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::bound::Bound;
use crate::builders::{Builder, Cells, RecordBuilder};
use crate::number::{read_decimal, read_decimal128, read_double, write_decimal, write_decimal256, write_double, write_int};
use crate::{DecodeError, Presence};

/// What separates columns when nothing else is asked for.
pub(crate) const DEFAULT_DELIMITER: char = ',';

/// Splits records into fields and reads each as its column's type. Its buffers are reused from record to record.
pub(crate) struct LineReader {
    delimiter: char,
    columns: usize,
    text: String,
    ends: Vec<usize>,
}

impl LineReader {
    pub fn new(delimiter: Option<char>, columns: usize) -> Self {
        LineReader { delimiter: delimiter.unwrap_or(DEFAULT_DELIMITER), columns, text: String::new(), ends: Vec::new() }
    }

    /// Reads one record; an empty field is NULL.
    pub fn read(&mut self, bytes: &[u8], record: &mut RecordBuilder) -> Result<Presence, DecodeError> {
        self.split(&String::from_utf8_lossy(bytes)).map_err(DecodeError::record)?;
        if self.ends.len() != self.columns {
            return Err(DecodeError::record(format!(
                "the record has {} fields where {} columns are declared",
                self.ends.len(),
                self.columns
            )));
        }
        let mut start = 0;
        for (i, (end, column)) in self.ends.iter().zip(record.columns.iter_mut()).enumerate() {
            let field = self.text.get(start..*end).unwrap_or_default();
            start = *end;
            let Some(column) = column else { continue };
            if field.is_empty() {
                column.push_null();
            } else if let Err(reason) = read_field(field, column) {
                let name = record.names.get(i).map(String::as_str).unwrap_or_default();
                return Err(DecodeError::column(name, format!("{reason} in field {}", i + 1)));
            }
        }
        record.rows += 1;
        Ok(Presence::Value)
    }

    /// Splits the first line that is not empty into `text` and `ends`; quotes are taken off.
    fn split(&mut self, line: &str) -> Result<(), String> {
        self.text.clear();
        self.ends.clear();
        let line = line.trim_start_matches(['\r', '\n']);
        if line.is_empty() {
            return if self.columns == 0 { Ok(()) } else { Err("the record is empty".to_string()) };
        }
        let mut rest = line;
        loop {
            rest = match rest.strip_prefix('"') {
                Some(quoted) => self.quoted(quoted)?,
                None => {
                    let end = rest.find([self.delimiter, '\n', '\r']).unwrap_or(rest.len());
                    let (field, after) = rest.split_at(end);
                    self.text.push_str(field);
                    after
                }
            };
            self.ends.push(self.text.len());
            match rest.strip_prefix(self.delimiter) {
                Some(next) => rest = next,
                None => return Ok(()),
            }
        }
    }

    /// Takes a quoted field off the text after its opening quote; what is left starts with a delimiter, a line break or nothing.
    fn quoted<'a>(&mut self, mut rest: &'a str) -> Result<&'a str, String> {
        loop {
            let Some((inside, after)) = rest.split_once('"') else {
                return Err("a quoted field is not closed".to_string());
            };
            self.text.push_str(inside);
            if let Some(more) = after.strip_prefix('"') {
                self.text.push('"');
                rest = more;
                continue;
            }
            let delimiter = self.delimiter;
            let after = after.trim_start_matches(|c: char| c != delimiter && c != '\n' && c != '\r' && c.is_whitespace());
            let closed = after.is_empty() || after.starts_with(['\n', '\r']) || after.starts_with(delimiter);
            return if closed { Ok(after) } else { Err("there is text between a closing quote and the delimiter".to_string()) };
        }
    }
}

fn read_field(text: &str, column: &mut Builder) -> Result<(), String> {
    let number = || text.trim();
    match &mut column.cells {
        Cells::Boolean(b) => b.append(match text.trim() {
            t if t.eq_ignore_ascii_case("true") => true,
            t if t.eq_ignore_ascii_case("false") => false,
            _ => return Err("text that is not a BOOLEAN".to_string()),
        }),
        Cells::Int(v) => v.push(number().parse().map_err(|_| "text that is not an INTEGER")?),
        Cells::Long(v) => v.push(number().parse().map_err(|_| "text that is not a BIGINT")?),
        Cells::Double(v) => v.push(read_double(text).ok_or("text that is not a DOUBLE")?),
        Cells::Decimal128 { values, precision, scale } => values.push(read_decimal128(number(), *precision, *scale)?),
        Cells::Decimal256 { values, precision, scale } => values.push(read_decimal(number(), *precision, *scale)?),
        Cells::String(s) => {
            s.bytes.extend_from_slice(text.as_bytes());
            s.end_cell().map_err(|e| e.to_string())?;
        }
        Cells::Bytes(s) => {
            BASE64.decode_vec(text, &mut s.bytes).map_err(|_| "text that is not base64")?;
            s.end_cell().map_err(|e| e.to_string())?;
        }
        Cells::Time(v) => v.push(number().parse().map_err(|_| "text that is not a TIME in milliseconds of the day")?),
        Cells::Date(v) => v.push(number().parse().map_err(|_| "text that is not a DATE in epoch days")?),
        Cells::Timestamp(v) => v.push(number().parse().map_err(|_| "text that is not a TIMESTAMP in epoch milliseconds")?),
        Cells::List { .. } | Cells::Map { .. } | Cells::Struct { .. } => {
            return Err("format DELIMITED does not hold this type".to_string());
        }
    }
    column.valid.append_non_null();
    Ok(())
}

/// Writes a row as one line without a line break. The NULL of a single column is a null record.
pub(crate) fn write(columns: &[Bound<'_>], delimiter: char, row: usize, out: &mut Vec<u8>) -> Presence {
    if let [only] = columns
        && only.is_null(row)
    {
        return Presence::Null;
    }
    for (i, column) in columns.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(delimiter.encode_utf8(&mut [0; 4]).as_bytes());
        }
        if column.is_null(row) {
            continue;
        }
        let start = out.len();
        match column {
            Bound::Boolean(a) => out.extend_from_slice(if a.value(row) { b"true" } else { b"false" }),
            Bound::Int(a) => write_int(a.value(row), out),
            Bound::Long(a) => write_int(a.value(row), out),
            Bound::Double(a) => write_double(a.value(row), out),
            Bound::Decimal128(a, scale) => write_decimal(a.value(row), *scale, out),
            Bound::Decimal256(a, scale) => write_decimal256(a.value(row), *scale, out),
            Bound::String(a) => out.extend_from_slice(a.value(row).as_bytes()),
            Bound::Bytes(a) => crate::json::write_base64(a.value(row), out),
            Bound::Time(a) => write_int(a.value(row), out),
            Bound::Date(a) => write_int(a.value(row), out),
            Bound::Timestamp(a) => write_int(a.value(row), out),
            // `supports` lets no nested type through.
            Bound::List(..) | Bound::Map(..) | Bound::Struct(..) => {}
        }
        if needs_quotes(out.get(start..).unwrap_or_default(), i == 0, delimiter) {
            quote(out, start);
        }
    }
    Presence::Value
}

/// The rule of commons-csv 1.4, which ksqlDB's topics show: besides fields with a delimiter, quote or line break, those
/// that start with a character up to `#` or end with one up to a space are quoted, and the first field of a record also
/// when it is empty or does not start with a letter or a digit.
fn needs_quotes(field: &[u8], first: bool, delimiter: char) -> bool {
    let (Some(start), Some(end)) = (field.first(), field.last()) else { return first };
    let mut utf8 = [0; 4];
    let delimiter = delimiter.encode_utf8(&mut utf8).as_bytes();
    let odd_start = *start <= b'#' || (first && !start.is_ascii_alphanumeric());
    odd_start
        || *end <= b' '
        || field.iter().any(|b| matches!(b, b'"' | b'\n' | b'\r'))
        || field.windows(delimiter.len()).any(|w| w == delimiter)
}

/// Puts the field from `start` on in quotes and doubles those inside.
fn quote(out: &mut Vec<u8>, start: usize) {
    let field = out.split_off(start);
    out.push(b'"');
    for b in field {
        if b == b'"' {
            out.push(b'"');
        }
        out.push(b);
    }
    out.push(b'"');
}
