//! Tasks and operators as pure state machines.
//!
//! A [`Task`] runs one sub-topology of a plan on one partition: it takes chunks of records and gives back an [`Outbox`] of
//! records to write, rows for a client and log entries. It does no I/O but on its own stores; time is a parameter. All it
//! remembers lives in stores or in [`flumen_plan::Positions`], so that a commit, a rollback and a restart are exact.
//! [`driver`] runs whole queries in memory, one record at a time or all at once, for tests.

mod chunk;
pub mod driver;
mod error;
mod evaluate;
mod log;
pub mod meta;
mod needs;
mod operator;
mod outbox;
mod source;
mod task;
mod time_column;

pub use chunk::{Chunk, OldRows, Origin, Windows};
pub use error::RuntimeError;
pub use log::{LogEntry, LogKind, RecordAt, Target};
pub use outbox::{OutBatch, Outbox};
pub use task::{Input, Order, Step, StepInput, Task, TaskCommit, TaskSettings};
