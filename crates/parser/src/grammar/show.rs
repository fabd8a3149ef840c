//! LIST, SHOW, DESCRIBE, EXPLAIN, PRINT: statements that only look.

use super::statement;
use crate::ast::{ConnectorKind, Describe, Explain, List, Print, Statement};
use crate::cursor::{Cursor, Result};

/// The cursor stands behind LIST or SHOW.
pub(super) fn list(c: &mut Cursor) -> Result<List> {
    if c.eat_word("ALL") {
        c.expect_word("TOPICS")?;
        return Ok(List::Topics { all: true, extended: c.eat_word("EXTENDED") });
    }
    if c.eat_words(&["CONNECTOR", "PLUGINS"]) {
        return Ok(List::ConnectorPlugins);
    }
    for (words, kind) in [(&["SOURCE", "CONNECTORS"], ConnectorKind::Source), (&["SINK", "CONNECTORS"], ConnectorKind::Sink)] {
        if c.eat_words(words) {
            return Ok(List::Connectors(Some(kind)));
        }
    }
    for (word, list) in [
        ("FUNCTIONS", List::Functions),
        ("PROPERTIES", List::Properties),
        ("TYPES", List::Types),
        ("VARIABLES", List::Variables),
        ("CONNECTORS", List::Connectors(None)),
    ] {
        if c.eat_word(word) {
            return Ok(list);
        }
    }
    let list = if c.eat_word("TOPICS") {
        |extended| List::Topics { all: false, extended }
    } else if c.eat_word("STREAMS") {
        |extended| List::Streams { extended }
    } else if c.eat_word("TABLES") {
        |extended| List::Tables { extended }
    } else {
        c.expect_word("QUERIES")?;
        |extended| List::Queries { extended }
    };
    Ok(list(c.eat_word("EXTENDED")))
}

/// The cursor stands behind DESCRIBE.
pub(super) fn describe(c: &mut Cursor) -> Result<Describe> {
    if c.eat_word("STREAMS") {
        return Ok(Describe::Streams { extended: c.eat_word("EXTENDED") });
    }
    if c.eat_word("TABLES") {
        return Ok(Describe::Tables { extended: c.eat_word("EXTENDED") });
    }
    if c.eat_word("CONNECTOR") {
        return Ok(Describe::Connector(c.name("a connector name")?));
    }
    if c.keyword_at(0, "FUNCTION") && c.name_at(1) {
        c.advance();
        return Ok(Describe::Function(c.name("a function name")?));
    }
    let name = c.name("a source name")?;
    Ok(Describe::Source { name, extended: c.eat_word("EXTENDED") })
}

/// The cursor stands behind EXPLAIN.
pub(super) fn explain(c: &mut Cursor) -> Result<Explain> {
    if c.name_at(0) {
        return Ok(Explain::Query(c.name("a query name")?));
    }
    let start = c.start();
    if !["SELECT", "CREATE", "INSERT"].iter().any(|w| c.keyword_at(0, w)) {
        for what in ["a query name", "SELECT", "CREATE", "INSERT"] {
            c.note(what);
        }
        return Err(c.unexpected());
    }
    let statement = statement::statement(c)?;
    match statement {
        Statement::Select(_) | Statement::CreateAs(_) | Statement::InsertSelect(_) => Ok(Explain::Statement(Box::new(statement))),
        _ => Err(c.error(c.span_from(start), "EXPLAIN needs a statement with a query: SELECT, CREATE … AS SELECT or INSERT INTO … SELECT")),
    }
}

/// The cursor stands behind PRINT.
pub(super) fn print(c: &mut Cursor) -> Result<Print> {
    let topic = c.outer_name("a topic name")?;
    let from_beginning = c.eat_words(&["FROM", "BEGINNING"]);
    let interval = if c.eat_word("INTERVAL") || c.eat_word("SAMPLE") { Some(c.unsigned("a number of records")?) } else { None };
    let limit = if c.eat_word("LIMIT") { Some(c.unsigned("a number of records")?) } else { None };
    Ok(Print { topic, from_beginning, interval, limit })
}
