//! What the workers of a server need to know.

use std::time::Duration;

use flumen_config::{Guarantee, ServerConfig};
use flumen_kafka::ClientSettings;

/// Settings of all workers of a process.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// The service id, part of the names of internal topics.
    pub service_id: String,
    /// How the broker is reached.
    pub client: ClientSettings,
    /// This server's instance id; transactional ids are made from it.
    pub instance_id: String,
    /// Threads that run persistent queries; push queries share one more.
    pub threads: usize,
    /// At least once or exactly once.
    pub guarantee: Guarantee,
    /// How often tasks commit.
    pub commit_interval: Duration,
    /// How long a client of a push query may leave its rows unread.
    pub push_stall: Duration,
    /// Number of lease slots.
    pub slots: i32,
    /// The server's properties; those frozen in a plan win over them.
    pub config: ServerConfig,
}
