//! The JSON bodies of the HTTP API, as ksqlDB's clients know them: shared by server, shell and test runner.
//!
//! Field names and shapes are the protocol; nothing here knows what the values mean.

mod entity;
mod error;
mod request;
mod row;
mod server;

pub use entity::{
    ArgumentInfo, ClusterHostStat, CommandState, CommandStatus, ConsumerOffset, Entity, EntityBody, FieldInfo, FieldKind, FunctionInfo,
    FunctionName, FunctionType, Property, QueryDescription, QueryError, QueryGroup, QueryKind, RunningQuery, SchemaInfo, SourceDescription,
    SourceInfo, SourceType, TaskMetadata, TopicGroup, TopicInfo, TopicInfoExtended, TopicOffset, TopicPartition, Variable, Warning,
};
pub use error::{ErrorBody, ErrorCode};
pub use request::{
    CloseQuery, InsertAck, InsertStatus, InsertsStreamArgs, KsqlRequest, QueryStreamArgs, TerminateCluster, Values, values_as_text,
};
pub use row::{Cell, Header, Row, StreamHead, StreamedRow, cell};
pub use server::{CommandStatuses, Health, HealthDetail, Info, ServerInfo, ServerState};

/// Media types of the API.
pub mod media {
    /// The API's own JSON.
    pub const KSQL_V1: &str = "application/vnd.ksql.v1+json";
    /// One JSON value a line, the first being [`StreamHead`](super::StreamHead).
    pub const DELIMITED_V1: &str = "application/vnd.ksqlapi.delimited.v1";
    /// Plain JSON.
    pub const JSON: &str = "application/json";
}
