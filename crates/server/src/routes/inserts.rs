//! `/inserts-stream`: rows come as lines of one request, and each is answered when it is written.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, BodyDataStream};
use axum::extract::{Request, State};
use axum::http::Version;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::BytesMut;
use flumen_api::{ErrorBody, ErrorCode, InsertAck, InsertStatus, InsertsStreamArgs, Values, media};
use flumen_engine::{Engine, Session};
use flumen_types::Schema;
use futures::{StreamExt, stream};
use serde::Serialize;

use crate::accept;
use crate::app::{App, Ready};
use crate::failure::Failure;
use crate::insert::{identifier, statement};
use crate::request::{blocking, parse, refuse_foreign_form, session};

/// `POST /inserts-stream`.
pub async fn inserts_stream(State(app): State<Arc<App>>, ready: Ready, request: Request) -> Result<Response, Failure> {
    if request.version() < Version::HTTP_2 {
        return Err(Failure::new(ErrorCode::HTTP2_ONLY, "This endpoint is only available when using HTTP2"));
    }
    let media = accept::choose(request.headers(), &[media::DELIMITED_V1, media::JSON])?;
    refuse_foreign_form(request.headers(), app.config.cors.as_ref().map(|cors| cors.origin.as_str()))?;
    let mut lines = Lines::new(request.into_body(), app.config.http_max_body_bytes);
    let first = lines.next().await?.ok_or_else(|| Failure::bad_request("The first line must be an object with the target"))?;
    let InsertsStreamArgs { target, properties } = parse(first.as_bytes())?;
    let mut session = session(&app.config, &properties, &Values::new())?;
    // What looks like a variable in a row is data.
    session.properties.insert("ksql.variable.substitution.enable".to_owned(), "false".to_owned());
    let target = Target::find(ready.engine, session, &target)?;
    let inserts = Inserts { target: Arc::new(target), lines, array: media == media::JSON, seq: 0, done: false };
    let body = stream::unfold(inserts, |inserts| inserts.advance()).map(Ok::<_, Infallible>);
    Ok(([(CONTENT_TYPE, media)], Body::from_stream(body)).into_response())
}

/// The stream that rows go to.
struct Target {
    engine: Engine,
    session: Session,
    name: String,
    schema: Schema,
}

impl Target {
    fn find(engine: Engine, session: Session, target: &str) -> Result<Self, Failure> {
        let (name, catalog) = (identifier(target), engine.catalog());
        let Some(source) = catalog.source(&name) else {
            let text = format!("Cannot insert values into an unknown stream: {}{}", name, catalog.hint(&name));
            return Err(Failure::bad_request(text));
        };
        if source.is_table() {
            return Err(Failure::bad_request(format!("{name} is a table; rows can be inserted into streams only")));
        }
        let schema = source.schema.clone();
        Ok(Self { engine, session, name, schema })
    }

    /// Writes one row. Blocks.
    fn insert(&self, line: &str) -> Result<(), Failure> {
        let text = statement(&self.name, &self.schema, line).map_err(Failure::bad_request)?;
        match self.engine.execute(&text, &self.session).error {
            // The statement is ours and would tell the client nothing.
            Some(mut error) => {
                error.statement = None;
                Err(error.into())
            }
            None => Ok(()),
        }
    }
}

/// A request at work.
struct Inserts {
    target: Arc<Target>,
    lines: Lines,
    array: bool,
    seq: u64,
    done: bool,
}

/// The answer to a row that was not written; it is the last.
#[derive(Serialize)]
struct Refusal {
    #[serde(flatten)]
    error: ErrorBody,
    #[serde(flatten)]
    ack: InsertAck,
}

