//! `WITH (name = literal, …)`.

use super::expr::literal;
use crate::ast::{Ident, Property};
use crate::cursor::{Cursor, Result};
use crate::lexer::Kind;
use crate::words::is_reserved;

/// A WITH clause, or nothing.
pub(super) fn with_clause(c: &mut Cursor) -> Result<Vec<Property>> {
    if !c.eat_word("WITH") {
        return Ok(Vec::new());
    }
    c.expect(Kind::LeftParen)?;
    let mut properties = vec![property(c)?];
    while c.eat(Kind::Comma) {
        properties.push(property(c)?);
    }
    c.expect(Kind::RightParen)?;
    Ok(properties)
}

fn property(c: &mut Cursor) -> Result<Property> {
    let name = property_name(c)?;
    c.expect(Kind::Equal)?;
    let start = c.start();
    let Some(value) = literal(c)? else {
        c.note("a constant");
        return Err(c.unexpected());
    };
    Ok(Property { name, value, value_span: c.span_from(start) })
}

/// A property's name: a word, reserved or not, a quoted name, or a string.
fn property_name(c: &mut Cursor) -> Result<Ident> {
    let token = c.peek();
    match token.kind {
        Kind::String => c.outer_name("a property name"),
        Kind::Word if is_reserved(c.source(token)) => {
            c.advance();
            Ok(Ident { value: c.source(token).to_ascii_uppercase(), quoted: false, span: token.span })
        }
        _ => c.name("a property name"),
    }
}
