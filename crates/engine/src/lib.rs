//! One statement's life, from text to running tasks.
//!
//! parse → prepare (topic facts) → plan (pure) → log (durable) → apply (pure, in log order) → start and stop queries. A
//! request is validated whole in a sandbox before any of its statements is executed. The outside world is [`Env`].

mod engine;
mod env;
mod error;
mod execute;
mod names;
mod outcome;
mod processing_log;
mod push;
mod real;
mod rows;
mod sandbox;
mod schema;
mod session;

pub use engine::{Engine, Health};
pub use env::{Apply, Clock, Entropy, Env, Log, NewRecord, RawRecord, Tasks, TopicFacts, TopicReader, TopicToMake, Topics};
pub use error::{EngineError, ErrorKind};
pub use execute::{Executed, InsertedRow, Printer, PushAnswer, PushNext, QueryAnswer, Rows};
/// The SQL grammar, for front ends that look into statements before they send them here.
pub use flumen_parser as parser;

pub use flumen_cluster::Logged;
pub use flumen_pull::{PullRows, TakeRows};
pub use flumen_worker::{Offer, PushEnd, PushSink, QueryFault, QueryState, QueryStatus, Reach, TaskProgress};
pub use push::{PushEvent, PushRows, PushSender, push_channel};
pub use real::connect;
pub use rows::{cell_of, row_cells};
pub use schema::field_infos;
pub use session::Session;
