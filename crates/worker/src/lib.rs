//! Drives tasks on Kafka: fetch, transaction, restore, retry.
//!
//! A few OS threads own all tasks and Kafka clients of a server, whatever the number of queries: each fetches, processes,
//! writes and commits for the tasks given to it. A manager thread starts, stops and retries queries; two more do what waits
//! for Kafka: topics, restoring state, cleaning up. What is committed in Kafka is the truth, local state follows it.

mod board;
mod cleanup;
mod error;
mod inlet;
mod jobs;
mod journal;
mod ledger;
mod manager;
mod prepare;
mod restore;
mod settings;
mod shared;
mod sink;
mod status;
mod thread;
mod topics;
mod workers;

pub use error::WorkerError;
pub use settings::WorkerSettings;
pub use sink::{Offer, PushEnd, PushSink, Reach};
pub use status::{QueryFault, QueryFlow, QueryState, QueryStatus, TaskProgress};
pub use workers::Workers;
