//! The engine's outside world, behind traits: Kafka and threads in production, memory in the test runner.

use std::collections::BTreeMap;
use std::sync::Arc;

use flumen_catalog::{Command, QueryDef};
use flumen_cluster::Logged;
use flumen_plan::{QueryId, QueryPlan};
use flumen_state::Backend;

use flumen_worker::{PushSink, QueryStatus, Reach};

use crate::EngineError;

/// Everything the engine does outside its own memory goes through these.
#[derive(Clone)]
pub struct Env {
    /// Topics and the records written to them directly.
    pub topics: Arc<dyn Topics>,
    /// The command log.
    pub log: Arc<dyn Log>,
    /// Running queries.
    pub tasks: Arc<dyn Tasks>,
    /// The wall clock.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Entropy>,
}

/// What is known of a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicFacts {
    /// Its name.
    pub name: String,
    /// Number of partitions.
    pub partitions: i32,
    /// Replicas of each.
    pub replicas: i32,
    /// Its `retention.ms`, when it was asked for and is known.
    pub retention_ms: Option<i64>,
}

/// A topic to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicToMake {
    /// Its name.
    pub name: String,
    /// Number of partitions.
    pub partitions: i32,
    /// Replicas, −1 for the broker's default.
    pub replicas: i32,
    /// Topic configs.
    pub configs: BTreeMap<String, String>,
}

/// One record as PRINT sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawRecord {
    /// Partition.
    pub partition: i32,
    /// Offset.
    pub offset: i64,
    /// Timestamp in milliseconds.
    pub timestamp: i64,
    /// Key bytes.
    pub key: Option<Vec<u8>>,
    /// Value bytes.
    pub value: Option<Vec<u8>>,
}

/// Reads a topic for PRINT.
pub trait TopicReader: Send {
    /// The next records, waiting a moment for them; empty when none came.
    fn read(&mut self) -> Result<Vec<RawRecord>, EngineError>;
}

/// Topics.
pub trait Topics: Send + Sync {
    /// What is known of a topic, `None` when it does not exist.
    fn describe(&self, topic: &str) -> Result<Option<TopicFacts>, EngineError>;
    /// All topics.
    fn list(&self) -> Result<Vec<TopicFacts>, EngineError>;
    /// Makes a topic; one that exists is left as it is.
    fn create(&self, topic: &TopicToMake) -> Result<(), EngineError>;
    /// Deletes a topic; one that does not exist is no error.
    fn delete(&self, topic: &str) -> Result<(), EngineError>;
    /// Appends one record and waits until it is durable.
    fn produce(&self, topic: &str, partition: i32, record: &NewRecord<'_>) -> Result<(), EngineError>;
    /// Log start and end offsets by partition.
    fn ends(&self, topic: &str) -> Result<Vec<(i64, i64)>, EngineError>;
    /// Reads a topic from its beginning or from its end on.
    fn read(&self, topic: &str, from_beginning: bool) -> Result<Box<dyn TopicReader>, EngineError>;
    /// Whether Kafka answers.
    fn check(&self) -> Result<(), EngineError>;
    /// Kafka's cluster id.
    fn cluster_id(&self) -> Result<String, EngineError>;
}

/// A record to append.
#[derive(Debug, Clone, Copy)]
pub struct NewRecord<'a> {
    /// Key bytes.
    pub key: Option<&'a [u8]>,
    /// Value bytes.
    pub value: Option<&'a [u8]>,
    /// Timestamp in milliseconds.
    pub timestamp: i64,
}

/// Called with every record of the command log in offset order.
pub type Apply = Box<dyn FnMut(Logged) + Send>;

/// The command log.
pub trait Log: Send + Sync {
    /// Replays the log to its end, then goes on applying what is appended.
    fn open(&self, apply: Apply) -> Result<(), EngineError>;
    /// Makes a command durable; it will be applied with this token.
    fn append(&self, token: &str, command: &Command) -> Result<(), EngineError>;
    /// Stops applying; the log stays.
    fn close(&self);
}

/// Running queries.
pub trait Tasks: Send + Sync {
    /// Starts a persistent query. Returns at once; what goes wrong is in its status.
    fn start(&self, query: &Arc<QueryDef>);
    /// Goes on with another plan under the same id.
    fn replace(&self, query: &Arc<QueryDef>);
    /// Stops a query and deletes its state, internal topics and positions.
    fn stop(&self, query: &Arc<QueryDef>);
    /// Lets a query stand still.
    fn pause(&self, query: &QueryId);
    /// Lets it go on.
    fn resume(&self, query: &QueryId);
    /// How a query fares.
    fn status(&self, query: &QueryId) -> QueryStatus;
    /// Starts a push query whose rows go to this sink.
    fn push(&self, id: QueryId, plan: Arc<QueryPlan>, reach: Reach, sink: Box<dyn PushSink>) -> Result<(), EngineError>;
    /// Ends a push query; unknown ids are no error.
    fn stop_push(&self, id: &QueryId);
    /// The committed state, for pull queries.
    fn backend(&self) -> Arc<dyn Backend>;
    /// Stops everything, keeping state.
    fn close(&self);
}

/// The wall clock.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970-01-01T00:00Z.
    fn now_ms(&self) -> i64;
}

/// Randomness.
pub trait Entropy: Send + Sync {
    /// Sixty-four random bits.
    fn next(&self) -> u64;
}
