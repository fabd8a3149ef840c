//! The plan of a pull query: which rows of a table's store to read, and what to make of them.

use std::ops::Bound;

use flumen_expr::Expr;
use flumen_types::{Schema, Value};
use serde::{Deserialize, Serialize};

use crate::{NamedExpr, Operator, QueryId, RowSchema, StoreId};

/// A SELECT that reads what is there and ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PullPlan {
    /// The table.
    pub source: String,
    /// The persistent query that keeps its rows.
    pub query: QueryId,
    /// That query's store.
    pub store: StoreId,
    /// The rows in the store.
    pub stored: RowSchema,
    /// The filters and projections ([`Operator::Filter`], [`Operator::Select`]) between the store and the table, in order.
    pub steps: Vec<Operator>,
    /// The table's rows, after the steps; `filter` and `projection` are over these.
    pub rows: RowSchema,
    /// Which keys to read.
    pub keys: KeyBounds,
    /// Which windows of these keys to read; without bounds all, and always so for tables without windows.
    pub windows: WindowBounds,
    /// The whole WHERE clause; the bounds only spare reading rows that it refuses.
    pub filter: Option<Expr>,
    /// The result columns.
    pub projection: Vec<NamedExpr>,
    /// Their names and types; key columns of the table that are projected as they are stay marked as keys.
    pub result: Schema,
    /// LIMIT.
    pub limit: Option<u64>,
}

/// The keys a pull query reads, in the types of the store's key columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum KeyBounds {
    /// These keys, each once.
    Lookup(Vec<Vec<Value>>),
    /// Keys of one column between these bounds, in the order of the memcomparable encoding.
    Range {
        /// From here.
        low: Bound<Value>,
        /// To here.
        high: Bound<Value>,
    },
    /// All keys.
    Scan,
}

/// Bounds of windows in milliseconds, inclusive; `None` where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WindowBounds {
    /// Least window start.
    pub start_from: Option<i64>,
    /// Greatest window start.
    pub start_to: Option<i64>,
    /// Least window end.
    pub end_from: Option<i64>,
    /// Greatest window end.
    pub end_to: Option<i64>,
}

impl WindowBounds {
    /// Whether a window lies within the bounds.
    pub fn admit(&self, start: i64, end: i64) -> bool {
        let above = |bound: Option<i64>, at: i64| bound.is_none_or(|b| at >= b);
        let below = |bound: Option<i64>, at: i64| bound.is_none_or(|b| at <= b);
        above(self.start_from, start) && below(self.start_to, start) && above(self.end_from, end) && below(self.end_to, end)
    }
}
