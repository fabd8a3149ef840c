//! Reading requests: bodies, sessions, and calls that block.

use std::sync::Arc;

use axum::extract::rejection::{BytesRejection, FailedToBufferBody};
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Path, Request};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN};
use axum::http::request::Parts;
use bytes::Bytes;
use flumen_api::{ErrorCode, Values, values_as_text};
use flumen_config::ServerConfig;
use flumen_engine::Session;
use serde::de::DeserializeOwned;

use crate::app::{App, Ready};
use crate::failure::Failure;

/// A request body of JSON.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Json<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Failure> {
        let allowed = app.config.cors.as_ref().map(|cors| cors.origin.as_str());
        refuse_foreign_form(request.headers(), allowed)?;
        let bytes = read(request, app.config.http_max_body_bytes).await?;
        parse(&bytes).map(Json)
    }
}

/// Parts of the path.
#[derive(Debug)]
pub struct InPath<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<App>> for InPath<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Failure> {
        let found = Path::from_request_parts(parts, app).await;
        found.map(|Path(parts)| Self(parts)).map_err(|rejection| Failure::bad_request(rejection.body_text()))
    }
}

/// The engine, or the answer that it is not there.
impl FromRequestParts<Arc<App>> for Ready {
    type Rejection = Failure;

    async fn from_request_parts(_: &mut Parts, app: &Arc<App>) -> Result<Self, Failure> {
        app.ready()
    }
}

/// A page of another site can make a browser post a form or plain text without asking; it must not run statements so.
pub fn refuse_foreign_form(headers: &HeaderMap, allowed: Option<&str>) -> Result<(), Failure> {
    let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
    if allowed == Some("*") || allowed.is_some_and(|allowed| origin == allowed) {
        return Ok(());
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.to_ascii_lowercase().contains("json") {
        return Ok(());
    }
    Err(Failure::new(ErrorCode(41500), "A browser must send the content type application/json"))
}

/// Browsers let a page of any site open a WebSocket and read from it; only pages of this server and of the allowed site may.
pub fn refuse_foreign_socket(headers: &HeaderMap, allowed: Option<&str>) -> Result<(), Failure> {
    let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
    let site = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, site)| site);
    let own = site.is_some() && site == headers.get(HOST).and_then(|host| host.to_str().ok());
    if own || allowed == Some("*") || allowed.is_some_and(|allowed| origin == allowed) {
        return Ok(());
    }
    Err(Failure::new(ErrorCode::FORBIDDEN, "Pages of another site may not query; access.control.allow.origin can allow theirs"))
}

/// Refuses a request whose statement is missing, with the name of its field.
pub fn require(field: &str, text: &str) -> Result<(), Failure> {
    match text.trim().is_empty() {
        true => Err(Failure::new(ErrorCode::BAD_STATEMENT, format!("The request holds no statement; send it in the field \"{field}\""))),
        false => Ok(()),
    }
}

async fn read(mut request: Request, limit: usize) -> Result<Bytes, Failure> {
    DefaultBodyLimit::max(limit).apply(&mut request);
    Bytes::from_request(request, &()).await.map_err(|rejection| match rejection {
        BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_)) => {
            let text = format!("The request body is larger than the {limit} bytes that flumen.http.max.body.bytes allows");
            Failure::new(ErrorCode::TOO_LARGE, text)
        }
        other => Failure::bad_request(format!("The request body could not be read: {other}")),
    })
}

/// Reads a body's JSON.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Failure::bad_request(format!("The request body is not UTF-8: byte {} is wrong", error.valid_up_to())))?;
    if text.trim().is_empty() {
        return Err(Failure::bad_request("The request has no body; send a JSON object"));
    }
    if !text.trim_start().starts_with('{') {
        return Err(Failure::bad_request("The request body must be a JSON object"));
    }
    serde_json::from_str(text).map_err(|error| Failure::bad_request(format!("Invalid JSON in the request body: {error}")))
}

/// The session of a request's properties and variables.
pub fn session(config: &ServerConfig, properties: &Values, variables: &Values) -> Result<Session, Failure> {
    let text = |what: &str, values: &Values| {
        values_as_text(values)
            .map_err(|name| Failure::bad_request(format!("The value of {what} '{name}' must be text, a number or a boolean")))
    };
    let (properties, variables) = (text("property", properties)?, text("variable", variables)?);
    Ok(Session::new(config, &properties, &variables)?)
}

