//! Text to typed statements with spans, and back.

pub mod ast;
mod span;

pub use span::{Location, Span, render};
