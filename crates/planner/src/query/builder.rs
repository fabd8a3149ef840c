//! Making the nodes, sub-topologies, stores and topics of a plan.

use std::collections::BTreeMap;

use flumen_plan::{
    InternalTopic, Node, NodeId, Operator, QueryKind, QueryPlan, RowSchema, StoreId, StoreKind, StoreSpec, SubTopology, SubTopologyId,
};
use flumen_types::FormatSpec;

use super::flow::Flow;
use crate::PlanError;

/// A plan in the making.
#[derive(Default)]
pub(crate) struct Builder {
    nodes: u32,
    subs: Vec<SubTopology>,
    topics: Vec<InternalTopic>,
    names: BTreeMap<&'static str, u32>,
    missing: Option<PlanError>,
    /// The store pull queries may read.
    pub(crate) materialized: Option<StoreId>,
}

impl Builder {
    /// Starts another sub-topology and gives its position.
    pub(crate) fn sub_topology(&mut self) -> usize {
        let id = SubTopologyId(self.subs.len() as u32);
        self.subs.push(SubTopology { id, nodes: Vec::new(), stores: Vec::new() });
        self.subs.len() - 1
    }

    /// Adds a node.
    pub(crate) fn node(&mut self, sub: usize, op: Operator, inputs: Vec<NodeId>, schema: RowSchema, table: bool) -> NodeId {
        let id = NodeId(self.nodes);
        self.nodes += 1;
        if let Some(sub) = self.subs.get_mut(sub) {
            sub.nodes.push(Node { id, op, inputs, schema, table });
        }
        id
    }

    /// Puts a node behind a flow, which then has this schema.
    pub(crate) fn append(&mut self, flow: &mut Flow, op: Operator, schema: RowSchema) {
        flow.node = self.node(flow.sub, op, vec![flow.node], schema.clone(), flow.table);
        flow.schema = schema;
    }

    /// The next name of this kind, such as `aggregate-1`. Names count by kind so that a filter put before an aggregate
    /// does not give its store another name.
    fn name(&mut self, kind: &'static str) -> String {
        let count = self.names.entry(kind).or_insert(0);
        *count += 1;
        format!("{kind}-{count}")
    }

    /// Puts a node that owns a store behind a flow; `op` makes the operator from the store's name.
    pub(crate) fn append_with_store(
        &mut self,
        flow: &mut Flow,
        name: &'static str,
        kind: StoreKind,
        schema: RowSchema,
        op: impl FnOnce(StoreId) -> Operator,
    ) -> StoreId {
        let id = StoreId(self.name(name));
        self.append(flow, op(id.clone()), schema.clone());
        self.add_store(flow.sub, StoreSpec { id: id.clone(), node: flow.node, kind, schema });
        id
    }

    /// The rows of a flow are changes of a table from its last node on.
    pub(crate) fn mark_table(&mut self, flow: &mut Flow) {
        flow.table = true;
        let nodes = self.subs.get_mut(flow.sub).map(|s| s.nodes.as_mut_slice()).unwrap_or_default();
        if let Some(node) = nodes.iter_mut().find(|n| n.id == flow.node) {
            node.table = true;
        }
    }

    /// A name for a store whose node is made apart.
    pub(crate) fn store_id(&mut self, name: &'static str) -> StoreId {
        StoreId(self.name(name))
    }

    /// Adds a store to a sub-topology.
    pub(crate) fn add_store(&mut self, sub: usize, store: StoreSpec) {
        if let Some(sub) = self.subs.get_mut(sub) {
            sub.stores.push(store);
        }
    }

    /// Sends a flow through a repartition topic into a sub-topology of its own.
    pub(crate) fn repartition(&mut self, flow: &mut Flow, key_format: FormatSpec, partitions: i32) {
        let topic = self.name("repartition");
        let write = Operator::Repartition { topic: topic.clone(), key_format: key_format.clone() };
        self.append(flow, write, flow.schema.clone());
        self.topics.push(InternalTopic { name: topic.clone(), partitions, schema: flow.schema.clone(), table: flow.table });
        flow.sub = self.sub_topology();
        flow.node = self.node(flow.sub, Operator::RepartitionSource { topic }, Vec::new(), flow.schema.clone(), flow.table);
        flow.partitions = partitions;
        flow.key_format = key_format;
    }

    /// Notes a missing feature. Planning goes on, so that a user's mistake further on is found first.
    pub(crate) fn missing(&mut self, feature: PlanError) {
        self.missing.get_or_insert(feature);
    }

    /// The finished plan, unless a feature it needs is missing.
    pub(crate) fn finish(
        mut self,
        kind: QueryKind,
        sources: Vec<String>,
        sink: Option<String>,
        properties: BTreeMap<String, String>,
    ) -> Result<QueryPlan, PlanError> {
        if let Some(missing) = self.missing.take() {
            return Err(missing);
        }
        let materialized = self.materialized.take();
        Ok(self.plan(kind, sources, sink, properties, materialized))
    }

    /// The plan as it stands.
    pub(crate) fn plan(
        self,
        kind: QueryKind,
        sources: Vec<String>,
        sink: Option<String>,
        properties: BTreeMap<String, String>,
        materialized: Option<StoreId>,
    ) -> QueryPlan {
        QueryPlan { kind, sources, sink, sub_topologies: self.subs, repartition_topics: self.topics, materialized, properties }
    }
}
