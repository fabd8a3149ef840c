//! Rows of a push query, as they come.
//!
//! The next chunk is taken from the query only when the connection has room for it, so a client that does not read fills the
//! query's bounded queue and no more. A connection that closes drops the body and with it the query.

use std::convert::Infallible;

use axum::body::Body;
use axum::response::Response;
use flumen_api::{ErrorBody, ErrorCode, StreamedRow};
use flumen_engine::{PushAnswer, PushEnd, PushNext, row_cells};
use futures::{StreamExt, stream};

use super::{Form, parts, response};

enum Step {
    Head(PushAnswer),
    Next(PushAnswer),
    Done,
}

/// The answer with the rows of a push query.
pub fn push(answer: PushAnswer, form: Form, media: &'static str) -> Response {
    let body = stream::unfold(Step::Head(answer), move |step| async move {
        let (bytes, step) = advance(step, form).await?;
        Some((stream::iter(parts(form, bytes)), step))
    });
    let body = body.flatten().map(Ok::<_, Infallible>);
    response(media, Body::from_stream(body))
}

async fn advance(step: Step, form: Form) -> Option<(Vec<u8>, Step)> {
    let mut out = Vec::new();
    let mut answer = match step {
        Step::Head(answer) => {
            form.head(&mut out, &answer.id.0, &answer.schema);
            return Some((out, Step::Next(answer)));
        }
        Step::Next(answer) => answer,
        Step::Done => return None,
    };
    // Rows that the form leaves out give no bytes.
    while out.is_empty() {
        match answer.next().await {
            PushNext::Rows { columns, deleted } => {
                for (row, deleted) in deleted.into_iter().enumerate() {
                    form.row(&mut out, row_cells(&columns, row), deleted);
                }
            }
            PushNext::LimitReached => {
                form.end(&mut out, Some(StreamedRow::LIMIT_REACHED));
                return Some((out, Step::Done));
            }
            PushNext::Ended(end) => {
                match failure(end) {
                    Some(error) => form.failure(&mut out, error),
                    None => form.end(&mut out, Some(StreamedRow::QUERY_COMPLETED)),
                }
                return Some((out, Step::Done));
            }
        }
    }
    Some((out, Step::Next(answer)))
}

fn failure(end: PushEnd) -> Option<ErrorBody> {
    match end {
        PushEnd::Closed => None,
        PushEnd::Stalled => Some(ErrorBody::generic(
            ErrorCode::TOO_MANY_REQUESTS,
            "The query was ended because its client did not read the rows for longer than flumen.push.stall.timeout.ms allows",
        )),
        PushEnd::Failed(why) => Some(ErrorBody::generic(ErrorCode::SERVER_ERROR, why)),
    }
}
