//! What can go wrong between servers and with the command log.

use flumen_catalog::CatalogError;
use flumen_kafka::KafkaError;
use thiserror::Error;

/// A fault of the cluster layer.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// Kafka refused or failed.
    #[error(transparent)]
    Kafka(#[from] KafkaError),
    /// A command that does not write or read.
    #[error("command log: {0}")]
    Command(#[from] CatalogError),
    /// A record of the command log is too large to be sent.
    #[error("the statement is too large for the command log: {0}")]
    TooLarge(String),
    /// Another server is a member already.
    #[error(
        "another server (instance {instance}) runs the service '{service}'; this version runs one server for a service id. \
         Stop the other one, or give this server a ksql.service.id of its own"
    )]
    SecondServer {
        /// The service id.
        service: String,
        /// The other's instance id.
        instance: String,
    },
    /// The leases were not granted in time.
    #[error("the leases of service '{0}' were not granted within {1} s; is the broker's group coordinator available?")]
    NotGranted(String, u64),
    /// A thread could not be started.
    #[error(transparent)]
    Thread(#[from] flumen_telemetry::TelemetryError),
}
