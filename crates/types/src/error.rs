//! What can go wrong with a type or a value.

use thiserror::Error;

/// A value or a type that does not fit where it was put. The texts are shown to users as they are.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TypeError {
    /// Text that does not read as the wanted type.
    #[error("cannot read '{text}' as {wanted}: {why}")]
    Unreadable {
        /// The text as given.
        text: String,
        /// The type wanted, in SQL spelling.
        wanted: String,
        /// What is wrong with it.
        why: String,
    },
    /// A time pattern that cannot be used, or not for this value.
    #[error("time pattern '{pattern}': {why}")]
    InvalidPattern {
        /// The pattern as given.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
    /// A number outside what the type can hold.
    #[error("numeric field overflow: {value} does not fit {wanted}")]
    Overflow {
        /// The number.
        value: String,
        /// The type it has to fit.
        wanted: String,
    },
    /// A value of one type where another is required.
    #[error("a value of type {actual} was given where {wanted} is required")]
    Mismatch {
        /// The type of the value.
        actual: String,
        /// The type of its place.
        wanted: String,
    },
    /// A type that cannot be made: bad precision, too many digits.
    #[error("{0}")]
    InvalidType(String),
    /// Bytes of a key that were not written by [`crate::encode_key`] with the same types.
    #[error("damaged key bytes at {at}: {why}")]
    DamagedKey {
        /// Offset into the key bytes.
        at: usize,
        /// What is wrong there.
        why: String,
    },
}

/// A format that cannot be used the way a statement asks. The texts are shown to users as they are.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FormatError {
    /// A known format that Flumen cannot read or write yet.
    #[error("format {0} is not supported yet; use JSON, DELIMITED or KAFKA")]
    Unsupported(String),
    /// A format that does not fit its columns or settings.
    #[error("{0}")]
    Invalid(String),
}
