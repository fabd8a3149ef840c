//! Why the server cannot start.

/// A failure of the server as a whole; failures of single requests are answered.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// An entry of `listeners` is not a URL this server can listen on.
    #[error("cannot listen on '{url}': {reason}. Set listeners to URLs such as http://0.0.0.0:8088")]
    Listener {
        /// The entry.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The system refused an address.
    #[error("cannot listen on {url}: {source}. Stop what listens there, or set listeners to another address")]
    Bind {
        /// The entry of `listeners`.
        url: String,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A value of the `access.control.allow.*` properties cannot stand in an HTTP header.
    #[error("cannot allow '{value}' by access.control.allow.{property}: it is no such value of HTTP")]
    Cors {
        /// `origin`, `methods` or `headers`.
        property: &'static str,
        /// The value.
        value: String,
    },
    /// The queries did not stop in time.
    #[error("the queries did not stop within {0:?}; the next start takes up what they had committed")]
    Stop(std::time::Duration),
}
