//! CREATE, DROP and ALTER of sources, types and connectors.

use super::property::with_clause;
use super::query::query;
use super::statement::setting;
use super::types::data_type;
use crate::ast::{
    AddColumn, AlterSource, ColumnConstraint, ColumnDef, ConnectorKind, CreateAs, CreateConnector, CreateSource, CreateType, DropConnector,
    DropSource, DropType, SourceKind, Statement,
};
use crate::cursor::{Cursor, Result};
use crate::lexer::Kind;

/// The cursor stands behind CREATE.
pub(super) fn create(c: &mut Cursor) -> Result<Statement> {
    let or_replace = c.eat_words(&["OR", "REPLACE"]);
    if !or_replace {
        if c.eat_word("TYPE") {
            return create_type(c);
        }
        for (words, kind) in [(&["SOURCE", "CONNECTOR"], ConnectorKind::Source), (&["SINK", "CONNECTOR"], ConnectorKind::Sink)] {
            if c.eat_words(words) {
                return create_connector(c, kind);
            }
        }
    }
    let source_span = c.peek().span;
    let read_only = c.eat_word("SOURCE");
    let Some(kind) = source_kind(c) else { return Err(c.unexpected()) };
    let if_not_exists = c.eat_words(&["IF", "NOT", "EXISTS"]);
    let name = c.name("a source name")?;
    let columns = if c.kind() == Kind::LeftParen { column_list(c)? } else { Vec::new() };
    let properties = with_clause(c)?;
    if !c.keyword_at(0, "AS") {
        c.note("AS");
        return Ok(Statement::CreateSource(CreateSource { kind, or_replace, read_only, if_not_exists, name, columns, properties }));
    }
    if read_only {
        return Err(c.error(source_span, "a SOURCE stream or table is declared on a topic: it cannot be the result of a query"));
    }
    if !columns.is_empty() {
        return Err(c.error(c.peek().span, "a column list and AS SELECT exclude each other: the query gives the columns"));
    }
    c.advance();
    let query = Box::new(query(c)?);
    Ok(Statement::CreateAs(CreateAs { kind, or_replace, if_not_exists, name, properties, query }))
}

/// STREAM or TABLE, if one is next.
pub(super) fn source_kind(c: &mut Cursor) -> Option<SourceKind> {
    if c.eat_word("STREAM") {
        return Some(SourceKind::Stream);
    }
    c.eat_word("TABLE").then_some(SourceKind::Table)
}

fn create_type(c: &mut Cursor) -> Result<Statement> {
    let if_not_exists = c.eat_words(&["IF", "NOT", "EXISTS"]);
    let name = c.name("a type name")?;
    c.expect_word("AS")?;
    Ok(Statement::CreateType(CreateType { if_not_exists, name, data_type: data_type(c)? }))
}

fn create_connector(c: &mut Cursor, kind: ConnectorKind) -> Result<Statement> {
    let if_not_exists = c.eat_words(&["IF", "NOT", "EXISTS"]);
    let name = c.name("a connector name")?;
    if !c.keyword_at(0, "WITH") {
        c.note("WITH");
        return Err(c.unexpected());
    }
    Ok(Statement::CreateConnector(CreateConnector { kind, if_not_exists, name, properties: with_clause(c)? }))
}

/// `(column, …)`
pub(super) fn column_list(c: &mut Cursor) -> Result<Vec<ColumnDef>> {
    c.expect(Kind::LeftParen)?;
    let all = columns(c)?;
    c.expect(Kind::RightParen)?;
    Ok(all)
}

/// `column, …`
pub(super) fn columns(c: &mut Cursor) -> Result<Vec<ColumnDef>> {
    let mut all = vec![column(c)?];
    while c.eat(Kind::Comma) {
        all.push(column(c)?);
    }
    Ok(all)
}

fn column(c: &mut Cursor) -> Result<ColumnDef> {
    let start = c.start();
    let name = c.name("a column name")?;
    let data_type = data_type(c)?;
    let constraint = if c.eat_words(&["PRIMARY", "KEY"]) {
        Some(ColumnConstraint::PrimaryKey)
    } else if c.eat_word("KEY") {
        Some(ColumnConstraint::Key)
    } else if c.eat_word("HEADERS") {
        Some(ColumnConstraint::Headers)
    } else if c.eat_word("HEADER") {
        c.expect(Kind::LeftParen)?;
        let key = c.string("the header's name as a string")?;
        c.expect(Kind::RightParen)?;
        Some(ColumnConstraint::Header(key))
    } else {
        None
    };
    Ok(ColumnDef { name, data_type, constraint, span: c.span_from(start) })
}

/// The cursor stands behind DROP.
pub(super) fn drop(c: &mut Cursor) -> Result<Statement> {
    if c.eat_word("TYPE") {
        let if_exists = c.eat_words(&["IF", "EXISTS"]);
        return Ok(Statement::DropType(DropType { if_exists, name: c.name("a type name")? }));
    }
    if c.eat_word("CONNECTOR") {
        let if_exists = c.eat_words(&["IF", "EXISTS"]);
        return Ok(Statement::DropConnector(DropConnector { if_exists, name: c.name("a connector name")? }));
    }
    let Some(kind) = source_kind(c) else { return Err(c.unexpected()) };
    let if_exists = c.eat_words(&["IF", "EXISTS"]);
    let name = c.name("a source name")?;
    let delete_topic = c.eat_words(&["DELETE", "TOPIC"]);
    Ok(Statement::DropSource(DropSource { kind, if_exists, name, delete_topic }))
}

/// The cursor stands behind ALTER.
pub(super) fn alter(c: &mut Cursor) -> Result<Statement> {
    if c.eat_word("SYSTEM") {
        let (name, value) = setting(c)?;
        return Ok(Statement::AlterSystem { name, value });
    }
    let Some(kind) = source_kind(c) else { return Err(c.unexpected()) };
    let source = c.name("a source name")?;
    let mut columns = Vec::new();
    loop {
        c.expect_word("ADD")?;
        c.eat_word("COLUMN");
        let name = c.name("a column name")?;
        columns.push(AddColumn { name, data_type: data_type(c)? });
        if !c.eat(Kind::Comma) {
            return Ok(Statement::AlterSource(AlterSource { kind, name: source, columns }));
        }
    }
}
