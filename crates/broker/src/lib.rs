//! The embedded single-node server of the Kafka protocol.
//!
//! A durable broker for one machine, in process or alone. It keeps the clients' record batches verbatim in segmented logs and everything else
//! (topics, group offsets, transactions) in small durable maps. There is no replication: one node, whose log end is the high watermark.

mod api;
mod broker;
#[cfg(test)]
mod chance;
mod clock;
mod codec;
mod config;
mod datadir;
mod durable_map;
mod error;
mod groups;
mod log;
mod net;
mod node;
mod statistics;
mod thread;
mod topics;
mod txns;

pub use broker::Broker;
pub use config::{BrokerConfig, Fsync, GroupSettings, Limits, LogSettings, TransactionSettings};
pub use error::BrokerError;
pub use statistics::{ApiStatistics, Monitor, Statistics};
pub use thread::BrokerHandle;
