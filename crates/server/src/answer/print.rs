//! Records of PRINT: lines of text, read on a thread of their own because the reader blocks.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use flumen_api::ErrorBody;
use flumen_engine::{EngineError, Printer};
use futures::stream;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::timeout;

use super::response;
use crate::failure::Failure;

/// The answer with a topic's records. The thread ends soon after its client, or when that has not read for `patience`.
pub fn print(mut printer: Printer, thread: OwnedSemaphorePermit, media: &'static str, patience: Duration) -> Response {
    let (sender, mut receiver) = mpsc::channel::<Bytes>(1);
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let _thread = thread;
        while !sender.is_closed() {
            let (text, last) = text(printer.next_lines());
            let sent = text.is_empty() || matches!(runtime.block_on(timeout(patience, sender.send(text.into()))), Ok(Ok(())));
            if last || !sent {
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
