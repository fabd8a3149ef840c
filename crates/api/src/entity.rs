//! What `/ksql` answers: an entity for each statement that has an answer.

mod function;
mod query;
mod schema;
mod source;
mod topic;

pub use function::{ArgumentInfo, FunctionInfo, FunctionName, FunctionType};
pub use query::{QueryDescription, QueryError, QueryKind, RunningQuery, TaskMetadata, TopicOffset};
pub use schema::{FieldInfo, FieldKind, SchemaInfo};
pub use source::{ClusterHostStat, ConsumerOffset, QueryGroup, SourceDescription, SourceInfo, SourceType, TopicGroup};
pub use topic::{TopicInfo, TopicInfoExtended, TopicPartition};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The answer to one statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entity {
    /// The answer itself, with its `@type`.
    #[serde(flatten)]
    pub body: EntityBody,
    /// The statement.
    #[serde(default)]
    pub statement_text: String,
    /// What the user should know.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

impl Entity {
    /// An answer without warnings.
    pub fn new(statement_text: impl Into<String>, body: EntityBody) -> Self {
        Self { body, statement_text: statement_text.into(), warnings: Vec::new() }
    }
}

/// Something that is not an error and that the user should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The text.
    pub message: String,
}

/// An answer, by its `@type`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "@type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum EntityBody {
    /// What became of a statement that was logged as a command.
    #[serde(rename = "currentStatus")]
    CurrentStatus {
        /// `stream/NAME/create` and the like.
        command_id: String,
        /// Its state.
        command_status: CommandStatus,
        /// Its place in the log; -1 if it has none.
        command_sequence_number: i64,
    },
    /// LIST STREAMS.
    Streams {
        /// The streams.
        streams: Vec<SourceInfo>,
    },
    /// LIST TABLES.
    Tables {
        /// The tables.
        tables: Vec<SourceInfo>,
    },
    /// LIST QUERIES.
    Queries {
        /// The queries.
        queries: Vec<RunningQuery>,
    },
    /// EXPLAIN.
    #[serde(rename = "queryDescription")]
    QueryDescription {
        /// The query.
        query_description: Box<QueryDescription>,
    },
    /// LIST QUERIES EXTENDED.
    QueryDescriptions {
        /// The queries.
        query_descriptions: Vec<QueryDescription>,
    },
    /// DESCRIBE of a stream or table.
    #[serde(rename = "sourceDescription")]
    SourceDescription {
        /// The stream or table.
        source_description: Box<SourceDescription>,
    },
    /// LIST STREAMS EXTENDED, LIST TABLES EXTENDED, DESCRIBE STREAMS, DESCRIBE TABLES.
    SourceDescriptions {
        /// The streams or tables.
        source_descriptions: Vec<SourceDescription>,
    },
    /// LIST TOPICS.
    KafkaTopics {
        /// The topics.
        topics: Vec<TopicInfo>,
    },
    /// LIST TOPICS EXTENDED.
    KafkaTopicsExtended {
        /// The topics.
        topics: Vec<TopicInfoExtended>,
    },
    /// LIST PROPERTIES.
    Properties {
        /// Every property.
        properties: Vec<Property>,
        /// Names that the session or request has changed.
        overwritten_properties: Vec<String>,
        /// Names that are at their default.
        default_properties: Vec<String>,
    },
    /// LIST FUNCTIONS.
    FunctionNames {
        /// The functions.
        functions: Vec<FunctionName>,
    },
    /// DESCRIBE FUNCTION.
    DescribeFunction {
        /// Its name.
        name: String,
        /// What it does.
        description: String,
        /// Who wrote it.
        author: String,
        /// Its version.
        version: String,
        /// Where it comes from; `internal` for those built in.
        path: String,
        /// Its forms.
        functions: Vec<FunctionInfo>,
        /// Its kind.
        r#type: FunctionType,
    },
    /// LIST TYPES.
    TypeList {
        /// Schemas by name.
        types: BTreeMap<String, SchemaInfo>,
    },
    /// LIST VARIABLES.
    Variables {
        /// The variables.
        variables: Vec<Variable>,
    },
    /// TERMINATE of a push query.
    TerminateQuery {
        /// The query.
        query_id: String,
        /// True if it ran until now.
        was_terminated: bool,
    },
    /// A statement that did nothing, and why.
    WarningEntity {
        /// The text.
        message: String,
    },
    /// ASSERT TOPIC.
    AssertTopic {
        /// The topic.
        topic_name: String,
        /// Whether it was to be there.
        exists: bool,
    },
    /// ASSERT SCHEMA.
    AssertSchema {
        /// The subject.
        subject: Option<String>,
        /// The schema's id.
        id: Option<i32>,
        /// Whether it was to be there.
        exists: bool,
    },
}

/// The state of a command; also the body of `GET /status/TYPE/ENTITY/ACTION`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandStatus {
    /// How far it is.
    pub status: CommandState,
    /// What to tell the user.
    pub message: String,
    /// The query that it started.
    #[serde(default)]
    pub query_id: Option<String>,
}

/// How far a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum CommandState {
    /// In the log.
    Queued,
    /// Being read.
    Parsing,
    /// Being applied.
    Executing,
    /// Its query runs.
    Running,
    /// Its query was ended.
    Terminated,
    /// Done.
    Success,
    /// Failed.
    Error,
}

/// A row of LIST PROPERTIES.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Property {
    /// The name.
    pub name: String,
    /// `KSQL`.
    pub scope: String,
    /// The value.
    pub value: Option<String>,
    /// True if a session may change it.
    #[serde(default)]
    pub editable: bool,
    /// `QUERY` or `SERVER`.
    #[serde(default)]
    pub level: String,
}

/// A variable of the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}