/// Runs what blocks on a thread for such things. It runs to its end even if nobody waits for it any longer.
pub async fn blocking<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(run).await.map_err(|error| {
        tracing::error!(%error, "a request failed by a fault of the server");
        Failure::new(ErrorCode::SERVER_ERROR, "The server has failed at this request; its log says more")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use flumen_api::KsqlRequest;
    use serde_json::json;

    #[test]
    fn bodies_that_are_no_json_are_refused_with_the_place() {
        let refused = |bytes: &[u8]| parse::<KsqlRequest>(bytes).unwrap_err().0;
        let cases: [(&[u8], &str); 6] = [
            (b"", "no body"),
            (b"{\"ksql\": \"\xff\"}", "not UTF-8: byte 10"),
            (b"{\"ksql\": ", "line 1 column 9"),
            (b"{\"ksql\": 5}", "expected a string"),
            (b"{}x", "Invalid JSON"),
            (b"[]", "must be a JSON object"),
        ];
        for (bytes, part) in cases {
            let error = refused(bytes);
            assert_eq!(error.code(), ErrorCode::BAD_REQUEST);
            assert!(error.message().contains(part), "{}", error.message());
        }
        assert!(parse::<KsqlRequest>(b"{\"ksql\": \"SHOW TOPICS;\", \"unknown\": 1}").is_ok());
    }

    #[tokio::test]
    async fn large_bodies_are_refused() {
        let request = |text: &'static str| Request::new(Body::from(text));
        assert_eq!(read(request("12345"), 5).await.unwrap().as_ref(), b"12345");
        assert_eq!(read(request("123456"), 5).await.unwrap_err().0.code(), ErrorCode::TOO_LARGE);
    }

    #[test]
    fn forms_of_other_sites_are_refused() {
        let headers = |pairs: &[(&'static str, &str)]| {
            pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect::<HeaderMap>()
        };
        let site = ("origin", "http://evil.example");
        assert!(refuse_foreign_form(&headers(&[("content-type", "text/plain")]), None).is_ok());
        assert!(refuse_foreign_form(&headers(&[site, ("content-type", "application/json")]), None).is_ok());
        assert!(refuse_foreign_form(&headers(&[site, ("content-type", "text/plain")]), None).is_err());
        assert!(refuse_foreign_form(&headers(&[site]), Some("http://good.example")).is_err());
        assert!(refuse_foreign_form(&headers(&[site]), Some("http://evil.example")).is_ok());
        assert!(refuse_foreign_form(&headers(&[site]), Some("*")).is_ok());
    }

    #[test]
    fn sockets_of_other_sites_are_refused() {
        let opens = |origin: Option<&str>, allowed: Option<&str>| {
            let mut headers = HeaderMap::from_iter([(HOST, "flumen.example:8088".parse().unwrap())]);
            headers.extend(origin.map(|origin| (ORIGIN, origin.parse().unwrap())));
            refuse_foreign_socket(&headers, allowed).is_ok()
        };
        assert!(opens(None, None) && opens(Some("http://flumen.example:8088"), None));
        assert!(!opens(Some("http://evil.example"), None) && !opens(Some("null"), None));
        assert!(opens(Some("http://good.example"), Some("http://good.example")) && opens(Some("http://any.example"), Some("*")));
        assert!(!opens(Some("http://evil.example"), Some("http://good.example")));
    }

    #[test]
    fn properties_are_checked() {
        let config = ServerConfig::from_pairs([]).unwrap();
        let values = |value: serde_json::Value| serde_json::from_value::<Values>(value).unwrap();
        let none = Values::new();
        let made = session(&config, &values(json!({"auto.offset.reset": "earliest"})), &values(json!({"n": 5}))).unwrap();
        assert_eq!(made.properties["ksql.streams.auto.offset.reset"], "earliest");
        assert_eq!(made.variables["N"], "5");
        for wrong in [json!({"no.such.thing": 1}), json!({"auto.offset.reset": ["earliest"]}), json!({"ksql.service.id": "x"})] {
            let failure = session(&config, &values(wrong.clone()), &none).unwrap_err();
            assert_eq!(failure.0.code(), ErrorCode::BAD_REQUEST, "{wrong}");
        }
    }
}
