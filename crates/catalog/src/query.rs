//! A persistent query as the catalog knows it.

use std::sync::Arc;

use flumen_plan::{QueryId, QueryKind, QueryPlan};

/// A running or paused persistent query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryDef {
    /// Its id.
    pub id: QueryId,
    /// What it runs.
    pub plan: Arc<QueryPlan>,
    /// The statement that started it, or replaced it last.
    pub statement: String,
    /// True after PAUSE.
    pub paused: bool,
}

impl QueryDef {
    /// True for INSERT INTO … SELECT.
    pub fn is_insert(&self) -> bool {
        self.plan.kind == QueryKind::Insert
    }

    /// True when it reads the source of this name.
    pub fn reads(&self, source: &str) -> bool {
        self.plan.sources.iter().any(|s| s == source)
    }

    /// True when it writes the source of this name.
    pub fn writes(&self, source: &str) -> bool {
        self.plan.sink.as_deref() == Some(source)
    }

    /// True when it belongs to the source of this name and ends with it: the query of its CREATE … AS SELECT, or the
    /// one that materialises a SOURCE table.
    pub fn belongs_to(&self, source: &str) -> bool {
        match self.plan.kind {
            QueryKind::CreateStreamAs | QueryKind::CreateTableAs => self.writes(source),
            QueryKind::SourceTable => self.reads(source),
            QueryKind::Insert | QueryKind::Push => false,
        }
    }
}
