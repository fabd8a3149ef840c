//! The operators of a plan.

use flumen_expr::Expr;
use flumen_types::{FormatSpec, SqlType, Value, WindowKind, WindowSpec};
use serde::{Deserialize, Serialize};

use crate::row::RowColumn;
use crate::{NamedExpr, NodeId, RowSchema, StoreId};

/// A node of a sub-topology.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its number, unique in the plan.
    pub id: NodeId,
    /// What it does.
    pub op: Operator,
    /// The nodes it reads, in the same sub-topology and before it; a join has left then right.
    pub inputs: Vec<NodeId>,
    /// The rows it emits; for a sink, the rows it is given.
    pub schema: RowSchema,
    /// True when its rows are changes of a table (old and new), false for a stream.
    pub table: bool,
}

/// What a node does with its rows. Expressions are over the columns of the input row ([`RowSchema`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
pub enum Operator {
    /// Reads a topic that users see.
    Source(Box<SourceSpec>),
    /// Reads an internal repartition topic, written by the [`Operator::Repartition`] of the same topic.
    RepartitionSource {
        /// Relative name of the topic.
        topic: String,
    },
    /// Keeps the rows for which the predicate is true. On a table a row that fails becomes a deletion of its key, when
    /// the old row (if it is known) had passed.
    Filter {
        /// BOOLEAN.
        predicate: Expr,
    },
    /// Replaces the value columns; key, window and timestamp stay. Key columns are renamed when `keys` is given.
    Select {
        /// New names of the key columns, same count and order; empty to keep them.
        keys: Vec<String>,
        /// The value columns.
        values: Vec<NamedExpr>,
    },
    /// One output row per element of table functions, padded with NULL to the longest; the value columns that were are
    /// followed by one column a function.
    FlatMap {
        /// Calls of table functions.
        functions: Vec<NamedExpr>,
    },
    /// New key columns and value columns (PARTITION BY, GROUP BY, a join's expression).
    Rekey {
        /// The key columns; none for PARTITION BY NULL.
        keys: Vec<NamedExpr>,
        /// The value columns.
        values: Vec<NamedExpr>,
        /// Drop rows in which a key column is NULL or failed (grouping); otherwise such a row gets a NULL key.
        drop_null_keys: bool,
    },
    /// Writes rows to an internal topic, by murmur2 of the key written in the topic's declared key format; ends its branch.
    Repartition {
        /// Relative name of the topic.
        topic: String,
        /// The declared key format, which decides the partition.
        key_format: FormatSpec,
    },
    /// Folds rows into one row a key (and window). Output values are the aggregates' results in order.
    Aggregate {
        /// The calls.
        calls: Vec<AggregateCall>,
        /// Where the states are kept.
        store: StoreId,
        /// The windows, if any.
        window: Option<WindowSpec>,
        /// When results are emitted.
        emit: Emit,
    },
    /// Stream (left input) looks up the table (right input) by its own key. Output: left key, left values, right values.
    StreamTableJoin {
        /// Inner or left.
        kind: JoinKind,
        /// Where the table's rows are kept.
        store: StoreId,
    },
    /// Keeps a table's rows in a store, so that pull queries can read them and changes carry the old row.
    Materialize {
        /// The store.
        store: StoreId,
    },
    /// Writes a topic that users see, or feeds a push query; ends the plan.
    Sink(Box<SinkSpec>),
}

/// A topic that a node reads or writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TopicRef {
    /// A topic by its own name.
    External(String),
    /// A repartition topic of this plan, by its relative name.
    Internal(String),
}

/// Whether a source's records are events or changes of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SourceKind {
    /// Events; records with a null value are skipped.
    Stream,
    /// Changes by key; a null value deletes, a record with a null key is skipped.
    Table,
}

/// How a source's topic is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceSpec {
    /// Name of the source in the catalog.
    pub name: String,
    /// The topic.
    pub topic: String,
    /// Stream or table.
    pub kind: SourceKind,
    /// How keys are read.
    pub key_format: FormatSpec,
    /// How values are read.
    pub value_format: FormatSpec,
    /// Declared key columns.
    pub keys: Vec<RowColumn>,
    /// Declared value columns, as the value format reads them.
    pub values: Vec<RowColumn>,
    /// Header columns: name and, for HEADER('k'), the key. They follow the values in the output row.
    pub headers: Vec<(String, Option<String>)>,
    /// The column that gives the timestamp; the record's own when absent.
    pub timestamp: Option<TimestampColumn>,
    /// The window a key carries.
    pub window: Option<WindowedKey>,
    /// What happens to records that cannot be read.
    pub on_error: OnError,
}

/// A column that gives records their timestamp.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimestampColumn {
    /// Its name; BIGINT (milliseconds), TIMESTAMP, or STRING with a pattern.
    pub column: String,
    /// Java `DateTimeFormatter` pattern of a STRING column.
    pub pattern: Option<String>,
}

/// The window in a topic's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowedKey {
    /// Its kind.
    pub kind: WindowKind,
    /// Size in milliseconds, absent for sessions.
    pub size: Option<i64>,
}

/// What happens to a record that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnError {
    /// Skip it and write an entry to the processing log.
    Log,
    /// The query stops with the record's coordinates.
    Fail,
}

/// One aggregate function of an [`Operator::Aggregate`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AggregateCall {
    /// Name of the output column.
    pub name: String,
    /// Upper-case function name.
    pub function: String,
    /// Arguments that change by row.
    pub args: Vec<Expr>,
    /// Literal initial arguments.
    pub init: Vec<Value>,
    /// Result type.
    pub ty: SqlType,
}

/// When an aggregate's results are emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Emit {
    /// On changes.
    Changes,
    /// Once, when the window closes.
    Final,
}

/// Kinds of stream-table joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JoinKind {
    /// Only rows that find a match.
    Inner,
    /// All left rows.
    Left,
}

/// Where a plan's rows end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SinkSpec {
    /// The topic; `None` for a push query, whose rows go to its client.
    pub topic: Option<String>,
    /// How keys are written.
    pub key_format: FormatSpec,
    /// How values are written.
    pub value_format: FormatSpec,
    /// A value column that gives the record's timestamp instead of the row's own.
    pub timestamp: Option<TimestampColumn>,
}
