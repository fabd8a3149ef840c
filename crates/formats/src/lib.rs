//! Bytes to Arrow and back, for each format.
//!
//! A [`Decoder`] appends records to Arrow builders and gives one array per wanted column; an [`Encoder`] is bound to a
//! chunk's arrays and writes row by row into the caller's buffer. Which format a topic has, and what a format can hold, is
//! described by [`FormatSpec`] and [`supports`] of crate `types`, re-exported here.

mod bound;
mod builders;
mod decode;
mod delimited;
mod encode;
mod error;
mod json;
mod kafka;
mod number;
mod windowed;

pub use decode::Decoder;
pub use encode::{BoundEncoder, Encoder};
pub use error::{DecodeError, EncodeError};
pub use flumen_types::{Format, FormatError, FormatSpec, parse_delimiter, supports};
pub use windowed::{session_key, split_session_key, split_time_key, time_key};

/// Whether a record's key or value is there at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// No bytes: a null key, or a tombstone when it is the value.
    Null,
    /// Some bytes, maybe of length 0.
    Value,
}
