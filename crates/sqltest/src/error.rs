//! What can go wrong with case files, apart from a case that fails.

use thiserror::Error;

/// A file or folder that cannot be used.
#[derive(Debug, Error)]
pub enum SqlTestError {
    /// A path that cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The path.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// A file that is no case file.
    #[error("{path} is not a case file: {why}")]
    Case {
        /// The path.
        path: String,
        /// What is wrong.
        why: String,
    },
    /// A filter that is no regular expression.
    #[error("--filter: {0}")]
    Filter(#[from] regex::Error),
}
