//! Runs one query in memory, for tests: one record at a time, all records at once, or with a crash between any two.
//!
//! Every topic has one partition. The query's internal topics are fed back to it; what it writes to others is only
//! appended to them. All modes write the same records in the same order to each topic.

mod topics;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use flumen_expr::Registry;
use flumen_plan::{Operator, Positions, QueryId, QueryPlan, names};
use flumen_state::Backend;
use flumen_wire::{RecordChunk, RecordColumns};

use crate::{Chunk, LogEntry, Order, Outbox, RuntimeError, Step, StepInput, Task, TaskSettings};

pub use topics::{MemoryTopics, Record, Topics};

/// How records are divided into steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One record a step, to rest, then a commit.
    Straight,
    /// All records in one step, then a commit.
    Chunk,
    /// As straight; besides, each record is first processed in vain and rolled back, and after each commit all tasks are
    /// lost and made anew from their changelogs.
    Crash,
}

/// A record given to the query.
#[derive(Debug, Clone)]
pub struct Fed {
    /// Its topic.
    pub topic: Arc<str>,
    /// Its offset there.
    pub offset: i64,
    /// The record.
    pub record: Record,
}

/// What a run gave besides the records it wrote.
#[derive(Debug, Default)]
pub struct Ran {
    /// Rows of a push query.
    pub rows: Vec<Chunk>,
    /// Entries for the processing log.
    pub log: Vec<LogEntry>,
}

/// One query at work.
pub struct Driver {
    plan: Arc<QueryPlan>,
    mode: Mode,
    settings: TaskSettings,
    registry: Arc<Registry>,
    backend: Arc<dyn Backend>,
    tasks: Vec<Task>,
    changelogs: BTreeMap<Arc<str>, RecordChunk>,
}

impl Driver {
    /// A query before its first record, with empty state.
    ///
    /// # Errors
    /// A plan that cannot be executed.
    pub fn new(plan: Arc<QueryPlan>, query: QueryId, registry: Arc<Registry>, mode: Mode) -> Result<Driver, RuntimeError> {
        let service_id = "test_".to_string();
        let mut partitions = HashMap::new();
        for (_, node) in plan.nodes() {
            if let Operator::Sink(sink) = &node.op {
                partitions.extend(sink.topic.iter().map(|t| (t.clone(), 1)));
            }
        }
        for topic in &plan.repartition_topics {
            partitions.insert(names::repartition_topic(&service_id, &query, &topic.name), 1);
        }
        let settings = TaskSettings { service_id, query, partition: 0, partitions, cache_bytes: 0, overlay_bytes: 1 << 20, seed: 1 };
        let backend = flumen_state::memory();
        let tasks = tasks(&plan, &settings, &backend, &registry)?;
        Ok(Driver { plan, mode, settings, registry, backend, tasks, changelogs: BTreeMap::new() })
    }

    /// The topics users see that the query reads.
    pub fn sources(&self) -> Vec<Arc<str>> {
        let inputs = self.tasks.iter().flat_map(Task::inputs).filter(|i| !i.internal);
        let topics: HashSet<Arc<str>> = inputs.map(|i| i.topic.clone()).collect();
        let mut topics: Vec<Arc<str>> = topics.into_iter().collect();
        topics.sort();
        topics
    }

    /// The query's committed state, as pull queries read it.
    pub fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    /// Gives the query the records named in `inputs` (topic, offset) that are in its sources, in this order; then all
    /// records of those sources that `inputs` does not name, topic by topic. `now` is the wall clock.
    ///
    /// # Errors
    /// As [`Driver::feed`].
    pub fn run(&mut self, inputs: &[(Arc<str>, i64)], topics: &mut dyn Topics, now: i64) -> Result<Ran, RuntimeError> {
        let sources = self.sources();
        let named: HashSet<&str> = inputs.iter().map(|(topic, _)| topic.as_ref()).collect();
        let unnamed = sources.iter().filter(|t| !named.contains(t.as_ref()));
        let rest = unnamed.flat_map(|t| (0..topics.end(t)).map(|offset| (t.clone(), offset)));
        let all = inputs.iter().filter(|(topic, _)| sources.contains(topic)).cloned().chain(rest);
        let record = |(topic, offset): (Arc<str>, i64)| {
            let record = topics.read(&topic, offset)?;
            Some(Fed { topic, offset, record })
        };
        let fed: Vec<Fed> = all.filter_map(record).collect();
        self.feed(&fed, topics, now)
    }

    /// Gives the query records in order.
    ///
    /// # Errors
    /// What stops a task; records written before it stay written.
    pub fn feed(&mut self, records: &[Fed], topics: &mut dyn Topics, now: i64) -> Result<Ran, RuntimeError> {
        let mut ran = Ran::default();
        match self.mode {
            Mode::Chunk => self.step(records, topics, now, &mut ran)?,
            Mode::Straight => {
                for record in records {
                    self.step(std::slice::from_ref(record), topics, now, &mut ran)?;
                }
            }
            Mode::Crash => {
                for record in records {
                    let record = std::slice::from_ref(record);
                    self.step_in_vain(record, now)?;
                    self.step(record, topics, now, &mut ran)?;
                    self.crash()?;
                }
            }
        }
        Ok(ran)
    }

