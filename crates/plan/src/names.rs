//! Full names of internal topics and stores, made from a service id, a query id and a plan's relative names.

use crate::{QueryId, StoreId};

/// `_flumen-<service id>`: the prefix of every topic that is ours.
pub fn prefix(service_id: &str) -> String {
    format!("_flumen-{service_id}")
}

/// The single-partition topic that holds the commands.
pub fn command_topic(service_id: &str) -> String {
    format!("{}-command", prefix(service_id))
}

/// The topic whose partitions are the lease slots; it holds no data.
pub fn lease_topic(service_id: &str) -> String {
    format!("{}-leases", prefix(service_id))
}

/// The compacted topic of the tasks' input positions, one partition a slot.
pub fn positions_topic(service_id: &str) -> String {
    format!("{}-positions", prefix(service_id))
}

/// The consumer group that holds the leases.
pub fn lease_group(service_id: &str) -> String {
    format!("{}-leases", prefix(service_id))
}

/// The topic of a repartition step of a query.
pub fn repartition_topic(service_id: &str, query: &QueryId, topic: &str) -> String {
    format!("{}-{query}-{topic}-repartition", prefix(service_id))
}

/// The changelog topic of a store of a query.
pub fn changelog_topic(service_id: &str, query: &QueryId, store: &StoreId) -> String {
    format!("{}-{query}-{}-changelog", prefix(service_id), store.0)
}

/// The name by which a data directory knows a store; partitions are apart from it.
pub fn store_name(query: &QueryId, store: &StoreId) -> String {
    format!("{query}/{}", store.0)
}
