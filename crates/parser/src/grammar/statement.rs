//! The first word of a statement decides its rule; the short rules are here.

mod assert;

use super::create::{alter, create, drop};
use super::expr;
use super::property::with_clause;
use super::query::query;
use super::show::{describe, explain, list, print};
use crate::ast::{Expr, InsertSelect, InsertValues, QueryTarget, Statement};
use crate::cursor::{Cursor, Result};
use crate::lexer::Kind;
use crate::span::Span;

/// One statement, without its `;`.
pub(super) fn statement(c: &mut Cursor) -> Result<Statement> {
    if c.keyword_at(0, "SELECT") {
        return Ok(Statement::Select(Box::new(query(c)?)));
    }
    c.note("SELECT");
    if c.eat_word("CREATE") {
        return create(c);
    }
    if c.eat_word("INSERT") {
        return insert(c);
    }
    if c.eat_word("DROP") {
        return drop(c);
    }
    if c.eat_word("ALTER") {
        return alter(c);
    }
    if c.eat_word("TERMINATE") {
        return Ok(Statement::Terminate(target(c)?));
    }
    if c.eat_word("PAUSE") {
        return Ok(Statement::Pause(target(c)?));
    }
    if c.eat_word("RESUME") {
        return Ok(Statement::Resume(target(c)?));
    }
    if c.eat_word("PRINT") {
        return Ok(Statement::Print(print(c)?));
    }
    if c.eat_word("EXPLAIN") {
        return Ok(Statement::Explain(explain(c)?));
    }
    if c.eat_word("DESCRIBE") {
        return Ok(Statement::Describe(describe(c)?));
    }
    if c.eat_word("LIST") || c.eat_word("SHOW") {
        return Ok(Statement::List(list(c)?));
    }
    if c.eat_word("ASSERT") {
        return assert::assert(c);
    }
    session(c)
}

/// Statements about the session.
fn session(c: &mut Cursor) -> Result<Statement> {
    if c.eat_word("SET") {
        let (name, value) = setting(c)?;
        return Ok(Statement::Set { name, value });
    }
    if c.eat_word("UNSET") {
        return Ok(Statement::Unset { name: c.string("the property's name as a string")? });
    }
    if c.eat_word("DEFINE") {
        let name = c.name("a variable name")?;
        c.expect(Kind::Equal)?;
        return Ok(Statement::Define { name, value: c.string("the value as a string")? });
    }
    if c.eat_word("UNDEFINE") {
        return Ok(Statement::Undefine { name: c.name("a variable name")? });
    }
    if c.eat_words(&["RUN", "SCRIPT"]) {
        return Ok(Statement::RunScript { path: c.string("the file's path as a string")? });
    }
    Err(c.unexpected())
}

/// `'name' = 'value'`
pub(super) fn setting(c: &mut Cursor) -> Result<(String, String)> {
    let name = c.string("the property's name as a string")?;
    c.expect(Kind::Equal)?;
    Ok((name, c.string("the value as a string")?))
}

fn target(c: &mut Cursor) -> Result<QueryTarget> {
    if c.eat_word("ALL") { Ok(QueryTarget::All) } else { Ok(QueryTarget::Id(c.name("a query name")?)) }
}

/// The cursor stands behind INSERT.
fn insert(c: &mut Cursor) -> Result<Statement> {
    c.expect_word("INTO")?;
    let target = c.name("a source name")?;
    let columns = if c.kind() == Kind::LeftParen { c.name_list("a column name")? } else { Vec::new() };
    if c.eat_word("VALUES") {
        let (values, values_span) = row(c)?;
        if c.kind() == Kind::Comma {
            return Err(c.error(c.peek().span, "INSERT INTO … VALUES takes one row: write a statement for each"));
        }
        return Ok(Statement::InsertValues(InsertValues { target, columns, values, values_span }));
    }
    if !columns.is_empty() {
        return Err(c.unexpected());
    }
    let properties = with_clause(c)?;
    let query = Box::new(query(c)?);
    Ok(Statement::InsertSelect(InsertSelect { target, properties, query }))
}

/// `(value, …)` and where it stands.
fn row(c: &mut Cursor) -> Result<(Vec<Expr>, Span)> {
    let start = c.start();
    c.expect(Kind::LeftParen)?;
    let values = expr::list(c, Kind::RightParen)?;
    Ok((values, c.span_from(start)))
}
