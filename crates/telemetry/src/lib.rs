//! How a server shows what it does: log lines, metrics, and threads with names.

mod error;
mod log;
mod metrics;
mod readings;
mod thread;

pub use error::TelemetryError;
pub use log::{Format, init};
pub use metrics::{Metrics, QueryMetrics, TopicLabels};
pub use prometheus_client::metrics::{counter::Counter, gauge::Gauge, histogram::Histogram};
pub use readings::{Reading, Readings};
pub use thread::spawn;
