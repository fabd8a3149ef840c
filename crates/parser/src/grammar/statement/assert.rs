//! ASSERT: of topics, of schemas, and of what the test runner has seen.

use super::row;
use crate::ast::{AssertSchema, AssertSource, AssertTopic, AssertValues, Statement};
use crate::cursor::{Cursor, Result};
use crate::grammar::create::{column_list, source_kind};
use crate::grammar::property::with_clause;
use crate::grammar::query::interval;
use crate::lexer::Kind;

/// The cursor stands behind ASSERT.
pub(super) fn assert(c: &mut Cursor) -> Result<Statement> {
    let exists = !c.eat_words(&["NOT", "EXISTS"]);
    if c.eat_word("TOPIC") {
        let topic = c.outer_name("a topic name")?;
        let properties = with_clause(c)?;
        let timeout = if c.eat_word("TIMEOUT") { Some(interval(c)?) } else { None };
        return Ok(Statement::AssertTopic(AssertTopic { exists, topic, properties, timeout }));
    }
    if c.eat_word("SCHEMA") {
        let subject = if c.eat_word("SUBJECT") { Some(c.outer_name("a subject name")?) } else { None };
        let id = if c.eat_word("ID") { Some(c.unsigned("a schema id")?) } else { None };
        let timeout = if c.eat_word("TIMEOUT") { Some(interval(c)?) } else { None };
        if subject.is_none() && id.is_none() {
            return Err(c.unexpected());
        }
        return Ok(Statement::AssertSchema(AssertSchema { exists, subject, id, timeout }));
    }
    if !exists {
        return Err(c.unexpected());
    }
    if c.eat_word("VALUES") {
        let (source, columns) = source_and_columns(c)?;
        c.expect_word("VALUES")?;
        let (values, values_span) = row(c)?;
        return Ok(Statement::AssertValues(AssertValues { source, columns, values, values_span }));
    }
    if c.eat_words(&["NULL", "VALUES"]) {
        let (source, columns) = source_and_columns(c)?;
        c.expect_word("KEY")?;
        let (values, values_span) = row(c)?;
        return Ok(Statement::AssertNullValues(AssertValues { source, columns, values, values_span }));
    }
    let Some(kind) = source_kind(c) else { return Err(c.unexpected()) };
    let name = c.name("a source name")?;
    let columns = if c.kind() == Kind::LeftParen { column_list(c)? } else { Vec::new() };
    let properties = with_clause(c)?;
    Ok(Statement::AssertSource(AssertSource { kind, name, columns, properties }))
}

fn source_and_columns(c: &mut Cursor) -> Result<(crate::ast::Ident, Vec<crate::ast::Ident>)> {
    let source = c.name("a source name")?;
    let columns = if c.kind() == Kind::LeftParen { c.name_list("a column name")? } else { Vec::new() };
    Ok((source, columns))
}
