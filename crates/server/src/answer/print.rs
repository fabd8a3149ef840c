//! Records of PRINT: lines of text, read on a thread of their own because the reader blocks.

use std::convert::Infallible;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use flumen_api::ErrorBody;
use flumen_engine::{EngineError, Printer};
use futures::stream;
use tokio::sync::mpsc;

use super::response;
use crate::failure::Failure;

/// Pieces of text that may wait for the client.
const QUEUE: usize = 4;

/// The answer with a topic's records.
pub fn print(mut printer: Printer, media: &'static str) -> Response {
    let (sender, mut receiver) = mpsc::channel::<Bytes>(QUEUE);
    // Ends soon after the client: the receiver goes with the body.
    tokio::task::spawn_blocking(move || {
        while !sender.is_closed() {
            let (text, last) = text(printer.next_lines());
            if (!text.is_empty() && sender.blocking_send(text.into()).is_err()) || last {
                return;
            }
        }
    });
    let body = stream::poll_fn(move |context| receiver.poll_recv(context).map(|bytes| bytes.map(Ok::<_, Infallible>)));
    response(media, Body::from_stream(body))
}

/// The text of what came, and whether it is the last.
fn text(lines: Result<Option<Vec<String>>, EngineError>) -> (String, bool) {
    match lines {
        Ok(Some(lines)) => (lines.into_iter().map(|line| line + "\n").collect(), false),
        Ok(None) => (String::new(), true),
        Err(error) => {
            let body: ErrorBody = Failure::from(error).0;
            (serde_json::to_string(&body).unwrap_or_default() + "\n", true)
        }
    }
}
