//! The persisted, versioned, explainable plan of a query: sub-topologies of operator nodes, their stores and topics.
//!
//! A plan names stores and internal topics relative to itself only ([`names`] makes the full ones once the query has an
//! id). What is logged, shipped to nodes and executed is one and the same [`QueryPlan`].

mod error;
mod explain;
mod ids;
pub mod names;
mod node;
mod positions;
mod pull;
mod query;
mod row;
pub mod versioned;

pub use error::PlanError;
pub use ids::{NodeId, QueryId, StoreId, SubTopologyId, TaskId};
pub use node::{
    AggregateCall, Emit, JoinKind, Node, OnError, Operator, SinkSpec, SourceKind, SourceSpec, TimestampColumn, TopicRef, WindowedKey,
};
pub use positions::{InputPosition, Positions};
pub use pull::{KeyBounds, PullPlan, WindowBounds};
pub use query::{InternalTopic, QueryKind, QueryPlan, StoreKind, StoreSpec, SubTopology};
pub use row::{NamedExpr, RowColumn, RowSchema};
