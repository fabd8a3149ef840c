//! Queries: rows shown as they arrive, until the query ends, a limit is reached or Ctrl-C is pressed.

use super::Session;
use crate::CliError;
use crate::client::unreachable;
use crate::pieces::{Lines, Objects};
use crate::render::Rows;
use crate::screen::{say, show};
use flumen_api::{ErrorBody, QueryStreamArgs, StreamedRow};
use reqwest::Response;
use tokio::time::Instant;

/// Why reading an answer stopped.
enum Stop {
    /// The server ended it.
    End,
    /// Ctrl-C.
    Interrupt,
    /// The time the user allows is over.
    Timeout,
    /// The number of rows the user allows is there.
    RowLimit,
}

impl Session {
    /// Runs a SELECT and shows its rows.
    pub(super) async fn query(&mut self, text: &str) -> Result<(), CliError> {
        let request = self.request(text);
        let answer = tokio::select! {
            answer = self.client.query(&request) => answer?,
            _ = tokio::signal::ctrl_c() => return Ok(()),
        };
        let mut objects = Objects::default();
        let mut rows = Rows::new(self.output(), self.render.layout);
        let limit = self.row_limit;
        let stop = self
            .read(answer, |bytes| {
                for object in objects.push(bytes) {
                    row(&mut rows, &object)?;
                    if limit.is_some_and(|limit| rows.count() >= limit) {
                        return Ok(true);
                    }
                }
                Ok(false)
            })
            .await?;
        show(&rows.end())?;
        if let (Stop::Interrupt | Stop::Timeout | Stop::RowLimit, Some(id)) = (&stop, rows.query_id()) {
            // The connection is closed already, and that ends the query too.
            let _ended_by_the_connection = self.client.close(id).await;
        }
        said(&stop)
    }

    /// Runs a PRINT and shows its lines.
    pub(super) async fn print(&mut self, text: &str) -> Result<(), CliError> {
        let request = QueryStreamArgs {
            sql: text.to_owned(),
            properties: self.properties.clone(),
            session_variables: self.session_variables(),
            ..QueryStreamArgs::default()
        };
        let answer = tokio::select! {
            answer = self.client.print(&request) => answer?,
            _ = tokio::signal::ctrl_c() => return Ok(()),
        };
        let mut lines = Lines::default();
        let stop = self
            .read(answer, |bytes| {
                for line in lines.push(bytes) {
                    if let Ok(error) = serde_json::from_str::<ErrorBody>(&line) {
                        return Err(CliError::Refused(error));
                    }
                    say(&line)?;
                }
                Ok(false)
            })
            .await?;
        said(&stop)
    }

    /// Hands the body of an answer to `take` as it arrives, until that says that it has enough. Returning drops the answer,
    /// and with it the connection.
    async fn read(&self, mut answer: Response, mut take: impl FnMut(&[u8]) -> Result<bool, CliError>) -> Result<Stop, CliError> {
        let deadline = self.timeout.map(|timeout| Instant::now() + timeout);
        loop {
            let part = tokio::select! {
                part = answer.chunk() => part.map_err(|error| unreachable(self.client.url(), &error))?,
                _ = tokio::signal::ctrl_c() => return Ok(Stop::Interrupt),
                () = until(deadline) => return Ok(Stop::Timeout),
            };
            let Some(bytes) = part else { return Ok(Stop::End) };
            if take(&bytes)? {
                return Ok(Stop::RowLimit);
            }
        }
    }
}

/// Shows one element of the answer to a query.
fn row(rows: &mut Rows, object: &str) -> Result<(), CliError> {
    let Ok(element) = serde_json::from_str::<StreamedRow>(object) else {
        return match serde_json::from_str::<ErrorBody>(object) {
            Ok(error) => Err(CliError::Refused(error)),
            Err(_) => Ok(()),
        };
    };
    if let Some(error) = element.error_message {
        return Err(CliError::Refused(error));
    }
    show(&rows.add(&element, object))
}

fn said(stop: &Stop) -> Result<(), CliError> {
    match stop {
        Stop::End | Stop::RowLimit => Ok(()),
        Stop::Interrupt => say("Query terminated"),
        Stop::Timeout => say("Query timed out"),
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
