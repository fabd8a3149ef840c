//! The bodies of errors and their codes.

use crate::Entity;
use serde::{Deserialize, Serialize};

/// An error's code: the HTTP status times 100 and a number of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ErrorCode(pub u32);

impl ErrorCode {
    /// The request is wrong.
    pub const BAD_REQUEST: Self = Self(40000);
    /// The statement is wrong.
    pub const BAD_STATEMENT: Self = Self(40001);
    /// SELECT or PRINT was sent to `/ksql`.
    pub const QUERY_ENDPOINT: Self = Self(40002);
    /// Too many push queries run.
    pub const MAX_PUSH_QUERIES: Self = Self(40003);
    /// The endpoint needs HTTP/2.
    pub const HTTP2_ONLY: Self = Self(40004);
    /// The endpoint is for other nodes.
    pub const INTERNAL_ONLY: Self = Self(40005);
    /// Nobody is logged in.
    pub const UNAUTHORIZED: Self = Self(40100);
    /// The user may not do this.
    pub const FORBIDDEN: Self = Self(40300);
    /// Kafka does not allow it.
    pub const FORBIDDEN_KAFKA: Self = Self(40301);
    /// There is no such thing.
    pub const NOT_FOUND: Self = Self(40400);
    /// No form of answer that the client accepts.
    pub const NOT_ACCEPTABLE: Self = Self(40600);
    /// The request body is too large.
    pub const TOO_LARGE: Self = Self(41300);
    /// An ASSERT failed.
    pub const FAILED_ASSERTION: Self = Self(41700);
    /// No Schema Registry is configured.
    pub const REGISTRY_NOT_CONFIGURED: Self = Self(42801);
    /// Too many requests.
    pub const TOO_MANY_REQUESTS: Self = Self(42900);
    /// The server is at fault.
    pub const SERVER_ERROR: Self = Self(50000);
    /// A command was not applied in time.
    pub const COMMAND_TIMEOUT: Self = Self(50301);
    /// The server, or the query whose rows are asked for, is starting.
    pub const NOT_READY: Self = Self(50302);
    /// The server is stopping.
    pub const SHUTTING_DOWN: Self = Self(50303);
    /// The cluster was terminated.
    pub const TERMINATED: Self = Self(50304);

    /// The HTTP status.
    pub fn status(self) -> u16 {
        u16::try_from(self.0 / 100).unwrap_or(500)
    }
}

/// The body of an answer that is an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "@type")]
pub enum ErrorBody {
    /// A request failed.
    #[serde(rename = "generic_error")]
    Generic {
        /// Which error.
        error_code: ErrorCode,
        /// What is wrong.
        message: String,
    },
    /// One statement of a request failed.
    #[serde(rename = "statement_error", rename_all = "camelCase")]
    Statement {
        /// Which error.
        #[serde(rename = "error_code")]
        error_code: ErrorCode,
        /// What is wrong.
        message: String,
        /// The statement.
        statement_text: String,
        /// The answers of the statements before it, which were executed.
        entities: Vec<Entity>,
    },
}

impl ErrorBody {
    /// An error without a statement.
    pub fn generic(error_code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Generic { error_code, message: message.into() }
    }

    /// Which error.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Generic { error_code, .. } | Self::Statement { error_code, .. } => *error_code,
        }
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        match self {
            Self::Generic { message, .. } | Self::Statement { message, .. } => message,
        }
    }
}
