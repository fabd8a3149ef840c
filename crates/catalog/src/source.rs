//! A stream or table: what the catalog knows about it.

use flumen_plan::{QueryId, SourceKind, TimestampColumn, WindowedKey};
use flumen_types::{FormatSpec, Schema};
use serde::{Deserialize, Serialize};

/// A stream or table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceDef {
    /// Its name, case kept.
    pub name: String,
    /// Stream or table.
    pub kind: SourceKind,
    /// Its columns in declared order.
    pub schema: Schema,
    /// The topic that holds its records.
    pub topic: String,
    /// How keys are written; format NONE when there are no key columns.
    pub key_format: FormatSpec,
    /// How values are written.
    pub value_format: FormatSpec,
    /// The column that gives records their timestamp.
    pub timestamp: Option<TimestampColumn>,
    /// The window its key carries.
    pub window: Option<WindowedKey>,
    /// Declared with SOURCE: it cannot be written, altered or replaced.
    pub read_only: bool,
    /// The query that fills it, when it was made by CREATE … AS SELECT. It may have been terminated since.
    pub created_by: Option<QueryId>,
    /// The sources that query reads: they cannot be dropped before this one.
    pub built_from: Vec<String>,
    /// The statement that made it.
    pub statement: String,
}

impl SourceDef {
    /// True for a table.
    pub fn is_table(&self) -> bool {
        self.kind == SourceKind::Table
    }

    /// `stream` or `table`.
    pub fn kind_name(&self) -> &'static str {
        kind_name(self.kind)
    }

    /// True when it has HEADERS or HEADER('…') columns.
    pub fn has_headers(&self) -> bool {
        self.schema.headers().next().is_some()
    }
}

/// `stream` or `table`.
pub fn kind_name(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Stream => "stream",
        SourceKind::Table => "table",
    }
}
