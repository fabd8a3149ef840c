//! One sub-topology of a query on one partition, as a pure state machine.

mod build;
mod commit;
mod merge;
mod restore;

use std::collections::HashMap;
use std::sync::Arc;

use flumen_expr::{Random, Registry};
use flumen_plan::{InputPosition, NodeId, Positions, QueryId, QueryPlan, SubTopologyId, TaskId};
use flumen_state::Backend;
use flumen_wire::RecordChunk;

use crate::operator::{Context, Inputs, Operator, RepartitionReader};
use crate::source::{Read, SourceReader};
use crate::{Chunk, Outbox, RuntimeError};

pub use commit::TaskCommit;

/// What a task needs to know besides its plan.
#[derive(Debug, Clone)]
pub struct TaskSettings {
    /// The cluster's `ksql.service.id`, part of the names of internal topics.
    pub service_id: String,
    /// The query.
    pub query: QueryId,
    /// The partition of all inputs that this task reads.
    pub partition: i32,
    /// Number of partitions of the topics it writes, by full name. A repartition topic that is missing has its plan's.
    pub partitions: HashMap<String, i32>,
    /// 0: aggregates give every change of a result. More: they give the last one per key before each commit
    /// ([`Task::flush`]), and a commit is due when [`Task::dirty_bytes`] passes this.
    pub cache_bytes: usize,
    /// How many bytes of clean rows each store may keep in memory.
    pub overlay_bytes: usize,
    /// Seed of the functions that are random.
    pub seed: u64,
}

/// An input of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Full name of the topic; the partition is the task's.
    pub topic: Arc<str>,
    /// The node that reads it.
    pub node: NodeId,
    /// True for a repartition topic of the query.
    pub internal: bool,
}

/// How the records of an input are placed among those of the others.
#[derive(Debug, Clone, Copy)]
pub enum Order<'a> {
    /// By the rows' timestamps, inputs in their order where these are equal; within an input by offset.
    ByTimestamp,
    /// The place of each record: rank in the upper 32 bits. As many as records, rising.
    Given(&'a [u64]),
}

/// The records of one input in a step.
#[derive(Debug, Clone, Copy)]
pub struct StepInput<'a> {
    /// Its number among [`Task::inputs`].
    pub input: usize,
    /// The records, following those of the last step.
    pub records: &'a RecordChunk,
    /// Their order; alike for all inputs of a step.
    pub order: Order<'a>,
}

/// The records a task takes at once. Results do not depend on how they are divided into steps.
#[derive(Debug, Clone, Default)]
pub struct Step<'a> {
    /// At most one entry an input.
    pub inputs: Vec<StepInput<'a>>,
}

/// A task.
pub struct Task {
    id: TaskId,
    inputs: Vec<InputState>,
    nodes: Vec<NodeState>,
    stores: Vec<commit::StoreState>,
    backend: Arc<dyn Backend>,
    random: Random,
    positions: Positions,
    applied: Positions,
}

struct InputState {
    input: Input,
    /// Its place among the nodes.
    node: usize,
    reader: Reader,
}

enum Reader {
    Source(Box<SourceReader>),
    Repartition(RepartitionReader),
}

struct NodeState {
    id: NodeId,
    /// `None` for a source.
    operator: Option<Box<dyn Operator>>,
    inputs: Vec<usize>,
    /// The last node that reads its rows.
    last_reader: Option<usize>,
}

impl Task {
    /// A task at the start of its inputs; see [`Task::resume`].
    ///
    /// # Errors
    /// A plan this version cannot execute, or a fault of the backend.
    pub fn new(
        plan: Arc<QueryPlan>,
        sub: SubTopologyId,
        settings: TaskSettings,
        backend: Arc<dyn Backend>,
        registry: Arc<Registry>,
    ) -> Result<Task, RuntimeError> {
        build::task(&plan, sub, &settings, backend, &registry)
    }

    /// Which task it is.
    pub fn id(&self) -> &TaskId {
        &self.id
    }

