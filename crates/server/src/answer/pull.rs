//! Rows of a pull query: batch by batch, so that the text of a large result is never there as a whole.

use std::convert::Infallible;

use axum::body::Body;
use axum::response::Response;
use flumen_engine::{Rows, row_cells};
use futures::stream;

use super::{Form, parts, response};

/// The answer with the rows of a pull query.
pub fn pull(rows: Rows, form: Form, media: &'static str) -> Response {
    let Rows { id, schema, batches } = rows;
    let mut head = Vec::new();
    form.head(&mut head, &id, &schema);
    let batches = batches.into_iter().map(move |batch| {
        let mut out = Vec::new();
        for row in 0..batch.rows {
            form.row(&mut out, row_cells(&batch.columns, row), false);
        }
        out
    });
    let mut end = Vec::new();
    form.end(&mut end, None);
    let whole = std::iter::once(head).chain(batches).chain(std::iter::once(end));
    let parts = whole.flat_map(move |bytes| parts(form, bytes)).map(Ok::<_, Infallible>);
    response(media, Body::from_stream(stream::iter(parts)))
}
