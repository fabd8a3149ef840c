//! Rows of a push query, as they come.
//!
//! A task takes a chunk from the query when the connection has taken the one before. So a client that does not read fills the
//! query's bounded queue and no more, and when it has not read for too long its query is ended: the reason is then the last
//! thing it will read. A connection that closes ends the query at once.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use flumen_api::{ErrorBody, ErrorCode, StreamedRow};
use flumen_engine::{PushAnswer, PushEnd, PushNext, row_cells};
use futures::{StreamExt, stream};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{Form, parts, response};

/// The answer with the rows of a push query; `patience` is how long its client may leave them.
pub fn push(answer: PushAnswer, form: Form, media: &'static str, patience: Duration) -> Response {
    let (sender, mut receiver) = mpsc::channel(1);
    tokio::spawn(forward(answer, form, sender, patience));
    let pieces = stream::poll_fn(move |context| receiver.poll_recv(context));
    let body = pieces.flat_map(move |bytes| stream::iter(parts(form, bytes))).map(Ok::<_, Infallible>);
    response(media, Body::from_stream(body))
}

async fn forward(mut answer: PushAnswer, form: Form, sender: mpsc::Sender<Vec<u8>>, patience: Duration) {
    let (mut out, mut last) = (Vec::new(), false);
    form.head(&mut out, &answer.id.0, &answer.schema);
    loop {
        // Rows that the form leaves out give no bytes.
        if !out.is_empty() {
            match timeout(patience, sender.send(std::mem::take(&mut out))).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return,
                Err(_) => break,
            }
        }
        if last {
            return;
        }
        let next = tokio::select! {
            () = sender.closed() => return,
            next = answer.next() => next,
        };
        last = write(form, &mut out, next);
    }
    tracing::info!(query = %answer.id.0, "a push query is ended because its client does not read");
    drop(answer);
    form.failure(&mut out, stalled());
    // Waits until the client reads or goes; nothing but this text is held for it. If it goes, nobody wants the text.
    let _ = sender.send(out).await;
}

/// Writes what came; true if it is the last.
fn write(form: Form, out: &mut Vec<u8>, next: PushNext) -> bool {
    match next {
        PushNext::Rows { columns, deleted } => {
            for (row, deleted) in deleted.into_iter().enumerate() {
                form.row(out, row_cells(&columns, row), deleted);
            }
            return false;
        }
        PushNext::LimitReached => form.end(out, Some(StreamedRow::LIMIT_REACHED)),
        PushNext::Ended(PushEnd::Closed | PushEnd::Completed) => form.end(out, Some(StreamedRow::QUERY_COMPLETED)),
        PushNext::Ended(PushEnd::Stalled) => form.failure(out, stalled()),
        PushNext::Ended(PushEnd::Failed(why)) => form.failure(out, ErrorBody::generic(ErrorCode::SERVER_ERROR, why)),
    }
    true
}

/// The error for a client that does not read.
pub fn stalled() -> ErrorBody {
    let text = "The query was ended because its client did not read the rows for longer than flumen.push.stall.timeout.ms allows";
    ErrorBody::generic(ErrorCode::TOO_MANY_REQUESTS, text)
}
