//! What can go wrong around a task.

use flumen_config::ConfigError;
use flumen_kafka::{ErrorKind, KafkaError};
use flumen_plan::PlanError;
use flumen_runtime::RuntimeError;
use flumen_state::StateError;
use flumen_telemetry::TelemetryError;
use thiserror::Error;

/// A fault while a query is started or run. The texts are shown in the query's status.
#[derive(Debug, Error)]
pub enum WorkerError {
    /// Kafka refused or failed.
    #[error(transparent)]
    Kafka(#[from] KafkaError),
    /// The state failed.
    #[error(transparent)]
    State(#[from] StateError),
    /// A task failed.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// Persisted positions do not read.
    #[error(transparent)]
    Persisted(#[from] PlanError),
    /// A property frozen in a plan does not read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A thread could not be started.
    #[error(transparent)]
    Thread(#[from] TelemetryError),
    /// A topic that a query reads or writes is missing.
    #[error("topic '{0}' does not exist; create it, and the query goes on")]
    MissingTopic(String),
    /// The right to run these tasks was lost.
    #[error("the lease was lost: {0}")]
    LeaseLost(String),
    /// The server is shutting down.
    #[error("the server is shutting down")]
    Closing,
}

impl WorkerError {
    /// Whose fault it is, as users see it: USER, SYSTEM or UNKNOWN.
    pub(crate) fn class(&self) -> &'static str {
        match self {
            Self::MissingTopic(_) | Self::Config(_) => "USER",
            Self::Runtime(RuntimeError::Record { .. } | RuntimeError::Write { .. } | RuntimeError::Format(_)) => "USER",
            Self::Kafka(error) => match error.kind {
                ErrorKind::NotFound | ErrorKind::Denied | ErrorKind::Invalid => "USER",
                _ => "SYSTEM",
            },
            Self::State(_) | Self::LeaseLost(_) | Self::Closing | Self::Thread(_) => "SYSTEM",
            Self::Runtime(_) | Self::Persisted(_) => "UNKNOWN",
        }
    }
}
