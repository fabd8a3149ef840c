//! What can be wrong with persisted bytes of this crate.

use thiserror::Error;

/// Bytes that are not a plan or a positions record this version can read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlanError {
    /// No bytes, or a version this program does not know.
    #[error("{what} has version {found}, this server reads up to {known}: upgrade the server")]
    Version {
        /// What was read.
        what: &'static str,
        /// Its version byte.
        found: u8,
        /// The newest version known here.
        known: u8,
    },
    /// The body does not read.
    #[error("damaged {what}: {why}")]
    Damaged {
        /// What was read.
        what: &'static str,
        /// What is wrong.
        why: String,
    },
}
