//! A query's plan as a whole.

use std::collections::BTreeMap;

use flumen_types::{FormatSpec, WindowSpec};
use serde::{Deserialize, Serialize};

use crate::{Node, NodeId, Operator, PlanError, RowSchema, SourceSpec, StoreId, SubTopologyId, versioned};

/// What a query is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum QueryKind {
    /// CREATE STREAM AS SELECT: id prefix `CSAS`.
    CreateStreamAs,
    /// CREATE TABLE AS SELECT: id prefix `CTAS`.
    CreateTableAs,
    /// INSERT INTO … SELECT.
    Insert,
    /// The materialising query of a SOURCE TABLE: id prefix `CST`.
    SourceTable,
    /// A push query of one client.
    Push,
}

/// A query, planned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryPlan {
    /// What it is for.
    pub kind: QueryKind,
    /// Names of the sources it reads, left to right.
    pub sources: Vec<String>,
    /// Name of the source it writes, absent for push queries and SOURCE tables.
    pub sink: Option<String>,
    /// Its sub-topologies, each after those that write the repartition topics it reads.
    pub sub_topologies: Vec<SubTopology>,
    /// Its repartition topics.
    pub repartition_topics: Vec<InternalTopic>,
    /// The store pull queries read, when the result is a table that is kept.
    pub materialized: Option<StoreId>,
    /// Properties given with the statement, frozen.
    pub properties: BTreeMap<String, String>,
}

/// Nodes connected without a topic between them: what one task runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SubTopology {
    /// Its number.
    pub id: SubTopologyId,
    /// Nodes, inputs before those that read them.
    pub nodes: Vec<Node>,
    /// Stores of its nodes.
    pub stores: Vec<StoreSpec>,
}

/// A repartition topic of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InternalTopic {
    /// Name relative to the plan, such as `repartition-4`.
    pub name: String,
    /// Number of partitions.
    pub partitions: i32,
    /// The rows in it.
    pub schema: RowSchema,
    /// True when the rows are changes of a table.
    pub table: bool,
}

/// How a store is laid out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum StoreKind {
    /// Key to row.
    KeyValue,
    /// Key and window to row, dropped after the retention.
    Windowed(WindowSpec),
}

/// A store of a sub-topology.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoreSpec {
    /// Name relative to the plan.
    pub id: StoreId,
    /// The node that owns it.
    pub node: NodeId,
    /// Its layout.
    pub kind: StoreKind,
    /// Key columns and the columns a reader of the store gets: for an aggregate the results, else the row's values.
    pub schema: RowSchema,
}

impl QueryPlan {
    /// The persisted form: a version byte, then JSON.
    pub fn encode(&self) -> Result<Vec<u8>, PlanError> {
        versioned::encode("query plan", self)
    }

    /// Reads the persisted form.
    pub fn decode(bytes: &[u8]) -> Result<Self, PlanError> {
        versioned::decode("query plan", bytes)
    }

    /// All nodes with their sub-topology.
    pub fn nodes(&self) -> impl Iterator<Item = (SubTopologyId, &Node)> {
        self.sub_topologies.iter().flat_map(|s| s.nodes.iter().map(move |n| (s.id, n)))
    }

    /// The node of this id.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes().map(|(_, n)| n).find(|n| n.id == id)
    }

    /// The sink node, of which every plan but a SOURCE table's has one.
    pub fn sink_node(&self) -> Option<&Node> {
        self.nodes().map(|(_, n)| n).find(|n| matches!(n.op, Operator::Sink(_)))
    }

    /// The store of this id with its sub-topology.
    pub fn store(&self, id: &StoreId) -> Option<(SubTopologyId, &StoreSpec)> {
        self.sub_topologies.iter().find_map(|s| s.stores.iter().find(|st| st.id == *id).map(|st| (s.id, st)))
    }
}

impl SubTopology {
    /// The external sources it reads.
    pub fn sources(&self) -> impl Iterator<Item = (NodeId, &SourceSpec)> {
        self.nodes.iter().filter_map(|n| match &n.op {
            Operator::Source(spec) => Some((n.id, spec.as_ref())),
            _ => None,
        })
    }

    /// Relative names of the repartition topics it reads.
    pub fn repartition_sources(&self) -> impl Iterator<Item = (NodeId, &str)> {
        self.nodes.iter().filter_map(|n| match &n.op {
            Operator::RepartitionSource { topic } => Some((n.id, topic.as_str())),
            _ => None,
        })
    }

    /// Relative names and key formats of the repartition topics it writes.
    pub fn repartition_sinks(&self) -> impl Iterator<Item = (NodeId, &str, &FormatSpec)> {
        self.nodes.iter().filter_map(|n| match &n.op {
            Operator::Repartition { topic, key_format } => Some((n.id, topic.as_str(), key_format)),
            _ => None,
        })
    }
}