    /// Takes these records through all sub-topologies in one step each, and commits.
    fn step(&mut self, records: &[Fed], topics: &mut dyn Topics, now: i64, ran: &mut Ran) -> Result<(), RuntimeError> {
        let mut internal = HashMap::new();
        for at in 0..self.tasks.len() {
            let Some(out) = self.process(at, records, &internal, now)? else { continue };
            ran.rows.extend(out.rows);
            ran.log.extend(out.log);
            for batch in out.records {
                let mut offsets = Vec::with_capacity(batch.columns.len());
                for row in 0..batch.columns.len() {
                    offsets.push(topics.append(&batch.topic, Record::of(&batch.columns, row)));
                }
                if batch.internal {
                    keep(&mut internal, batch.topic, &batch.columns, &batch.ord, &offsets)?;
                }
            }
        }
        self.commit()
    }

    /// Processes records as [`Driver::step`] does and forgets all of it.
    fn step_in_vain(&mut self, records: &[Fed], now: i64) -> Result<(), RuntimeError> {
        let mut internal = HashMap::new();
        for at in 0..self.tasks.len() {
            let Some(out) = self.process(at, records, &internal, now)? else { continue };
            for batch in out.records.into_iter().filter(|b| b.internal) {
                let offsets: Vec<i64> = (0..batch.columns.len() as i64).collect();
                keep(&mut internal, batch.topic, &batch.columns, &batch.ord, &offsets)?;
            }
        }
        self.tasks.iter_mut().for_each(Task::rollback);
        Ok(())
    }

    /// One task's step over the records of its inputs, in one call; `None` when there are none.
    fn process(
        &mut self,
        at: usize,
        records: &[Fed],
        internal: &HashMap<Arc<str>, Placed>,
        now: i64,
    ) -> Result<Option<Outbox>, RuntimeError> {
        let Some(task) = self.tasks.get_mut(at) else { return Ok(None) };
        let mut external: HashMap<Arc<str>, Placed> = HashMap::new();
        for (rank, fed) in records.iter().enumerate() {
            let placed = external.entry(fed.topic.clone()).or_insert_with(|| Placed::new(fed.topic.clone()));
            placed.push(fed.offset, &fed.record, (rank as u64) << 32)?;
        }
        let mut step = Step::default();
        for (number, input) in task.inputs().enumerate() {
            let found = if input.internal { internal.get(&input.topic) } else { external.get(&input.topic) };
            if let Some(placed) = found {
                step.inputs.push(StepInput { input: number, records: &placed.records, order: Order::Given(&placed.places) });
            }
        }
        if step.inputs.is_empty() { Ok(None) } else { task.process(&step, now).map(Some) }
    }

    fn commit(&mut self) -> Result<(), RuntimeError> {
        for task in &mut self.tasks {
            let mut commit = task.prepare_commit()?;
            for (topic, records) in &commit.changelogs {
                let log = self.changelogs.entry(topic.clone()).or_insert_with(|| RecordChunk::new(topic.clone(), 0));
                append(log, records)?;
                commit.changelog_ends.push((topic.clone(), log.next_offset().unwrap_or(0)));
            }
            task.apply(commit)?;
        }
        Ok(())
    }

    /// Loses all tasks and their stores; makes them anew from changelogs and committed positions.
    fn crash(&mut self) -> Result<(), RuntimeError> {
        let positions: Vec<Positions> = self.tasks.iter().map(|t| t.positions().clone()).collect();
        self.backend = flumen_state::memory();
        self.tasks = tasks(&self.plan, &self.settings, &self.backend, &self.registry)?;
        for (task, positions) in self.tasks.iter_mut().zip(positions) {
            let topics: Vec<Arc<str>> = task.changelogs().cloned().collect();
            for records in topics.iter().filter_map(|t| self.changelogs.get(t)) {
                task.restore(records)?;
            }
            task.resume(Positions::decode(&positions.encode()?)?);
        }
        Ok(())
    }
}

/// Records with their places in a step.
struct Placed {
    records: RecordChunk,
    places: Vec<u64>,
}

impl Placed {
    fn new(topic: Arc<str>) -> Self {
        Placed { records: RecordChunk::new(topic, 0), places: Vec::new() }
    }

    fn push(&mut self, offset: i64, record: &Record, place: u64) -> Result<(), RuntimeError> {
        let (key, value) = (record.key.as_deref(), record.value.as_deref());
        self.records.push(offset, key, value, record.timestamp, &record.headers)?;
        self.places.push(place);
        Ok(())
    }
}

fn tasks(
    plan: &Arc<QueryPlan>,
    settings: &TaskSettings,
    backend: &Arc<dyn Backend>,
    registry: &Arc<Registry>,
) -> Result<Vec<Task>, RuntimeError> {
    let task = |sub: &flumen_plan::SubTopology| Task::new(plan.clone(), sub.id, settings.clone(), backend.clone(), registry.clone());
    plan.sub_topologies.iter().map(task).collect()
}

/// Keeps written internal records for the sub-topologies behind.
fn keep(
    internal: &mut HashMap<Arc<str>, Placed>,
    topic: Arc<str>,
    columns: &RecordColumns,
    places: &[u64],
    offsets: &[i64],
) -> Result<(), RuntimeError> {
    let placed = internal.entry(topic.clone()).or_insert_with(|| Placed::new(topic));
    for (row, (place, offset)) in places.iter().zip(offsets).enumerate() {
        placed.push(*offset, &Record::of(columns, row), *place)?;
    }
    Ok(())
}

fn append(log: &mut RecordChunk, records: &RecordColumns) -> Result<(), RuntimeError> {
    for row in 0..records.len() {
        let offset = log.next_offset().unwrap_or(0);
        log.push(offset, records.key(row), records.value(row), records.timestamp(row), records.raw_headers(row))?;
    }
    Ok(())
}
