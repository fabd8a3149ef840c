//! What can go wrong in the shell.

use flumen_api::ErrorBody;
use std::path::PathBuf;

/// Why a statement or command failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The server cannot be reached.
    #[error("cannot reach {url}: {reason}\nIs the server running? `server URL` changes the address.")]
    Unreachable {
        /// The server's address.
        url: String,
        /// The innermost cause.
        reason: String,
    },
    /// The server said no.
    #[error("{}", .0.message())]
    Refused(ErrorBody),
    /// The server's answer is not one of the API.
    #[error("the server at {url} answered with something unknown ({status}): {text}")]
    Answer {
        /// The server's address.
        url: String,
        /// The HTTP status.
        status: u16,
        /// The beginning of the answer.
        text: String,
    },
    /// A statement is wrong as it stands.
    #[error("{0}")]
    Statement(#[from] flumen_parser::ParseError),
    /// A command of the shell is wrong.
    #[error("{0}")]
    Command(String),
    /// A file cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The terminal or standard input failed.
    #[error("terminal: {0}")]
    Terminal(std::io::Error),
}
