//! Identifiers of queries, sub-topologies, nodes, stores and tasks.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A query's id, such as `CSAS_ORDERS_BIG_7`; its number is the offset of its command record.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct QueryId(pub String);

impl fmt::Display for QueryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A sub-topology's number within its plan, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SubTopologyId(pub u32);

/// A node's number within its plan, unique over all its sub-topologies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(pub u32);

/// A store's name relative to its plan, such as `aggregate-3`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StoreId(pub String);

/// One task: a sub-topology of a query on one partition of its inputs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TaskId {
    /// The query.
    pub query: QueryId,
    /// The sub-topology.
    pub sub_topology: SubTopologyId,
    /// The partition of every input topic.
    pub partition: i32,
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}_{}", self.query, self.sub_topology.0, self.partition)
    }
}
