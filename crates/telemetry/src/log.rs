//! Log lines on standard error, filtered by `FLUMEN_LOG`.

use crate::TelemetryError;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// The form of a log line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Sets up logging for the process. The environment variable `FLUMEN_LOG` holds the filter, such as
/// `info,flumen_worker=debug`; without it `default` counts.
///
/// # Errors
/// When the filter cannot be read, or logging was set up before.
pub fn init(format: Format, default: &str) -> Result<(), TelemetryError> {
    let text = std::env::var("FLUMEN_LOG").ok().filter(|t| !t.trim().is_empty()).unwrap_or_else(|| default.to_owned());
    let filter = EnvFilter::try_new(&text).map_err(|error| TelemetryError::Filter { filter: text, reason: error.to_string() })?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    let set = match format {
        Format::Text => builder.try_init(),
        Format::Json => builder.json().try_init(),
    };
    set.map_err(|_| TelemetryError::Twice)
}