impl Inserts {
    /// Takes a row, and gives its answer.
    async fn advance(mut self) -> Option<(String, Self)> {
        if self.done {
            return None;
        }
        let outcome = match self.lines.next().await {
            Ok(Some(line)) => {
                let target = self.target.clone();
                blocking(move || target.insert(&line)).await.and_then(|inserted| inserted).map(Some)
            }
            Ok(None) => Ok(None),
            Err(failure) => Err(failure),
        };
        let mut out = String::new();
        if self.array {
            out.push_str(if self.seq == 0 { "[" } else { "" });
        }
        let answer = match outcome {
            Ok(Some(())) => serde_json::to_string(&InsertAck { status: InsertStatus::Ok, seq: self.seq }),
            Ok(None) => {
                self.done = true;
                Ok(String::new())
            }
            Err(Failure(error)) => {
                self.done = true;
                serde_json::to_string(&Refusal { error, ack: InsertAck { status: InsertStatus::Error, seq: self.seq } })
            }
        }
        .unwrap_or_default();
        if !answer.is_empty() {
            out.push_str(if self.array && self.seq > 0 { ",\n" } else { "" });
            out.push_str(&answer);
            out.push_str(if self.array { "" } else { "\n" });
        }
        if self.done && self.array {
            out.push_str("]\n");
        }
        self.seq += 1;
        Some((out, self))
    }
}

/// The lines of a request body, as they come.
struct Lines {
    body: BodyDataStream,
    buffer: BytesMut,
    /// Most bytes of a line.
    limit: usize,
    ended: bool,
}

impl Lines {
    fn new(body: Body, limit: usize) -> Self {
        Self { body: body.into_data_stream(), buffer: BytesMut::new(), limit, ended: false }
    }

    /// The next line that is not empty; `None` at the end.
    async fn next(&mut self) -> Result<Option<String>, Failure> {
        let mut searched = 0;
        loop {
            if let Some(end) = self.buffer.iter().skip(searched).position(|byte| *byte == b'\n') {
                let line = self.buffer.split_to(searched + end + 1);
                searched = 0;
                if !line.trim_ascii().is_empty() {
                    return text(&line).map(Some);
                }
                continue;
            }
            searched = self.buffer.len();
            if self.ended {
                let rest = self.buffer.split();
                return if rest.trim_ascii().is_empty() { Ok(None) } else { text(&rest).map(Some) };
            }
            match self.body.next().await {
                Some(Ok(bytes)) => self.buffer.extend_from_slice(&bytes),
                Some(Err(error)) => return Err(Failure::bad_request(format!("The request body could not be read: {error}"))),
                None => self.ended = true,
            }
            if searched > self.limit {
                let text = format!("A line is longer than the {} bytes that flumen.http.max.body.bytes allows", self.limit);
                return Err(Failure::new(ErrorCode::TOO_LARGE, text));
            }
        }
    }
}

fn text(line: &[u8]) -> Result<String, Failure> {
    let text = std::str::from_utf8(line.trim_ascii()).map_err(|_| Failure::bad_request("A line of the request is not UTF-8"))?;
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(parts: &[&'static str], limit: usize) -> Vec<Result<String, ErrorCode>> {
        let parts: Vec<_> = parts.iter().map(|part| Ok::<_, Infallible>(*part)).collect();
        let mut lines = Lines::new(Body::from_stream(stream::iter(parts)), limit);
        let mut found = Vec::new();
        loop {
            match lines.next().await {
                Ok(Some(line)) => found.push(Ok(line)),
                Ok(None) => return found,
                Err(failure) => {
                    found.push(Err(failure.0.code()));
                    return found;
                }
            }
        }
    }

    #[tokio::test]
    async fn lines_are_put_together_from_parts() {
        let ok = |lines: &[&str]| lines.iter().map(|line| Ok(line.to_string())).collect::<Vec<_>>();
        assert_eq!(lines(&["{\"a\"", ":1}\n\r\n{\"b\":2}\n", "{}"], 100).await, ok(&["{\"a\":1}", "{\"b\":2}", "{}"]));
        assert_eq!(lines(&["a\nb\n", "\n"], 100).await, ok(&["a", "b"]));
        assert_eq!(lines(&[], 100).await, ok(&[]));
    }

    #[tokio::test]
    async fn a_line_without_an_end_is_refused() {
        let found = lines(&["ok\n", "123456", "123456", "123456"], 10).await;
        assert_eq!(found, [Ok("ok".to_owned()), Err(ErrorCode::TOO_LARGE)]);
    }
}
