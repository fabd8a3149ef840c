//! What can fail while telemetry is set up.

/// Why telemetry could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The filter in `FLUMEN_LOG` is not one.
    #[error("FLUMEN_LOG: '{filter}' is not a log filter ({reason}); write for instance info, or info,flumen_worker=debug")]
    Filter {
        /// The filter as given.
        filter: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Another subscriber was set before.
    #[error("logging was set up twice in this process")]
    Twice,
    /// The system refused a thread.
    #[error("thread {name} cannot be started: {error}")]
    Thread {
        /// The thread's name.
        name: String,
        /// What the system said.
        error: std::io::Error,
    },
}
