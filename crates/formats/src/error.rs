//! What can go wrong with the bytes of one record.

use thiserror::Error;

/// A record whose bytes do not read as its columns. The reason names what was found and where, never the value itself.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct DecodeError {
    /// The column, with the path inside it (`A->B`), where one is to blame.
    pub column: Option<String>,
    /// What is wrong, and where in the bytes if that is known.
    pub reason: String,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.column {
            Some(column) => write!(f, "column {column}: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl DecodeError {
    pub(crate) fn record(reason: impl Into<String>) -> Self {
        DecodeError { column: None, reason: reason.into() }
    }

    pub(crate) fn column(column: &str, reason: impl Into<String>) -> Self {
        DecodeError { column: Some(column.to_string()), reason: reason.into() }
    }
}

/// A row that cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// The arrays of a chunk are not those of the encoder's columns.
    #[error("column {column} is an array of {actual} where {wanted} is required")]
    WrongArray {
        /// The column's name.
        column: String,
        /// The Arrow type found.
        actual: String,
        /// The SQL type of the column.
        wanted: String,
    },
    /// A chunk with too few or too many arrays.
    #[error("{actual} arrays were given for {wanted} columns")]
    WrongCount {
        /// Arrays given.
        actual: usize,
        /// Columns of the encoder.
        wanted: usize,
    },
}
