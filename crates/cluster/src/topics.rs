//! The topics a service needs before anything runs.

use std::time::Duration;

use flumen_kafka::{Admin, NewTopic};
use flumen_plan::names;

use crate::ClusterError;

/// Creates the command, lease and positions topics of a service where they are missing.
/// `slots` is the number of lease slots, used only when the topics are made; `replication` −1 is the broker's default.
/// Returns the number of slots there are.
pub fn ensure_topics(admin: &Admin, service_id: &str, slots: i32, replication: i32, timeout: Duration) -> Result<i32, ClusterError> {
    let config = |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let forever = config(&[("cleanup.policy", "delete"), ("retention.ms", "-1"), ("retention.bytes", "-1")]);
    let leases = names::lease_topic(service_id);
    for (name, partitions, configs) in [
        (names::command_topic(service_id), 1, forever),
        (leases.clone(), slots, config(&[("cleanup.policy", "compact")])),
        (names::positions_topic(service_id), slots, config(&[("cleanup.policy", "compact")])),
    ] {
        admin.create_topic(&NewTopic { name, partitions, replication, configs }, timeout)?;
    }
    Ok(admin.describe_topic(&leases, timeout)?.map_or(slots, |t| t.partitions))
}
