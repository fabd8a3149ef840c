//! Operators: what each node of a plan does with its rows. One file each; all are pure but for their own stores.

mod aggregate;
mod filter;
mod flat_map;
mod join;
mod materialize;
mod rekey;
mod repartition;
mod select;
mod sink;
mod table_rows;

use std::sync::Arc;

use flumen_expr::{Random, Registry};
use flumen_plan::{Node, NodeId, Operator as Op, QueryPlan, SubTopology};
use flumen_state::Store;

use crate::needs::Needs;
use crate::task::TaskSettings;
use crate::{Chunk, Outbox, RuntimeError};

pub(crate) use repartition::{RepartitionReader, headers as record_headers};

/// What an operator is given besides its rows.
pub(crate) struct Context<'a> {
    /// Wall clock, epoch milliseconds.
    pub now: i64,
    /// The node at work.
    pub node: NodeId,
    /// Source of randomness for expressions.
    pub random: &'a Random,
    /// Records, rows and log entries go here.
    pub out: &'a mut Outbox,
}

/// A node at work.
pub(crate) trait Operator: Send {
    /// Takes one chunk per input, in the order of the node's inputs, and gives the rows for the nodes behind it: none
    /// from an operator that ends its branch.
    fn process(&mut self, inputs: Inputs, ctx: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError>;

    /// The results held back since the last call.
    fn flush(&mut self) -> Result<Option<Chunk>, RuntimeError> {
        Ok(None)
    }

    /// True while there are results held back.
    fn holds_results(&self) -> bool {
        false
    }

    /// Forgets what it keeps beside its store and its stream time, which have been set anew.
    fn forget(&mut self) {}

    /// Its store.
    fn store(&mut self) -> Option<&mut Store> {
        None
    }

    /// Its stream time, if it keeps one and has seen a row.
    fn stream_time(&self) -> Option<i64> {
        None
    }

    /// Sets its stream time, as after a restart or a rollback.
    fn set_stream_time(&mut self, _time: Option<i64>) {}
}

/// The chunks of a node's inputs; `None` where an input has no rows in this step.
pub(crate) struct Inputs {
    pub left: Option<Chunk>,
    pub right: Option<Chunk>,
}

/// What operators are built from.
pub(crate) struct Builder<'a> {
    pub plan: &'a QueryPlan,
    pub sub: &'a SubTopology,
    pub node: &'a Node,
    pub needs: &'a Needs,
    pub settings: &'a TaskSettings,
    pub registry: &'a Registry,
}

impl Builder<'_> {
    /// The node's input on a side.
    pub fn input(&self, side: usize) -> Result<&Node, RuntimeError> {
        let id = self.node.inputs.get(side);
        let found = id.and_then(|id| self.sub.nodes.iter().find(|n| n.id == *id));
        found.ok_or_else(|| RuntimeError::Plan(format!("node {} lacks input {}", self.node.id.0, side + 1)))
    }

    /// The operator of the node; `store` is the node's store where it has one.
    pub fn build(&self, store: Option<Store>) -> Result<Option<Box<dyn Operator>>, RuntimeError> {
        let needs_store = |store: Option<Store>| store.ok_or_else(|| RuntimeError::Plan(format!("node {} has no store", self.node.id.0)));
        Ok(Some(match &self.node.op {
            Op::Source(_) | Op::RepartitionSource { .. } => return Ok(None),
            Op::Filter { predicate } => Box::new(filter::Filter::new(self, predicate)?),
            Op::Select { values, .. } => Box::new(select::Select::new(self, values)?),
            Op::FlatMap { functions } => Box::new(flat_map::FlatMap::new(self, functions)?),
            Op::Rekey { keys, values, drop_null_keys } => Box::new(rekey::Rekey::new(self, keys, values, *drop_null_keys)?),
            Op::Repartition { topic, key_format } => Box::new(repartition::Repartition::new(self, topic, key_format)?),
            Op::Aggregate { calls, window, emit, .. } => aggregate::build(self, calls, *window, *emit, needs_store(store)?)?,
            Op::StreamTableJoin { kind, .. } => Box::new(join::StreamTableJoin::new(self, *kind, needs_store(store)?)?),
            Op::Materialize { .. } => Box::new(materialize::Materialize::new(self, needs_store(store)?)?),
            Op::Sink(spec) => Box::new(sink::Sink::new(self, spec)?),
        }))
    }

    /// Full name of a repartition topic, and its number of partitions.
    pub fn repartition(&self, topic: &str) -> Result<(Arc<str>, i32), RuntimeError> {
        let found = self.plan.repartition_topics.iter().find(|t| t.name == topic);
        let partitions = found.map(|t| t.partitions).ok_or_else(|| RuntimeError::Plan(format!("no repartition topic {topic}")))?;
        let name = flumen_plan::names::repartition_topic(&self.settings.service_id, &self.settings.query, topic);
        let partitions = self.settings.partitions.get(name.as_str()).copied().unwrap_or(partitions);
        Ok((name.into(), partitions))
    }
}