    /// The topics it reads.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = &Input> {
        self.inputs.iter().map(|i| &i.input)
    }

    /// How far it has read, uncommitted steps included.
    pub fn positions(&self) -> &Positions {
        &self.positions
    }

    /// The times by which the records of an input are placed among those of others, where these are not the records' own:
    /// a column of the source gives them. A record that does not count keeps its own.
    ///
    /// # Errors
    /// As reading the records in [`Task::process`].
    pub fn column_times(&mut self, input: usize, records: &RecordChunk) -> Result<Option<Vec<i64>>, RuntimeError> {
        match self.inputs.get_mut(input).map(|state| &mut state.reader) {
            Some(Reader::Source(reader)) if reader.has_time_column() => reader.times(records).map(Some),
            _ => Ok(None),
        }
    }

    /// Takes records through all operators.
    ///
    /// # Errors
    /// After an error the task's state is undefined until [`Task::rollback`].
    pub fn process(&mut self, step: &Step<'_>, now: i64) -> Result<Outbox, RuntimeError> {
        let mut out = Outbox::default();
        let mut reads: Vec<(usize, Read)> = Vec::with_capacity(step.inputs.len());
        for part in &step.inputs {
            let state = self.inputs.get_mut(part.input).ok_or_else(|| internal("a step names an input that is not there"))?;
            if reads.iter().any(|(i, _)| *i == part.input) {
                return Err(internal("a step names an input twice"));
            }
            let read = match &mut state.reader {
                Reader::Source(reader) => reader.read(part.records, &mut out.log)?,
                Reader::Repartition(reader) => Read { chunk: reader.read(part.records)?, records: None },
            };
            reads.push((part.input, read));
        }
        let orders: Vec<Order<'_>> = step.inputs.iter().map(|p| p.order).collect();
        merge::rank(&mut reads, &orders)?;
        let mut chunks: Vec<Option<Chunk>> = self.nodes.iter().map(|_| None).collect();
        for (part, (input, read)) in step.inputs.iter().zip(reads) {
            self.advance(input, part.records.next_offset(), read.chunk.timestamps.values().iter().copied().max());
            let node = self.inputs.get(input).map_or(0, |i| i.node);
            if let Some(slot) = chunks.get_mut(node) {
                *slot = Some(read.chunk);
            }
        }
        self.run(&mut chunks, now, false, &mut out)?;
        Ok(out)
    }

    /// Gives the results that were held back, to be written with the commit that is prepared next.
    ///
    /// # Errors
    /// As [`Task::process`].
    pub fn flush(&mut self, now: i64) -> Result<Outbox, RuntimeError> {
        let mut out = Outbox::default();
        let mut chunks: Vec<Option<Chunk>> = self.nodes.iter().map(|_| None).collect();
        if self.holds_results() {
            self.run(&mut chunks, now, true, &mut out)?;
        }
        Ok(out)
    }

    fn holds_results(&self) -> bool {
        self.nodes.iter().filter_map(|n| n.operator.as_ref()).any(|o| o.holds_results())
    }

    /// Notes that an input was read up to an offset without records to take, as behind control records.
    pub fn skip_to(&mut self, input: usize, next: i64) {
        self.advance(input, Some(next), None);
    }

    /// What has become due by this time.
    pub fn tick(&mut self, _now: i64) -> Outbox {
        Outbox::default()
    }

    /// When [`Task::tick`] has something to do; `None` when only records bring the task on.
    pub fn next_deadline(&self) -> Option<i64> {
        None
    }

    /// Every node takes what those before it gave, in order; with `flush` it gives what it held back as well.
    fn run(&mut self, chunks: &mut [Option<Chunk>], now: i64, flush: bool, out: &mut Outbox) -> Result<(), RuntimeError> {
        for at in 0..self.nodes.len() {
            let left = self.take_input(chunks, at, 0);
            let right = self.take_input(chunks, at, 1);
            let Some(node) = self.nodes.get_mut(at) else { continue };
            let Some(operator) = &mut node.operator else { continue };
            let mut given = None;
            if left.is_some() || right.is_some() {
                let mut ctx = Context { now, node: node.id, random: &self.random, out };
                given = operator.process(Inputs { left, right }, &mut ctx)?;
            }
            // An operator that holds results back gives none of them while it processes.
            if flush && given.is_none() {
                given = operator.flush()?;
            }
            if let Some(slot) = chunks.get_mut(at) {
                *slot = given.filter(|c| !c.is_empty());
            }
        }
        Ok(())
    }

    /// The rows on one side of a node; moved to the last node that reads them.
    fn take_input(&self, chunks: &mut [Option<Chunk>], at: usize, side: usize) -> Option<Chunk> {
        let from = *self.nodes.get(at)?.inputs.get(side)?;
        let last = self.nodes.get(from)?.last_reader == Some(at);
        let chunk = chunks.get_mut(from)?;
        let taken = if last { chunk.take() } else { chunk.clone() };
        taken.filter(|c| !c.is_empty())
    }

    fn advance(&mut self, input: usize, next: Option<i64>, time: Option<i64>) {
        let Some(state) = self.inputs.get(input) else { return };
        let topic = state.input.topic.as_ref();
        let at = self.positions.inputs.iter().position(|p| p.topic == topic);
        let at = at.unwrap_or_else(|| {
            let start = InputPosition { topic: topic.to_string(), partition: self.id.partition, next: 0, time: -1 };
            self.positions.inputs.push(start);
            self.positions.inputs.len() - 1
        });
        if let Some(position) = self.positions.inputs.get_mut(at) {
            position.next = next.map_or(position.next, |n| n.max(position.next));
            position.time = time.map_or(position.time, |t| t.max(position.time));
        }
    }
}

fn internal(text: &str) -> RuntimeError {
    RuntimeError::Internal(text.to_string())
}
