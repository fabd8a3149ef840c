//! The forms in which rows go to clients.

mod print;
mod pull;
mod push;

pub use print::print;
pub use pull::pull;
pub use push::{push, stalled};

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flumen_api::{Cell, ErrorBody, Header, StreamHead, StreamedRow};
use flumen_types::Schema;
use serde::Serialize;

/// How an answer is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A line of columns, then a line a row.
    Lines,
    /// The same, as one JSON array.
    Array,
    /// A JSON array of [`StreamedRow`]; the only form that shows deletions and the reason of the end.
    Rows,
}

impl Form {
    /// The columns; they come first.
    pub fn head(self, out: &mut Vec<u8>, query_id: &str, schema: &Schema) {
        let query_id = Some(query_id.to_owned());
        if self == Form::Rows {
            out.push(b'[');
            return put(out, &StreamedRow::head(Header { query_id, schema: schema.to_string() }));
        }
        let (column_names, column_types) = schema.columns.iter().map(|c| (c.name.clone(), c.ty.to_string())).unzip();
        if self == Form::Array {
            out.push(b'[');
        }
        put(out, &StreamHead { query_id, column_names, column_types });
        self.end_line(out);
    }

    /// A row; a deletion is left out where the form has no place for it.
    pub fn row(self, out: &mut Vec<u8>, cells: Vec<Cell>, deleted: bool) {
        if deleted && self != Form::Rows {
            return;
        }
        self.begin_line(out);
        match self {
            Form::Lines | Form::Array => put(out, &cells),
            Form::Rows if deleted => put(out, &StreamedRow::tombstone(cells)),
            Form::Rows => put(out, &StreamedRow::row(cells)),
        }
        self.end_line(out);
    }

    /// What went wrong after the start; it comes last.
    pub fn failure(self, out: &mut Vec<u8>, error: ErrorBody) {
        self.begin_line(out);
        match self {
            Form::Lines | Form::Array => put(out, &error),
            Form::Rows => put(out, &StreamedRow::failure(error)),
        }
        self.close(out);
    }

    /// The end, with its reason where the form has a place for it.
    pub fn end(self, out: &mut Vec<u8>, reason: Option<&str>) {
        if let (Form::Rows, Some(reason)) = (self, reason) {
            self.begin_line(out);
            put(out, &StreamedRow::end(reason));
        }
        if self != Form::Lines {
            out.extend_from_slice(b"]\n");
        }
    }

    fn close(self, out: &mut Vec<u8>) {
        self.end_line(out);
        self.end(out, None);
    }

    /// In an array a separator stands before each element but the first.
    fn begin_line(self, out: &mut Vec<u8>) {
        if self != Form::Lines {
            out.extend_from_slice(b",\n");
        }
    }

    fn end_line(self, out: &mut Vec<u8>) {
        if self == Form::Lines {
            out.push(b'\n');
        }
    }
}

fn put(out: &mut Vec<u8>, value: &impl Serialize) {
    // Neither these types nor a write to memory can fail.
    let _ = serde_json::to_writer(out, value);
}

/// Bytes as the parts in which they go out. In lines each row is a part of its own: there are clients that take every HTTP/2
/// frame for one row.
fn parts(form: Form, bytes: Vec<u8>) -> Vec<Bytes> {
    let mut rest = Bytes::from(bytes);
    if form != Form::Lines {
        return if rest.is_empty() { Vec::new() } else { vec![rest] };
    }
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        parts.push(rest.split_to(end));
    }
    parts
}

/// An answer of a media type.
fn response(media: &'static str, body: Body) -> Response {
    ([(CONTENT_TYPE, media)], body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flumen_api::{ErrorCode, cell};
    use flumen_types::{Column, SqlType};

    fn answer(form: Form, failed: bool) -> String {
        let decimal = SqlType::Decimal { precision: 4, scale: 2 };
        let schema = Schema::new(vec![Column::key("ID", SqlType::Integer), Column::value("v", decimal)]);
        let mut out = Vec::new();
        form.head(&mut out, "q1", &schema);
        form.row(&mut out, vec![cell(&1), cell("a")], false);
        form.row(&mut out, vec![cell(&1), cell(&None::<i32>)], true);
        match failed {
            true => form.failure(&mut out, ErrorBody::generic(ErrorCode::SERVER_ERROR, "why")),
            false => form.end(&mut out, Some(StreamedRow::LIMIT_REACHED)),
        }
        String::from_utf8(out).unwrap()
    }

    const HEAD: &str = r#"{"queryId":"q1","columnNames":["ID","v"],"columnTypes":["INTEGER","DECIMAL(4, 2)"]}"#;
    const ERROR: &str = r#"{"@type":"generic_error","error_code":50000,"message":"why"}"#;

    #[test]
    fn lines_have_neither_deletions_nor_a_reason_of_the_end() {
        assert_eq!(answer(Form::Lines, false), format!("{HEAD}\n[1,\"a\"]\n"));
        assert_eq!(answer(Form::Lines, true), format!("{HEAD}\n[1,\"a\"]\n{ERROR}\n"));
    }

    #[test]
    fn each_line_is_a_part() {
        assert_eq!(parts(Form::Lines, b"[1]\n[2]\n".to_vec()), ["[1]\n", "[2]\n"]);
        assert_eq!(parts(Form::Array, b",\n[1],\n[2]".to_vec()), [",\n[1],\n[2]"]);
        assert!(parts(Form::Lines, Vec::new()).is_empty() && parts(Form::Rows, Vec::new()).is_empty());
    }

    #[test]
    fn the_array_holds_the_same() {
        assert_eq!(answer(Form::Array, false), format!("[{HEAD},\n[1,\"a\"]]\n"));
        assert_eq!(answer(Form::Array, true), format!("[{HEAD},\n[1,\"a\"],\n{ERROR}]\n"));
    }

    #[test]
    fn streamed_rows_show_everything() {
        let start = concat!(
            "[{\"header\":{\"queryId\":\"q1\",\"schema\":\"`ID` INTEGER KEY, `v` DECIMAL(4, 2)\"}},\n",
            "{\"row\":{\"columns\":[1,\"a\"]}},\n",
            "{\"row\":{\"columns\":[1,null],\"tombstone\":true}},\n",
        );
        assert_eq!(answer(Form::Rows, false), format!("{start}{{\"finalMessage\":\"Limit Reached\"}}]\n"));
        assert_eq!(answer(Form::Rows, true), format!("{start}{{\"errorMessage\":{ERROR}}}]\n"));
    }
}
