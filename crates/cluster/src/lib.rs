//! What makes servers one service: the command log, the leases on tasks, and who runs what.
//!
//! The command log is a Kafka topic of one partition; every server applies its records in offset order. Tasks hash to
//! slots, the partitions of a topic without data; holding a slot's lease, as a member of one consumer group, is the right
//! to run its tasks, and every commit is fenced by it.

mod error;
mod leases;
mod log;
mod slots;
mod topics;

pub use error::ClusterError;
pub use leases::{LeaseChange, Leases};
pub use log::{CommandLog, Logged};
pub use slots::slot_of;
pub use topics::ensure_topics;
