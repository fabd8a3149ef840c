//! What a server tells about itself.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Body of `GET /info`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    /// The one field.
    #[serde(rename = "KsqlServerInfo")]
    pub server: ServerInfo,
}

/// Which server this is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    /// The version whose protocol it speaks.
    pub version: String,
    /// The Kafka cluster.
    pub kafka_cluster_id: String,
    /// The service.
    pub ksql_service_id: String,
    /// `RUNNING`, `DEGRADED`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_status: Option<String>,
}

/// Body of `GET /healthcheck`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// True if every part is well.
    pub is_healthy: bool,
    /// The parts: `metastore`, `kafka`, `commandRunner`.
    pub details: BTreeMap<String, HealthDetail>,
    /// How far the server is in its life.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_state: Option<ServerState>,
}

/// One part of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HealthDetail {
    /// True if it is well.
    pub is_healthy: bool,
}

/// How far a server is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ServerState {
    /// Starting: only probes are answered.
    Initializing,
    /// At work.
    Ready,
    /// Stopping.
    Terminating,
    /// Stopped.
    Terminated,
}

/// Body of `GET /status`: every command with its state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandStatuses {
    /// By command id.
    pub command_statuses: BTreeMap<String, crate::CommandState>,
}
