//! What can go wrong with an expression before a row is seen.

use flumen_types::TypeError;
use thiserror::Error;

/// Why an expression cannot be typed, compiled or run at all. Errors of single rows are [`crate::Failures`] instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ExprError {
    /// The user's expression is wrong; the text says what and what would be right.
    #[error("{0}")]
    User(String),
    /// A correct expression that cannot be evaluated yet; the text names the feature.
    #[error("unsupported: {0}")]
    Unsupported(String),
}

impl ExprError {
    /// A user's error of this text.
    pub fn user(text: impl Into<String>) -> Self {
        ExprError::User(text.into())
    }

    /// A missing feature of this name.
    pub fn unsupported(text: impl Into<String>) -> Self {
        ExprError::Unsupported(text.into())
    }
}

impl From<TypeError> for ExprError {
    fn from(error: TypeError) -> Self {
        ExprError::User(error.to_string())
    }
}
