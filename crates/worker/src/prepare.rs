//! From a plan to tasks that are ready to run.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use flumen_config::{OffsetReset, QueryConfig};
use flumen_kafka::{ErrorKind, KafkaError, OffsetSpec};
use flumen_plan::{InputPosition, Operator, Positions, QueryId, QueryPlan, SourceKind};
use flumen_runtime::{Task, TaskSettings};
use flumen_state::Backend;
use flumen_telemetry::QueryMetrics;

use crate::shared::{CALL, Shared};
use crate::topics::{self, Partitions};
use crate::{Reach, WorkerError, restore};

/// How long the partitions of a new topic may take to have a leader.
const APPEAR: Duration = Duration::from_secs(20);

/// A task with its state and positions, to be run by a thread.
pub(crate) struct Ready {
    pub task: Task,
    pub slot: i32,
    /// A commit is due when it has changed so much state; 0: at any time.
    pub cache_bytes: usize,
    /// It has never committed.
    pub fresh: bool,
    /// Offsets by topic from which on it reads nothing.
    pub stops: BTreeMap<Arc<str>, i64>,
    /// How long it waits for inputs that are at their end; `None`: it waits for no input.
    pub max_idle: Option<Duration>,
    /// Time between its commits, at most that of the server.
    pub commit_interval: Duration,
    pub metrics: QueryMetrics,
    /// The topic it writes that users see.
    pub sink: Option<Arc<str>>,
}

/// Oldest and next offset of input partitions.
pub(crate) type Ends = BTreeMap<(String, i32), (i64, i64)>;

/// Makes the tasks of a persistent query and brings their state back.
pub(crate) fn persistent(shared: &Shared, id: &QueryId, plan: &Arc<QueryPlan>) -> Result<Vec<Ready>, WorkerError> {
    topics::prepare_journal(shared)?;
    let partitions = topics::prepare(shared, id, plan, true)?;
    let mut tasks = tasks(shared, id, plan, &partitions, &shared.backend)?;
    let mut committed = Vec::with_capacity(tasks.len());
    for task in &tasks {
        committed.push(shared.ledger.positions(shared, task.id())?);
    }
    shared.board.set_stores(id, tasks.iter().flat_map(Task::stores).collect());
    restore::restore(shared, id, &mut tasks, &committed)?;
    ready(shared, id, plan, &partitions, tasks, committed, Reach::Endless)
}

/// Makes the tasks of a push query, with state of its own in memory.
pub(crate) fn push(shared: &Shared, id: &QueryId, plan: &Arc<QueryPlan>, reach: Reach) -> Result<Vec<Ready>, WorkerError> {
    let partitions = topics::prepare(shared, id, plan, false)?;
    let backend = flumen_state::memory();
    let tasks = tasks(shared, id, plan, &partitions, &backend)?;
    let committed = tasks.iter().map(|_| None).collect();
    ready(shared, id, plan, &partitions, tasks, committed, reach)
}

fn tasks(
    shared: &Shared,
    id: &QueryId,
    plan: &Arc<QueryPlan>,
    partitions: &Partitions,
    backend: &Arc<dyn Backend>,
) -> Result<Vec<Task>, WorkerError> {
    let config = QueryConfig::thaw(&shared.settings.config, &plan.properties)?;
    let cache_bytes = usize::try_from(config.cache_max_bytes).unwrap_or(usize::MAX);
    let mut tasks = Vec::new();
    for sub in &plan.sub_topologies {
        for partition in 0..topics::tasks_of(shared, id, sub, partitions) {
            let mut hasher = DefaultHasher::new();
            (&id.0, sub.id.0, partition).hash(&mut hasher);
            let settings = TaskSettings {
                service_id: shared.settings.service_id.clone(),
                query: id.clone(),
                partition,
                partitions: partitions.clone(),
                overlay_bytes: shared.store_bytes(),
                cache_bytes,
                seed: hasher.finish(),
            };
            tasks.push(Task::new(plan.clone(), sub.id, settings, backend.clone(), shared.registry.clone())?);
        }
    }
    Ok(tasks)
}

