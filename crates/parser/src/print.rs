//! Printing: every node prints as text that parses back to an equal node. Names are quoted, and operands put in
//! parentheses, only where they must be.

mod expr;
mod query;
mod statement;

use std::fmt::{self, Display, Formatter};

use crate::ast::{ColumnConstraint, ColumnDef, DataType, DataTypeKind, Ident, Literal, Property};
use crate::grammar::primitive;
use crate::words::{Name, quote_always};

/// Prints items with a separator between them.
struct Joined<'a, T>(&'a [T], &'static str);

impl<T: Display> Display for Joined<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(self.1)?;
            }
            item.fmt(f)?;
        }
        Ok(())
    }
}

fn list<T>(items: &[T]) -> Joined<'_, T> {
    Joined(items, ", ")
}

/// A string constant with its quotes.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.0.replace('\'', "''"))
    }
}

/// The text if the flag is set, else nothing.
fn when(flag: bool, text: &'static str) -> &'static str {
    if flag { text } else { "" }
}

impl Display for Ident {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Name(&self.value).fmt(f)
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Null => f.write_str("NULL"),
            Literal::Boolean(value) => f.write_str(if *value { "TRUE" } else { "FALSE" }),
            Literal::Integer(value) => write!(f, "{value}"),
            Literal::BigInt(value) => write!(f, "{value}"),
            Literal::Decimal(text) if is_plain_decimal(text) => f.write_str(text),
            Literal::Decimal(text) => write!(f, "DECIMAL {}", Quoted(text)),
            Literal::Double(value) => write!(f, "{:E}", value.0),
            Literal::String(text) => Quoted(text).fmt(f),
        }
    }
}

/// Whether the digits are a decimal without the word DECIMAL: they have a point, and no exponent or plus sign.
fn is_plain_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.contains('.') && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

impl Display for DataType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            DataTypeKind::Boolean => f.write_str("BOOLEAN"),
            DataTypeKind::Integer => f.write_str("INTEGER"),
            DataTypeKind::BigInt => f.write_str("BIGINT"),
            DataTypeKind::Double => f.write_str("DOUBLE"),
            DataTypeKind::String => f.write_str("STRING"),
            DataTypeKind::Bytes => f.write_str("BYTES"),
            DataTypeKind::Time => f.write_str("TIME"),
            DataTypeKind::Date => f.write_str("DATE"),
            DataTypeKind::Timestamp => f.write_str("TIMESTAMP"),
            DataTypeKind::Decimal { precision, scale } => write!(f, "DECIMAL({precision}, {scale})"),
            DataTypeKind::Array(element) => write!(f, "ARRAY<{element}>"),
            DataTypeKind::Map(key, value) => write!(f, "MAP<{key}, {value}>"),
            DataTypeKind::Struct(fields) => {
                f.write_str("STRUCT<")?;
                for (i, field) in fields.iter().enumerate() {
                    write!(f, "{}{} {}", when(i > 0, ", "), field.name, field.data_type)?;
                }
                // `<>` would be the sign for inequality.
                f.write_str(if fields.is_empty() { " >" } else { ">" })
            }
            DataTypeKind::Custom(name) if primitive(&name.value).is_some() => f.write_str(&quote_always(&name.value)),
            DataTypeKind::Custom(name) => name.fmt(f),
        }
    }
}

impl Display for ColumnDef {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.data_type)?;
        match &self.constraint {
            None => Ok(()),
            Some(ColumnConstraint::Key) => f.write_str(" KEY"),
            Some(ColumnConstraint::PrimaryKey) => f.write_str(" PRIMARY KEY"),
            Some(ColumnConstraint::Headers) => f.write_str(" HEADERS"),
            Some(ColumnConstraint::Header(key)) => write!(f, " HEADER({})", Quoted(key)),
        }
    }
}

impl Display for Property {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}
