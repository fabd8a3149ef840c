//! Identifiers: folded to upper case unless they were quoted.

use std::hash::{Hash, Hasher};

use crate::span::Span;

/// The name of a source, column, field, function, type, alias or query.
///
/// Equality looks at `value` alone: `foo` and `` `FOO` `` are the same name.
#[derive(Clone, Debug)]
pub struct Ident {
    /// The name itself: in upper case if it was written without quotes, else exactly as written.
    ///
    /// Names of things outside SQL (topics, subjects) keep their case either way.
    pub value: String,
    /// Whether it was written in quotes (`"x"`, `` `x` ``, or `'x'` where a string may stand for a name).
    pub quoted: bool,
    /// Where it was written.
    pub span: Span,
}

impl Ident {
    /// A name that keeps its case, without a place in a text.
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), quoted: true, span: Span::default() }
    }
}

impl PartialEq for Ident {
    fn eq(&self, other: &Ident) -> bool {
        self.value == other.value
    }
}

impl Eq for Ident {}

impl Hash for Ident {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}
