//! The commands of the log: what is persisted, shipped to every node and applied in offset order.

use flumen_plan::{QueryPlan, SourceKind, versioned};
use flumen_types::{Column, SqlType};
use serde::{Deserialize, Serialize};

use crate::{CatalogError, SourceDef};

/// One record of the command log: a planned statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Command {
    /// The statement as the user wrote it.
    pub statement: String,
    /// What it does to the catalog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ddl: Option<Ddl>,
    /// The query it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<QueryPlan>,
    /// The id asked for with INSERT INTO … WITH (QUERY_ID = …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_id: Option<String>,
}

/// A change of the catalog.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Ddl {
    /// CREATE STREAM, CREATE TABLE, with or without AS SELECT.
    CreateSource {
        /// The new source.
        source: Box<SourceDef>,
        /// With OR REPLACE.
        or_replace: bool,
    },
    /// ALTER … ADD COLUMN.
    AlterSource {
        /// Stream or table, as the statement says.
        kind: SourceKind,
        /// The source.
        name: String,
        /// The new value columns.
        columns: Vec<Column>,
    },
    /// DROP STREAM, DROP TABLE.
    DropSource {
        /// Stream or table, as the statement says.
        kind: SourceKind,
        /// The source.
        name: String,
        /// With IF EXISTS.
        if_exists: bool,
        /// With DELETE TOPIC.
        delete_topic: bool,
    },
    /// CREATE TYPE.
    CreateType {
        /// The new type's name.
        name: String,
        /// What it stands for, custom types resolved.
        ty: SqlType,
        /// With IF NOT EXISTS.
        if_not_exists: bool,
    },
    /// DROP TYPE.
    DropType {
        /// The type's name.
        name: String,
        /// With IF EXISTS.
        if_exists: bool,
    },
    /// TERMINATE.
    Terminate {
        /// Which queries.
        target: QueryTarget,
    },
    /// PAUSE.
    Pause {
        /// Which queries.
        target: QueryTarget,
    },
    /// RESUME.
    Resume {
        /// Which queries.
        target: QueryTarget,
    },
}

/// The queries a statement is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum QueryTarget {
    /// All persistent queries.
    All,
    /// The query of this id, ignoring case.
    Id(String),
}

impl Command {
    /// The persisted form: a version byte, then JSON.
    ///
    /// # Errors
    /// A value that JSON cannot hold.
    pub fn encode(&self) -> Result<Vec<u8>, CatalogError> {
        Ok(versioned::encode("command", self)?)
    }

    /// Reads the persisted form.
    ///
    /// # Errors
    /// Bytes of another version, or damaged ones.
    pub fn decode(bytes: &[u8]) -> Result<Self, CatalogError> {
        Ok(versioned::decode("command", bytes)?)
    }
}
