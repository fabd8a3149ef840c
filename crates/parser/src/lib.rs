//! Text to typed statements with spans, and back.
//!
//! [`parse`] reads a text of statements; [`parse_expression`], [`parse_type`] and [`parse_schema`] read parts. Printing
//! any node gives text that parses back to an equal one. Tokens come from sqlparser's tokenizer, the grammar is our own.
//! Nothing is looked up here: whether a name exists, or a statement makes sense, is the planner's to say.

pub mod ast;
mod cursor;
mod error;
mod grammar;
mod lexer;
mod print;
mod span;
mod split;
mod substitute;
mod words;

pub use cursor::MAX_HEIGHT;
pub use error::ParseError;
pub use grammar::{ParsedStatement, parse, parse_expression, parse_schema, parse_statement, parse_type, parse_with};
pub use lexer::Limits;
pub use span::{Location, Span, render};
pub use split::{Directive, StatementText, is_complete, split};
pub use substitute::substitute;
pub use words::{is_reserved, quote, quote_always};
