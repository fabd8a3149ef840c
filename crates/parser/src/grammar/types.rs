//! Types: primitives, DECIMAL, ARRAY, MAP, STRUCT, and names of custom types.

use crate::ast::{DataType, DataTypeKind, StructField};
use crate::cursor::{Cursor, Result};
use crate::lexer::Kind;

/// A type, with any `ARRAY` behind it.
pub(super) fn data_type(c: &mut Cursor) -> Result<DataType> {
    c.enter()?;
    let start = c.start();
    let mut kind = simple_type(c)?;
    let mut arrays = 0;
    // `INT ARRAY` is the older spelling of `ARRAY<INT>`.
    while c.eat_word("ARRAY") {
        let span = c.span_from(start);
        arrays += 1;
        if arrays > MAX_ARRAY_SUFFIXES {
            return Err(c.error(span, format!("at most {MAX_ARRAY_SUFFIXES} times ARRAY may follow a type")));
        }
        kind = DataTypeKind::Array(Box::new(DataType { kind, span }));
    }
    c.leave();
    Ok(DataType { kind, span: c.span_from(start) })
}

/// Keeps a row of ARRAY from building a type as high as the row is long.
const MAX_ARRAY_SUFFIXES: usize = 2;

fn simple_type(c: &mut Cursor) -> Result<DataTypeKind> {
    if c.keyword_at(0, "DECIMAL") {
        c.advance();
        return decimal(c);
    }
    if c.kind() == Kind::Word && matches!(c.kind_at(1), Kind::Less | Kind::NotEqual) {
        if c.eat_word("ARRAY") {
            c.expect(Kind::Less)?;
            let element = data_type(c)?;
            c.expect(Kind::Greater)?;
            return Ok(DataTypeKind::Array(Box::new(element)));
        }
        if c.eat_word("MAP") {
            c.expect(Kind::Less)?;
            let key = data_type(c)?;
            c.expect(Kind::Comma)?;
            let value = data_type(c)?;
            c.expect(Kind::Greater)?;
            return Ok(DataTypeKind::Map(Box::new(key), Box::new(value)));
        }
        if c.eat_word("STRUCT") {
            return struct_type(c);
        }
    }
    let start = c.start();
    let name = c.name("a type")?;
    let primitive = if name.quoted { None } else { primitive(&name.value) };
    if primitive == Some(DataTypeKind::String) && c.kind() == Kind::LeftParen && c.keyword_at(1, "STRING") {
        // `VARCHAR(STRING)` is an old spelling of VARCHAR.
        c.advance();
        c.advance();
        c.expect(Kind::RightParen)?;
    }
    if c.kind() == Kind::LeftParen {
        let message = match &primitive {
            Some(_) => format!("the type {} takes no parameters", name.value),
            None => "only DECIMAL takes parameters".to_string(),
        };
        return Err(c.error(c.span_from(start).to(c.peek().span), message));
    }
    Ok(primitive.unwrap_or(DataTypeKind::Custom(name)))
}

/// The type an upper-case word stands for, if it is not the name of a custom one.
pub(crate) fn primitive(word: &str) -> Option<DataTypeKind> {
    Some(match word {
        "BOOLEAN" => DataTypeKind::Boolean,
        "INT" | "INTEGER" => DataTypeKind::Integer,
        "BIGINT" => DataTypeKind::BigInt,
        "DOUBLE" => DataTypeKind::Double,
        "STRING" | "VARCHAR" => DataTypeKind::String,
        "BYTES" => DataTypeKind::Bytes,
        "TIME" => DataTypeKind::Time,
        "DATE" => DataTypeKind::Date,
        "TIMESTAMP" => DataTypeKind::Timestamp,
        _ => return None,
    })
}

fn decimal(c: &mut Cursor) -> Result<DataTypeKind> {
    c.expect(Kind::LeftParen)?;
    let precision = c.unsigned("the precision of a DECIMAL")?;
    c.expect(Kind::Comma)?;
    let scale = c.unsigned("the scale of a DECIMAL")?;
    c.expect(Kind::RightParen)?;
    Ok(DataTypeKind::Decimal { precision, scale })
}

fn struct_type(c: &mut Cursor) -> Result<DataTypeKind> {
    // `<>` is one token.
    if c.eat(Kind::NotEqual) {
        return Ok(DataTypeKind::Struct(Vec::new()));
    }
    c.expect(Kind::Less)?;
    let mut fields = Vec::new();
    if !c.eat(Kind::Greater) {
        loop {
            let name = c.name("a field name")?;
            let data_type = data_type(c)?;
            fields.push(StructField { name, data_type });
            if !c.eat(Kind::Comma) {
                break;
            }
        }
        c.expect(Kind::Greater)?;
    }
    Ok(DataTypeKind::Struct(fields))
}
