//! The columns of a source or of a step, by namespace.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{SqlType, back_tick};

/// Where in a record a column lives.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Namespace {
    /// The record key.
    Key,
    /// The record value.
    Value,
    /// The record's headers: all of them, or the last one of a name.
    Headers(Option<String>),
}

/// A named, typed column.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Column {
    /// The column's name, case kept.
    pub name: String,
    /// Its type.
    pub ty: SqlType,
    /// Where in the record it is.
    pub namespace: Namespace,
}

impl Column {
    /// A key column.
    pub fn key(name: impl Into<String>, ty: SqlType) -> Self {
        Column { name: name.into(), ty, namespace: Namespace::Key }
    }

    /// A value column.
    pub fn value(name: impl Into<String>, ty: SqlType) -> Self {
        Column { name: name.into(), ty, namespace: Namespace::Value }
    }
}

/// The columns of a record in declared order: keys, values and header columns may be mixed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Schema {
    /// All columns.
    pub columns: Vec<Column>,
}

impl Schema {
    /// A schema of these columns.
    pub fn new(columns: Vec<Column>) -> Self {
        Schema { columns }
    }

    /// The key columns in order.
    pub fn keys(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|c| c.namespace == Namespace::Key)
    }

    /// The value columns in order.
    pub fn values(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|c| c.namespace == Namespace::Value)
    }

    /// The header columns in order.
    pub fn headers(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|c| matches!(c.namespace, Namespace::Headers(_)))
    }

    /// The column of this exact name.
    pub fn find(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name)
    }
}

/// As ksqlDB shows a schema: keys first, "`` `K` STRING KEY, `V` INTEGER ``".
impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.columns.iter().filter(|c| c.namespace == Namespace::Key);
        let rest = self.columns.iter().filter(|c| c.namespace != Namespace::Key);
        for (i, column) in keys.chain(rest).enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{} {}", back_tick(&column.name), column.ty)?;
            match &column.namespace {
                Namespace::Key => f.write_str(" KEY")?,
                Namespace::Value => {}
                Namespace::Headers(None) => f.write_str(" HEADERS")?,
                Namespace::Headers(Some(key)) => write!(f, " HEADER('{}')", key.replace('\'', "''"))?,
            }
        }
        Ok(())
    }
}

/// The columns every record has without being declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PseudoColumn {
    /// BIGINT: the record's timestamp in milliseconds.
    RowTime,
    /// INTEGER: the partition the record was read from.
    RowPartition,
    /// BIGINT: the record's offset in its partition.
    RowOffset,
    /// BIGINT: start of the window in milliseconds, on windowed sources and aggregates.
    WindowStart,
    /// BIGINT: end of the window in milliseconds.
    WindowEnd,
}

impl PseudoColumn {
    /// All of them.
    pub const ALL: [PseudoColumn; 5] =
        [PseudoColumn::RowTime, PseudoColumn::RowPartition, PseudoColumn::RowOffset, PseudoColumn::WindowStart, PseudoColumn::WindowEnd];

    /// The reserved name.
    pub fn name(self) -> &'static str {
        match self {
            PseudoColumn::RowTime => "ROWTIME",
            PseudoColumn::RowPartition => "ROWPARTITION",
            PseudoColumn::RowOffset => "ROWOFFSET",
            PseudoColumn::WindowStart => "WINDOWSTART",
            PseudoColumn::WindowEnd => "WINDOWEND",
        }
    }

    /// The pseudo column of this name, if it is one.
    pub fn from_name(name: &str) -> Option<PseudoColumn> {
        PseudoColumn::ALL.into_iter().find(|p| p.name() == name)
    }

    /// Its type.
    pub fn ty(self) -> SqlType {
        match self {
            PseudoColumn::RowPartition => SqlType::Integer,
            _ => SqlType::Bigint,
        }
    }
}
