//! Why a command cannot be applied.

use flumen_plan::PlanError;
use thiserror::Error;

/// A command that does not fit the catalog, or that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CatalogError {
    /// The user's statement is refused; the text says why and what to do.
    #[error("{0}")]
    Refused(String),
    /// Bytes that are not a command this program can read.
    #[error(transparent)]
    Persisted(#[from] PlanError),
}

impl CatalogError {
    pub(crate) fn refused(text: impl Into<String>) -> Self {
        CatalogError::Refused(text.into())
    }
}
