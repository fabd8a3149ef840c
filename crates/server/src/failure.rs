//! Errors as answers: which code, which status, which body.

use std::fmt;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use flumen_api::{Entity, ErrorBody, ErrorCode};
use flumen_engine::{EngineError, ErrorKind};

/// A request that failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure(pub ErrorBody);

impl Failure {
    /// A failure that is not about a statement.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self(ErrorBody::generic(code, message))
    }

    /// The request is wrong.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::BAD_REQUEST, message)
    }

    /// A failure of the engine, after the statements of the same request that were executed.
    pub fn after(entities: Vec<Entity>, error: EngineError) -> Self {
        let error_code = code(error.kind);
        match error.statement {
            Some(statement_text) => Self(ErrorBody::Statement { error_code, message: error.message, statement_text, entities }),
            None => Self::new(error_code, error.message),
        }
    }
}

/// The code of a kind of error.
fn code(kind: ErrorKind) -> ErrorCode {
    match kind {
        ErrorKind::BadRequest => ErrorCode::BAD_REQUEST,
        ErrorKind::BadStatement | ErrorKind::Unsupported => ErrorCode::BAD_STATEMENT,
        ErrorKind::QueryEndpoint => ErrorCode::QUERY_ENDPOINT,
        ErrorKind::TooMany => ErrorCode::MAX_PUSH_QUERIES,
        ErrorKind::AssertFailed => ErrorCode::FAILED_ASSERTION,
        ErrorKind::NoRegistry => ErrorCode::REGISTRY_NOT_CONFIGURED,
        ErrorKind::NotReady => ErrorCode::NOT_READY,
        ErrorKind::NotApplied => ErrorCode::COMMAND_TIMEOUT,
        ErrorKind::Unavailable | ErrorKind::Internal => ErrorCode::SERVER_ERROR,
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::after(Vec::new(), error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.message())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let code = self.0.code();
        if code.status() == 500 {
            tracing::warn!(code = code.0, "a request failed: {self}");
        }
        let status = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, Json(self.0)).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_become_codes_and_statuses() {
        let cases = [
            (ErrorKind::BadRequest, 40000, 400),
            (ErrorKind::BadStatement, 40001, 400),
            (ErrorKind::Unsupported, 40001, 400),
            (ErrorKind::QueryEndpoint, 40002, 400),
            (ErrorKind::TooMany, 40003, 400),
            (ErrorKind::AssertFailed, 41700, 417),
            (ErrorKind::NoRegistry, 42801, 428),
            (ErrorKind::NotReady, 50302, 503),
            (ErrorKind::NotApplied, 50301, 503),
            (ErrorKind::Internal, 50000, 500),
        ];
        for (kind, code, status) in cases {
            let failure = Failure::from(EngineError::new(kind, "why"));
            assert_eq!(failure.0, ErrorBody::generic(ErrorCode(code), "why"), "{kind:?}");
            assert_eq!(failure.into_response().status().as_u16(), status, "{kind:?}");
        }
    }

    #[test]
    fn an_error_of_a_statement_names_it_and_what_was_done_before() {
        let error = EngineError::statement("no such stream").about("SELECT 1;", 1);
        let done = Entity::new("LIST TOPICS;", flumen_api::EntityBody::KafkaTopics { topics: Vec::new() });
        let failure = Failure::after(vec![done.clone()], error);
        let expected = ErrorBody::Statement {
            error_code: ErrorCode::BAD_STATEMENT,
            message: "no such stream".to_owned(),
            statement_text: "SELECT 1;".to_owned(),
            entities: vec![done],
        };
        assert_eq!(failure.0, expected);
    }
}
