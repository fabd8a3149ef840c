//! What can go wrong with state.

use thiserror::Error;

/// A fault of a store or of bytes found in it.
#[derive(Debug, Clone, Error)]
pub enum StateError {
    /// The database refused or failed an operation.
    #[error("state store: {0}")]
    Database(String),
    /// The database is damaged; its stores are to be rebuilt from their changelogs.
    #[error("the state database is damaged and has to be rebuilt from the changelogs: {0}")]
    Corrupt(String),
    /// Bytes that this version does not read.
    #[error("damaged {what} in a state store: {why}")]
    Damaged {
        /// What was read.
        what: &'static str,
        /// What is wrong.
        why: String,
    },
}
