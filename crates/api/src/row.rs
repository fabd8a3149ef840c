//! The parts of a query's answer: first the columns, then rows, then how it ended.

use crate::ErrorBody;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// One value of a row, as the JSON text that is on the wire: a decimal keeps all its digits.
pub type Cell = Box<RawValue>;

/// A cell holding a value's JSON; null for what JSON cannot hold.
pub fn cell<T: Serialize + ?Sized>(value: &T) -> Cell {
    serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// One element of the array form (`application/vnd.ksql.v1+json`): exactly one of its fields is there.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StreamedRow {
    /// The columns; comes first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<Header>,
    /// A row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<Row>,
    /// What went wrong; comes last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<ErrorBody>,
    /// Why it ended; comes last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_message: Option<String>,
}

/// The columns of an answer in the array form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// The query; push queries always have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_id: Option<String>,
    /// Names in back-ticks with types: `` `ID` INTEGER KEY, `V` STRING ``.
    pub schema: String,
}

/// A row of the array form.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The values, in the order of the columns.
    pub columns: Vec<Cell>,
    /// True where a table's row was deleted: the key columns say which, the others are null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tombstone: Option<bool>,
}

/// The first line of the line form (`application/vnd.ksqlapi.delimited.v1`); each row after it is an array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamHead {
    /// The query; push queries always have one.
    pub query_id: Option<String>,
    /// The names of the columns.
    pub column_names: Vec<String>,
    /// Their types.
    pub column_types: Vec<String>,
}

impl StreamedRow {
    /// The first element.
    pub fn head(header: Header) -> Self {
        Self { header: Some(header), ..Self::default() }
    }

    /// A row.
    pub fn row(columns: Vec<Cell>) -> Self {
        Self { row: Some(Row { columns, tombstone: None }), ..Self::default() }
    }

    /// A row that was deleted.
    pub fn tombstone(columns: Vec<Cell>) -> Self {
        Self { row: Some(Row { columns, tombstone: Some(true) }), ..Self::default() }
    }

    /// The last element of an answer that ended as it should.
    pub fn end(message: impl Into<String>) -> Self {
        Self { final_message: Some(message.into()), ..Self::default() }
    }

    /// The last element of an answer that failed.
    pub fn failure(error: ErrorBody) -> Self {
        Self { error_message: Some(error), ..Self::default() }
    }

    /// Why a LIMIT ends a query.
    pub const LIMIT_REACHED: &'static str = "Limit Reached";
    /// Why a query ends that has read everything.
    pub const QUERY_COMPLETED: &'static str = "Query Completed";
}