/// Gives every task its positions: those committed, else where the query's properties say it starts.
fn ready(
    shared: &Shared,
    id: &QueryId,
    plan: &QueryPlan,
    partitions: &Partitions,
    tasks: Vec<Task>,
    committed: Vec<Option<Positions>>,
    reach: Reach,
) -> Result<Vec<Ready>, WorkerError> {
    let config = QueryConfig::thaw(&shared.settings.config, &plan.properties)?;
    let ends = ends(shared, &tasks, partitions)?;
    let tables: BTreeSet<&str> = plan
        .nodes()
        .filter_map(|(_, n)| match &n.op {
            Operator::Source(spec) if spec.kind == SourceKind::Table => Some(spec.topic.as_str()),
            _ => None,
        })
        .collect();
    let sink: Option<Arc<str>> = plan.sink_node().and_then(|n| match &n.op {
        Operator::Sink(spec) => spec.topic.as_deref().map(Arc::from),
        _ => None,
    });
    let mut out = Vec::with_capacity(tasks.len());
    for (mut task, committed) in tasks.into_iter().zip(committed) {
        let partition = task.id().partition;
        let fresh = committed.is_none();
        let mut positions = committed.unwrap_or_default();
        let mut stops = BTreeMap::new();
        for input in task.inputs() {
            let Some(&(low, high)) = ends.get(&(input.topic.to_string(), partition)) else { continue };
            if reach == Reach::ToTheEnd {
                stops.insert(input.topic.clone(), high);
            }
            let known = positions.inputs.iter_mut().find(|p| p.topic == *input.topic && p.partition == partition);
            match known {
                Some(position) if position.next < low || position.next > high => {
                    let (topic, next) = (&input.topic, position.next);
                    tracing::warn!(query = %id, %topic, partition, next, low, high, "the log no longer has the position; reading goes on at its start");
                    position.next = low;
                }
                Some(_) => {}
                None => {
                    let from_start = config.auto_offset_reset == OffsetReset::Earliest || reach == Reach::ToTheEnd;
                    let whole = input.internal || tables.contains(&*input.topic) || from_start;
                    let next = if whole { low } else { high };
                    positions.inputs.push(InputPosition { topic: input.topic.to_string(), partition, next, time: -1 });
                }
            }
        }
        shared.board.committed(task.id(), &positions);
        task.resume(positions);
        let slot = shared.slot(task.id());
        let cache_bytes = usize::try_from(config.cache_max_bytes).unwrap_or(usize::MAX);
        out.push(Ready {
            task,
            slot,
            cache_bytes,
            fresh,
            stops,
            max_idle: config.max_task_idle,
            commit_interval: config.commit_interval.min(shared.settings.commit_interval),
            metrics: shared.metrics.query(&id.0),
            sink: sink.clone(),
        });
    }
    Ok(out)
}

/// The ends of all inputs. A partition that a topic lacks is left out.
fn ends(shared: &Shared, tasks: &[Task], partitions: &Partitions) -> Result<Ends, WorkerError> {
    let inputs = tasks.iter().flat_map(|t| t.inputs().map(move |i| (i.topic.to_string(), t.id().partition)));
    let inputs = inputs.filter(|(topic, partition)| partitions.get(topic).is_some_and(|count| partition < count));
    let inputs: Vec<(String, i32)> = inputs.collect::<BTreeSet<_>>().into_iter().collect();
    let names: Vec<(&str, i32)> = inputs.iter().map(|(topic, partition)| (topic.as_str(), *partition)).collect();
    let (lows, highs) = bounds(shared, &names)?;
    Ok(inputs.into_iter().zip(lows.into_iter().zip(highs)).collect())
}

/// Oldest and next offsets of partitions, which may be new.
pub(crate) fn bounds(shared: &Shared, partitions: &[(&str, i32)]) -> Result<(Vec<i64>, Vec<i64>), KafkaError> {
    let ask = |spec: OffsetSpec| -> Vec<(&str, i32, OffsetSpec)> { partitions.iter().map(|(t, p)| (*t, *p, spec)).collect() };
    let until = Instant::now() + APPEAR;
    loop {
        let lows = shared.admin.offsets(&ask(OffsetSpec::Earliest), CALL);
        match lows.and_then(|lows| Ok((lows, shared.admin.offsets(&ask(OffsetSpec::Latest), CALL)?))) {
            Err(error) if (error.is_retriable() || error.kind == ErrorKind::NotFound) && Instant::now() < until && !shared.is_closing() => {
                shared.pause(Duration::from_millis(100));
            }
            other => return other,
        }
    }
}
