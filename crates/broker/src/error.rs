//! Why the broker could not start or go on.

use std::path::PathBuf;

/// A failure of the broker as a whole; failures of single requests are answered with Kafka's error codes.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    /// The operating system refused something in the data directory.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// Another process uses the data directory.
    #[error("the data directory {path} is in use by process {pid}; stop it or choose another directory")]
    Locked {
        /// The directory.
        path: PathBuf,
        /// Id of the other process, as it wrote it.
        pid: String,
    },
    /// The data directory was written by another version.
    #[error("the data directory {path} has format {found}, this program reads format {expected}")]
    Version {
        /// The directory.
        path: PathBuf,
        /// As found.
        found: String,
        /// As needed.
        expected: u32,
    },
    /// A stored value cannot be read although its checksum is right.
    #[error("{path} holds a value that cannot be read: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: &'static str,
    },
    /// Transactions that were being ended could not be finished.
    #[error("transactions left by the last run cannot be finished: {0}")]
    Recovery(String),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The broker's own thread could not be started or ended early.
    #[error("the broker's thread failed: {0}")]
    Thread(String),
}

impl BrokerError {
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}
