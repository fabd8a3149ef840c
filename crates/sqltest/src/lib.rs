//! Runs `sql-tests/` and JSON case files in memory, through the engine, planner and runtime that serve HTTP.
//!
//! A case is prepared in a fresh engine over memory twins of Kafka ([`memory`]), its records are written, each query is
//! driven over them, and what came out is written down ([`Actual`]) before anyone looks at what was expected.

mod actual;
mod case;
#[cfg(test)]
mod differential;
mod error;
mod json;
mod judge;
mod memory;
mod options;
mod records;
mod report;
mod run;
mod sql_file;

pub use actual::{Actual, ActualError, ActualRecord, ActualSource};
pub use error::SqlTestError;
pub use options::{Mode, Options};
pub use report::{Summary, run};
