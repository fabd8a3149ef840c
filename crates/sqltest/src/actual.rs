//! What came out of a case, as `--actual` writes it.

use serde::Serialize;
use serde_json::value::RawValue;

/// What came out of one variant of a case.
#[derive(Debug, Serialize)]
pub struct Actual {
    /// File name.
    pub file: String,
    /// Name of the case.
    pub name: String,
    /// Format and configuration, where the case has several.
    pub variant: Option<String>,
    /// Why it ended early.
    pub error: Option<ActualError>,
    /// Every record written by statements and queries, in the order written.
    pub outputs: Vec<ActualRecord>,
    /// The sources afterwards.
    pub sources: Vec<ActualSource>,
}

/// Why a case ended early.
#[derive(Debug, Clone, Serialize)]
pub struct ActualError {
    /// Number of the statement, from 0; absent when a query failed while it ran.
    pub statement: Option<usize>,
    /// `user` or `unsupported`.
    pub kind: &'static str,
    /// The message.
    pub message: String,
}

/// A record.
#[derive(Debug, Clone, Serialize)]
pub struct ActualRecord {
    /// Topic.
    pub topic: String,
    /// Key, in the form case files use.
    pub key: Option<Box<RawValue>>,
    /// Value, in the form case files use.
    pub value: Option<Box<RawValue>>,
    /// Timestamp in milliseconds.
    pub timestamp: i64,
    /// The window its key carries.
    pub window: Option<ActualWindow>,
    /// Headers, values in base64.
    pub headers: Vec<ActualHeader>,
}

/// The window of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActualWindow {
    /// Start in milliseconds.
    pub start: i64,
    /// End in milliseconds.
    pub end: i64,
    /// `TIME` or `SESSION`.
    #[serde(rename = "type")]
    pub kind: &'static str,
}

/// A header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActualHeader {
    /// Name.
    #[serde(rename = "KEY")]
    pub key: String,
    /// Value in base64.
    #[serde(rename = "VALUE")]
    pub value: Option<String>,
}

/// A source.
#[derive(Debug, Clone, Serialize)]
pub struct ActualSource {
    /// Name.
    pub name: String,
    /// `stream` or `table`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Columns as text.
    pub schema: String,
}
