//! Rows of a pull query: batch by batch, so that a large result is never there as a whole.

use std::convert::Infallible;

use axum::body::Body;
use axum::response::Response;
use flumen_engine::row_cells;
use futures::{StreamExt, stream};

use super::{Form, parts, response};
use crate::pulled::{Pulled, PulledNext};

/// The answer with the rows of a pull query.
pub fn pull(pulled: Pulled, form: Form, media: &'static str) -> Response {
    let mut head = Vec::new();
    form.head(&mut head, &pulled.id, &pulled.schema);
    let pieces = stream::unfold(Some((pulled, head)), move |state| async move {
        let (mut pulled, mut out) = state?;
        let next = pulled.next().await;
        let last = write(form, &mut out, next);
        Some((out, (!last).then(|| (pulled, Vec::new()))))
    });
    let body = pieces.flat_map(move |bytes| stream::iter(parts(form, bytes))).map(Ok::<_, Infallible>);
    response(media, Body::from_stream(body))
}

/// Writes what came; true if it is the last.
fn write(form: Form, out: &mut Vec<u8>, next: PulledNext) -> bool {
    match next {
        PulledNext::Rows(batch) => {
            for row in 0..batch.rows {
                form.row(out, row_cells(&batch.columns, row), false);
            }
            return false;
        }
        PulledNext::Failed(error) => form.failure(out, error),
        PulledNext::End => form.end(out, None),
    }
    true
}
