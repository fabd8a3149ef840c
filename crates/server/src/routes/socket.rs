//! Queries over a WebSocket: `/ws/query`. A frame with the columns, one a row, and one that says why it ends.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::QueryRejection;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use flumen_api::{Cell, ErrorBody, ErrorCode, KsqlRequest, StreamedRow};
use flumen_engine::{Printer, PushAnswer, PushEnd, PushNext, QueryAnswer, field_infos, row_cells};
use flumen_types::Schema;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout, timeout_at};

use super::query::{Asked, start};
use crate::answer::stalled;
use crate::app::App;
use crate::failure::Failure;
use crate::pulled::{Pulled, PulledNext};
use crate::request::{blocking, parse, refuse_foreign_socket, require};

/// Most bytes of the reason in a close frame, by the WebSocket protocol.
const REASON: usize = 123;

/// What stands behind `?`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Parameters {
    /// The body that `/query` takes.
    request: String,
    /// The version of this protocol.
    version: Option<String>,
}

/// `GET /ws/query?request={"ksql": …}`.
pub async fn query(
    State(app): State<Arc<App>>,
    parameters: Result<Query<Parameters>, QueryRejection>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Failure> {
    refuse_foreign_socket(&headers, app.config.cors.as_ref().map(|cors| cors.origin.as_str()))?;
    let Query(parameters) = parameters.map_err(|rejection| Failure::bad_request(rejection.body_text()))?;
    let upgrade = upgrade.map_err(|rejection| Failure::bad_request(format!("This is for WebSockets: {}", rejection.body_text())))?;
    Ok(upgrade.on_upgrade(move |socket| serve(app, parameters, socket)))
}

/// Why a connection ends.
enum End {
    Done,
    Failed(Failure),
    /// The client has gone, or does not take what it is sent.
    Gone,
}

impl<T: Into<Failure>> From<T> for End {
    fn from(failure: T) -> Self {
        End::Failed(failure.into())
    }
}

async fn serve(app: Arc<App>, parameters: Parameters, socket: WebSocket) {
    let mut client = Client { socket, patience: app.config.push_stall_timeout, until: life(&app) };
    let end = match answer(&app, parameters, &mut client).await {
        Ok(()) => End::Done,
        Err(end) => end,
    };
    client.close(end).await;
}

/// When a connection that is opened now must end.
fn life(app: &App) -> Option<Instant> {
    let ms = app.config.values().get("ksql.websocket.connection.max.timeout.ms")?.parse().ok()?;
    Instant::now().checked_add(Duration::from_millis(ms)).filter(|_| ms > 0)
}

async fn answer(app: &App, parameters: Parameters, client: &mut Client) -> Result<(), End> {
    let ready = app.ready()?;
    if let Some(version) = parameters.version.filter(|version| version != "1") {
        return Err(Failure::bad_request(format!("Version '{version}' is not known; 1 is")).into());
    }
    let KsqlRequest { ksql: text, streams_properties: properties, session_variables: variables, command_sequence_number: after, .. } =
        parse(parameters.request.as_bytes())?;
    require("ksql", &text)?;
    match start(app, ready, Asked { text, properties, variables, after }).await? {
        QueryAnswer::Push(answer) => push(answer, client).await,
        QueryAnswer::Pull(rows) => pull(Pulled::begin(app, rows).await?, client).await,
        QueryAnswer::Print(printer) => {
            let _thread = app.print_thread()?;
            print(printer, client).await
        }
    }
}

async fn push(mut answer: PushAnswer, client: &mut Client) -> Result<(), End> {
    client.head(&answer.schema).await?;
    loop {
        match client.while_there(answer.next()).await? {
            PushNext::Rows { columns, deleted } => {
                for (row, _) in deleted.into_iter().enumerate().filter(|(_, deleted)| !deleted) {
                    client.row(row_cells(&columns, row)).await?;
                }
            }
            PushNext::LimitReached | PushNext::Ended(PushEnd::Closed | PushEnd::Completed) => return Ok(()),
            PushNext::Ended(PushEnd::Stalled) => return Err(Failure(stalled()).into()),
            PushNext::Ended(PushEnd::Failed(why)) => return Err(Failure::new(ErrorCode::SERVER_ERROR, why).into()),
        }
    }
}

async fn pull(mut pulled: Pulled, client: &mut Client) -> Result<(), End> {
    client.head(&pulled.schema).await?;
    loop {
        match client.while_there(pulled.next()).await? {
            PulledNext::Rows(batch) => {
                for row in 0..batch.rows {
                    client.row(row_cells(&batch.columns, row)).await?;
                }
            }
            PulledNext::Failed(error) => return Err(Failure(error).into()),
            PulledNext::End => return Ok(()),
        }
    }
}

/// Lines of text; the reader blocks, a moment at a time.
async fn print(mut printer: Printer, client: &mut Client) -> Result<(), End> {
    loop {
        let read = blocking(move || (printer.next_lines(), printer));
        let (lines, back) = client.while_there(read).await??;
        printer = back;
        let Some(lines) = lines.map_err(Failure::from)? else { return Ok(()) };
        for line in lines {
            client.json(&line).await?;
        }
    }
}

/// The other side.
struct Client {
    socket: WebSocket,
    /// How long it may leave a frame.
    patience: Duration,
    /// When its time is over.
    until: Option<Instant>,
}

impl Client {
    async fn head(&mut self, schema: &Schema) -> Result<(), End> {
        self.json(&field_infos(&schema.columns)).await
    }

    async fn row(&mut self, cells: Vec<Cell>) -> Result<(), End> {
        self.json(&StreamedRow::row(cells)).await
    }

    async fn json(&mut self, value: &impl Serialize) -> Result<(), End> {
        self.send(serde_json::to_string(value).unwrap_or_default()).await
    }

    async fn send(&mut self, text: String) -> Result<(), End> {
        match timeout(self.patience, self.socket.send(Message::Text(text.into()))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(End::Gone),
        }
    }

    /// Waits for something as long as the client is there and its time is not over. What it sends has no meaning here.
    async fn while_there<T>(&mut self, wanted: impl Future<Output = T>) -> Result<T, End> {
        let mut wanted = std::pin::pin!(wanted);
        let until = self.until;
        let gone = async {
            while let Some(Ok(message)) = self.socket.recv().await {
                if matches!(message, Message::Close(_)) {
                    break;
                }
            }
        };
        let either = async {
            tokio::select! {
                found = &mut wanted => Ok(found),
                () = gone => Err(End::Gone),
            }
        };
        match until {
            None => either.await,
            Some(until) => timeout_at(until, either).await.unwrap_or_else(|_| {
                let text = "The connection has lasted as long as ksql.websocket.connection.max.timeout.ms allows; open another one";
                Err(End::Failed(Failure::new(ErrorCode::TOO_MANY_REQUESTS, text)))
            }),
        }
    }

    /// Says why it ends, and ends it.
    async fn close(mut self, end: End) {
        let (error, code, reason) = match end {
            End::Gone => return,
            End::Done => ("done".to_owned(), close_code::NORMAL, "done".to_owned()),
            End::Failed(Failure(error)) => (error.message().to_owned(), code(&error), reason(error.message()).to_owned()),
        };
        #[derive(Serialize)]
        struct Last {
            error: String,
        }
        if self.json(&Last { error }).await.is_ok() {
            let frame = CloseFrame { code, reason: Utf8Bytes::from(reason) };
            // A client that has gone needs no goodbye.
            let _ = timeout(self.patience, self.socket.send(Message::Close(Some(frame)))).await;
        }
    }
}

/// The code of the close frame for an error.
fn code(error: &ErrorBody) -> u16 {
    match error.code() {
        ErrorCode::MAX_PUSH_QUERIES | ErrorCode::TOO_MANY_REQUESTS => close_code::AGAIN,
        code if code.status() == 503 => close_code::AGAIN,
        code if code.status() >= 500 => close_code::ERROR,
        _ => close_code::UNSUPPORTED,
    }
}

/// As much of a text as a close frame holds.
fn reason(text: &str) -> &str {
    text.get(..text.floor_char_boundary(REASON)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_codes_of_the_protocol() {
        let cases = [
            (ErrorCode::BAD_REQUEST, 1003),
            (ErrorCode::BAD_STATEMENT, 1003),
            (ErrorCode::SERVER_ERROR, 1011),
            (ErrorCode::NOT_READY, 1013),
            (ErrorCode::SHUTTING_DOWN, 1013),
            (ErrorCode::MAX_PUSH_QUERIES, 1013),
            (ErrorCode::TOO_MANY_REQUESTS, 1013),
        ];
        for (error, expected) in cases {
            assert_eq!(code(&ErrorBody::generic(error, "why")), expected, "{error:?}");
        }
    }

    #[test]
    fn reasons_are_cut_between_characters() {
        assert_eq!(reason("short"), "short");
        assert_eq!(reason(&"é".repeat(100)).len(), 122);
        assert_eq!(reason(&"x".repeat(200)).len(), 123);
    }
}
