//! Requests to a server.

use crate::CliError;
use flumen_api::{CloseQuery, ErrorBody, Info, KsqlRequest, QueryStreamArgs, media};
use reqwest::header::ACCEPT;
use reqwest::{RequestBuilder, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::error::Error;
use std::time::Duration;

/// How much of an answer that is not understood is shown, in characters.
const SHOWN: usize = 300;

/// A server, by its address.
pub struct Client {
    http: reqwest::Client,
    url: String,
    login: Option<Login>,
}

/// Who asks.
pub enum Login {
    /// A name and a password.
    User(String, String),
    /// A bearer token.
    Token(String),
}

impl Client {
    /// A client; nothing is sent yet.
    pub fn new(url: &str, login: Option<Login>) -> Result<Self, CliError> {
        let http = reqwest::Client::builder().connect_timeout(Duration::from_secs(10)).build();
        let http = http.map_err(|error| unreachable(url, &error))?;
        let mut client = Self { http, url: String::new(), login };
        client.go_to(url);
        Ok(client)
    }

    /// Turns to another server.
    pub fn go_to(&mut self, url: &str) {
        let scheme = if url.contains("://") { "" } else { "http://" };
        self.url = format!("{scheme}{}", url.trim_end_matches('/'));
    }

    /// The server's address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Who the server is.
    pub async fn info(&self) -> Result<Info, CliError> {
        let answer = self.send(self.http.get(self.at("/info"))).await?;
        self.json(answer).await
    }

    /// Runs statements. Answers of a kind that this shell does not know are kept as they are.
    pub async fn statements(&self, request: &KsqlRequest) -> Result<Vec<Value>, CliError> {
        let answer = self.post("/ksql", media::KSQL_V1, request).await?;
        self.json(answer).await
    }

    /// Starts a query; its rows are the body of the answer.
    pub async fn query(&self, request: &KsqlRequest) -> Result<Response, CliError> {
        self.post("/query", media::KSQL_V1, request).await
    }

    /// Starts to print a topic; its lines are the body of the answer.
    pub async fn print(&self, request: &QueryStreamArgs) -> Result<Response, CliError> {
        self.post("/query-stream", media::DELIMITED_V1, request).await
    }

    /// Ends a push query. The end of the connection ends it too, so a failure here does no harm.
    pub async fn close(&self, query_id: &str) -> Result<(), CliError> {
        self.post("/close-query", media::JSON, &CloseQuery { query_id: query_id.to_owned() }).await.map(|_| ())
    }

    /// Whether the server knows a property. A server without this question knows all.
    pub async fn knows_property(&self, name: &str) -> Result<bool, CliError> {
        let mut url = self.at("/is_valid_property/");
        url.extend(name.bytes().map(|b| match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => char::from(b).to_string(),
            other => format!("%{other:02X}"),
        }));
        let answer = self.authorized(self.http.get(url)).send().await.map_err(|error| unreachable(&self.url, &error))?;
        match answer.status() {
            StatusCode::NOT_FOUND => Ok(true),
            status if status.is_success() => Ok(true),
            _ => Err(self.refusal(answer).await),
        }
    }

    async fn post(&self, path: &str, accept: &str, body: &impl Serialize) -> Result<Response, CliError> {
        self.send(self.http.post(self.at(path)).header(ACCEPT, accept).json(body)).await
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, CliError> {
        let answer = self.authorized(request).send().await.map_err(|error| unreachable(&self.url, &error))?;
        if answer.status().is_success() { Ok(answer) } else { Err(self.refusal(answer).await) }
    }

    fn authorized(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.login {
            Some(Login::User(user, password)) => request.basic_auth(user, Some(password)),
            Some(Login::Token(token)) => request.bearer_auth(token),
            None => request,
        }
    }

    async fn json<T: DeserializeOwned>(&self, answer: Response) -> Result<T, CliError> {
        let status = answer.status();
        let text = answer.text().await.map_err(|error| unreachable(&self.url, &error))?;
        serde_json::from_str(&text).map_err(|_| self.unknown(status, &text))
    }

    async fn refusal(&self, answer: Response) -> CliError {
        let status = answer.status();
        match answer.text().await {
            Ok(text) => match serde_json::from_str::<ErrorBody>(&text) {
                Ok(error) => CliError::Refused(error),
                Err(_) => self.unknown(status, &text),
            },
            Err(error) => unreachable(&self.url, &error),
        }
    }

    fn unknown(&self, status: StatusCode, text: &str) -> CliError {
        CliError::Answer { url: self.url.clone(), status: status.as_u16(), text: text.chars().take(SHOWN).collect() }
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }
}

/// The innermost cause says what happened; the outer ones only that a request was sent.
pub fn unreachable(url: &str, error: &reqwest::Error) -> CliError {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    CliError::Unreachable { url: url.to_owned(), reason: cause.to_string() }
}
