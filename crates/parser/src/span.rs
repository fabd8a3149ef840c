//! Where a node came from: byte ranges of the parsed text, and how they are shown to people.

use std::fmt;
use std::hash::{Hash, Hasher};

/// A half-open byte range of the text that was parsed.
///
/// Two spans always compare equal and hash alike, so that two nodes are equal when they mean the same,
/// wherever they were written.
#[derive(Clone, Copy, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset just behind the last byte.
    pub end: usize,
}

/// A place in a text as people count it: both numbers start at 1, the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest range that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The part of `text` this span covers; empty when the span does not belong to `text`.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or("")
    }

    /// Line and column of the first byte.
    pub fn location(self, text: &str) -> Location {
        let before = text.get(..self.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Location {
            line: before.bytes().filter(|b| *b == b'\n').count() + 1,
            column: before.get(line_start..).unwrap_or("").chars().count() + 1,
        }
    }

    /// The source line the span starts in, and below it carets under the covered part.
    ///
    /// A long line is cut to a window around the span; a span over several lines is underlined to the end of
    /// its first.
    pub fn underline(self, text: &str) -> String {
        /// Characters shown before and after the start of the span when the line is longer.
        const AROUND: usize = 60;

        let before = text.get(..self.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line = text.get(line_start..).unwrap_or("").lines().next().unwrap_or("");
        let column = before.get(line_start..).unwrap_or("").chars().count();
        let covered = self.slice(text).lines().next().unwrap_or("").chars().count().max(1);

        let skip = column.saturating_sub(AROUND);
        let shown: String = line.chars().skip(skip).take(2 * AROUND).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let lead = if skip > 0 { "..." } else { "" };
        let tail = if line.chars().nth(skip + 2 * AROUND).is_some() { "..." } else { "" };
        let indent = " ".repeat(lead.len() + column - skip);
        let carets = "^".repeat(covered.min(2 * AROUND - (column - skip)).max(1));
        format!("{lead}{shown}{tail}\n{indent}{carets}")
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}

impl Hash for Span {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A user-visible message for a place in a text: `line L:C: message`, then the line with the place underlined.
pub fn render(text: &str, span: Span, message: &str) -> String {
    let Location { line, column } = span.location(text);
    format!("line {line}:{column}: {message}\n{}", span.underline(text))
}
