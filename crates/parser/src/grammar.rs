//! The grammar: tokens to syntax tree. One module for each part of the language.

mod create;
mod expr;
mod property;
mod query;
mod show;
mod statement;
mod types;

pub(crate) use types::primitive;

use crate::ast::{ColumnDef, DataType, Expr, Statement};
use crate::cursor::{Cursor, Result};
use crate::lexer::{Kind, Lexed, Limits, Token, lex};
use crate::span::Span;
use crate::split::{Directive, covered, cut};

/// A statement, and the text it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedStatement {
    /// What it says. Spans in it count from the start of the whole text that was parsed.
    pub statement: Statement,
    /// The statement's own text, `;` inclusive; comments before it are left out.
    pub text: String,
    /// Where it stands in the whole text.
    pub span: Span,
    /// The directives between the statement before and this one's end.
    pub directives: Vec<Directive>,
}

/// Parses a text of any number of statements, each closed by `;`.
///
/// # Errors
/// The first thing in the text that is not in the language, or a text beyond the default [`Limits`].
pub fn parse(text: &str) -> Result<Vec<ParsedStatement>> {
    parse_with(text, &Limits::default())
}

/// [`parse`] with other limits.
///
/// # Errors
/// As [`parse`].
pub fn parse_with(text: &str, limits: &Limits) -> Result<Vec<ParsedStatement>> {
    let Lexed { tokens, directives } = lex(text, limits)?;
    let mut directives = directives.into_iter().peekable();
    let mut statements = Vec::new();
    for part in cut(&tokens) {
        let Some(span) = covered(part) else { continue };
        let own = std::iter::from_fn(|| directives.next_if(|d| d.span.start < span.end)).collect();
        let statement = statement(text, part)?;
        statements.push(ParsedStatement { statement, text: span.slice(text).to_string(), span, directives: own });
    }
    Ok(statements)
}

fn statement(text: &str, tokens: &[Token]) -> Result<Statement> {
    let mut cursor = Cursor::new(text, tokens);
    let statement = statement::statement(&mut cursor)?;
    cursor.expect(Kind::Semicolon)?;
    Ok(statement)
}

/// Parses exactly one statement; its `;` may be missing.
///
/// # Errors
/// As [`parse`], and when there is no statement or more than one.
pub fn parse_statement(text: &str) -> Result<ParsedStatement> {
    let Lexed { tokens, directives } = lex(text, &Limits::default())?;
    let mut cursor = Cursor::new(text, &tokens);
    let start = cursor.start();
    let statement = statement::statement(&mut cursor)?;
    let _ = cursor.eat(Kind::Semicolon);
    let span = cursor.span_from(start);
    cursor.expect(Kind::End)?;
    Ok(ParsedStatement { statement, text: span.slice(text).to_string(), span, directives })
}

/// Parses one expression.
///
/// # Errors
/// As [`parse`].
pub fn parse_expression(text: &str) -> Result<Expr> {
    whole(text, expr::expr)
}

/// Parses one type, as in a column list.
///
/// # Errors
/// As [`parse`].
pub fn parse_type(text: &str) -> Result<DataType> {
    whole(text, types::data_type)
}

/// Parses a column list such as `` `A` INTEGER KEY, `B` STRING ``, with or without parentheses around it.
/// A blank text is an empty list.
///
/// # Errors
/// As [`parse`].
pub fn parse_schema(text: &str) -> Result<Vec<ColumnDef>> {
    whole(text, |cursor| match cursor.kind() {
        Kind::End => Ok(Vec::new()),
        Kind::LeftParen => create::column_list(cursor),
        _ => create::columns(cursor),
    })
}

fn whole<T>(text: &str, rule: impl FnOnce(&mut Cursor) -> Result<T>) -> Result<T> {
    let Lexed { tokens, .. } = lex(text, &Limits::default())?;
    let mut cursor = Cursor::new(text, &tokens);
    let value = rule(&mut cursor)?;
    cursor.expect(Kind::End)?;
    Ok(value)
}
