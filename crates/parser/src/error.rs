//! What is wrong with a text, where, and what could have stood there.

use crate::span::{Location, Span};

/// A text that is not in the language.
///
/// Its `Display` is complete: place, message, and the line with the place underlined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}:{column}: {message}\n{snippet}")]
pub struct ParseError {
    /// What is wrong, and what to do about it.
    pub message: String,
    /// The place, in bytes of the text that was parsed.
    pub span: Span,
    /// Line of the place, from 1.
    pub line: usize,
    /// Column of the place in characters, from 1.
    pub column: usize,
    /// What would have been accepted at the place; may be empty.
    pub expected: Vec<String>,
    /// The line of the place, underlined.
    pub snippet: String,
}

impl ParseError {
    pub(crate) fn new(text: &str, span: Span, message: impl Into<String>) -> Self {
        let Location { line, column } = span.location(text);
        Self { message: message.into(), span, line, column, expected: Vec::new(), snippet: span.underline(text) }
    }

    pub(crate) fn expecting(mut self, expected: Vec<String>) -> Self {
        self.expected = expected;
        self
    }
}
