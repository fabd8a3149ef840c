//! What can go wrong with a statement or a query, for any front end.

use thiserror::Error;

/// The kinds of errors a front end tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request itself is wrong.
    BadRequest,
    /// The statement is wrong.
    BadStatement,
    /// Right, but not something this version can do.
    Unsupported,
    /// SELECT or PRINT where only other statements go.
    QueryEndpoint,
    /// A limit is reached.
    TooMany,
    /// An ASSERT did not hold.
    AssertFailed,
    /// A schema registry is needed and none is configured.
    NoRegistry,
    /// Kafka or another service does not answer.
    Unavailable,
    /// What is asked for is not there yet: try again.
    NotReady,
    /// The command was logged but not applied in time.
    NotApplied,
    /// A fault of the server.
    Internal,
}

/// An error of the engine; its text is for the user.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct EngineError {
    /// Its kind.
    pub kind: ErrorKind,
    /// What is wrong, where, and what to do.
    pub message: String,
    /// The statement it is about.
    pub statement: Option<String>,
    /// The number of that statement in its request, from 0.
    pub index: Option<usize>,
}

impl EngineError {
    /// An error of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        EngineError { kind, message: message.into(), statement: None, index: None }
    }

    /// A wrong statement.
    pub fn statement(message: impl Into<String>) -> Self {
        EngineError::new(ErrorKind::BadStatement, message)
    }

    /// A fault of the server.
    pub fn internal(message: impl Into<String>) -> Self {
        EngineError::new(ErrorKind::Internal, message)
    }

    /// The same error with the statement it is about.
    pub fn about(mut self, statement: &str, index: usize) -> Self {
        self.statement.get_or_insert_with(|| statement.to_string());
        self.index.get_or_insert(index);
        self
    }
}

impl From<flumen_parser::ParseError> for EngineError {
    fn from(error: flumen_parser::ParseError) -> Self {
        EngineError::statement(error.to_string())
    }
}

impl From<flumen_catalog::CatalogError> for EngineError {
    fn from(error: flumen_catalog::CatalogError) -> Self {
        let kind = match &error {
            flumen_catalog::CatalogError::Refused(_) => ErrorKind::BadStatement,
            flumen_catalog::CatalogError::Persisted(_) => ErrorKind::Internal,
        };
        EngineError::new(kind, error.to_string())
    }
}

impl From<flumen_kafka::KafkaError> for EngineError {
    fn from(error: flumen_kafka::KafkaError) -> Self {
        use flumen_kafka::ErrorKind as Kafka;
        let kind = match error.kind {
            Kafka::Unavailable | Kafka::Retriable => ErrorKind::Unavailable,
            Kafka::NotFound | Kafka::Invalid | Kafka::Config => ErrorKind::BadStatement,
            _ => ErrorKind::Internal,
        };
        let text = match error.kind {
            Kafka::Unavailable => format!("Kafka does not answer; try again when it is back ({error})"),
            _ => error.to_string(),
        };
        EngineError::new(kind, text)
    }
}

impl From<flumen_cluster::ClusterError> for EngineError {
    fn from(error: flumen_cluster::ClusterError) -> Self {
        match error {
            flumen_cluster::ClusterError::Kafka(error) => error.into(),
            flumen_cluster::ClusterError::TooLarge(_) => EngineError::statement(error.to_string()),
            other => EngineError::internal(other.to_string()),
        }
    }
}

impl From<flumen_state::StateError> for EngineError {
    fn from(error: flumen_state::StateError) -> Self {
        EngineError::internal(error.to_string())
    }
}

impl From<flumen_expr::ExprError> for EngineError {
    fn from(error: flumen_expr::ExprError) -> Self {
        match error {
            flumen_expr::ExprError::Unsupported(text) => EngineError::new(ErrorKind::Unsupported, text),
            other => EngineError::statement(other.to_string()),
        }
    }
}
