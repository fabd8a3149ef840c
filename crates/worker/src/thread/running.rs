//! A task at work on a thread.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flumen_plan::{QueryId, QueryPlan};
use flumen_runtime::{Chunk, Outbox, RuntimeError, Step, StepInput, Task};
use flumen_telemetry::QueryMetrics;

use crate::inlet::{self, Inlet, Wait};
use crate::prepare::Ready;
use crate::shared::now_ms;
use crate::{Offer, PushEnd, PushSink};

pub(super) struct Running {
    pub task: Task,
    pub slot: i32,
    cache_bytes: usize,
    pub inlets: Vec<Inlet>,
    /// Took input since its last commit, or never committed.
    pub dirty: bool,
    fresh: bool,
    /// Paused, or its client is behind.
    pub idle: bool,
    /// How long it waits for inputs that are at their end; `None`: it waits for no input.
    max_idle: Option<Duration>,
    /// Since when it waits for such an input.
    idle_since: Option<Instant>,
    /// Time between its commits.
    pub commit_interval: Duration,
    pub metrics: QueryMetrics,
    pub sink: Option<Arc<str>>,
}

impl Running {
    pub fn new(ready: Ready, idle: bool) -> Self {
        let Ready { task, slot, cache_bytes, fresh, stops, max_idle, commit_interval, metrics, sink } = ready;
        let partition = task.id().partition;
        let start = |topic: &str| task.positions().next(topic, partition);
        let inlets = task.inputs().map(|input| {
            let next = start(&input.topic);
            let mut inlet = Inlet::new(input.topic.clone(), partition, next.unwrap_or(0));
            // A topic with fewer partitions than the task's others has nothing for it.
            inlet.at_end = next.is_none();
            inlet.held = true;
            inlet.stop = stops.get(&input.topic).copied();
            inlet
        });
        let inlets = inlets.collect();
        Running { task, slot, cache_bytes, inlets, dirty: fresh, fresh, idle, max_idle, idle_since: None, commit_interval, metrics, sink }
    }

    pub fn query(&self) -> &QueryId {
        &self.task.id().query
    }

    /// Everything that it was to read is processed.
    pub fn is_through(&self) -> bool {
        self.inlets.iter().all(Inlet::is_through)
    }

    /// Processes what may be processed now; `None` when there is nothing.
    pub fn step(&mut self) -> Result<Option<Outbox>, RuntimeError> {
        if self.waits() {
            return Ok(None);
        }
        let chunks = inlet::ready(&mut self.inlets)?;
        if chunks.is_empty() {
            return Ok(None);
        }
        let order = flumen_runtime::Order::ByTimestamp;
        let step = Step { inputs: chunks.iter().map(|(input, records)| StepInput { input: *input, records, order }).collect() };
        self.dirty = true;
        let out = self.task.process(&step, now_ms())?;
        for (_, records) in &chunks {
            self.metrics.records_in.inc_by(records.len() as u64);
            self.metrics.bytes_in.inc_by(records.bytes() as u64);
        }
        Ok(Some(out))
    }

    /// It waits for an input, and no record of that one need come for it to go on.
    pub fn waits_idly(&self) -> bool {
        self.idle_since.is_some()
    }

    fn waits(&mut self) -> bool {
        match (inlet::wait(&self.inlets), self.max_idle) {
            (Wait::Behind, Some(_)) => {
                self.idle_since = None;
                true
            }
            (Wait::Idle, Some(longest)) if !longest.is_zero() => self.idle_since.get_or_insert_with(Instant::now).elapsed() < longest,
            _ => {
                self.idle_since = None;
                false
            }
        }
    }

    /// Bytes of state changed since its last commit, and whether its own limit is passed.
    pub fn dirty_bytes(&mut self) -> (usize, bool) {
        let bytes = self.task.dirty_bytes();
        (bytes, self.cache_bytes > 0 && bytes > self.cache_bytes)
    }

    /// Back to the last commit; what is buffered is forgotten.
    pub fn roll_back(&mut self) {
        self.task.rollback();
        self.dirty = self.fresh;
        let partition = self.task.id().partition;
        for inlet in &mut self.inlets {
            if let Some(next) = self.task.positions().next(&inlet.topic, partition) {
                inlet.reset(next);
            }
        }
    }

    /// Its commit was applied.
    pub fn committed(&mut self) {
        self.dirty = false;
        self.fresh = false;
    }
}

/// The client of a push query.
pub(super) struct Client {
    pub plan: Arc<QueryPlan>,
    sink: Box<dyn PushSink>,
    waiting: VecDeque<Chunk>,
    full_since: Option<Instant>,
}

/// How a client fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Flowing,
    Full,
    Gone,
    Stalled,
}

impl Client {
    pub fn new(plan: Arc<QueryPlan>, sink: Box<dyn PushSink>) -> Self {
        Client { plan, sink, waiting: VecDeque::new(), full_since: None }
    }

    /// Rows for the client, behind those that wait.
    pub fn push(&mut self, rows: Vec<Chunk>) {
        self.waiting.extend(rows);
    }

    /// Hands over what waits, as far as there is room.
    pub fn flow(&mut self, stall: Duration) -> Flow {
        if self.sink.is_closed() {
            return Flow::Gone;
        }
        while let Some(rows) = self.waiting.pop_front() {
            match self.sink.offer(rows) {
                Offer::Taken => self.full_since = None,
                Offer::Closed => return Flow::Gone,
                Offer::Full(rows) => {
                    self.waiting.push_front(rows);
                    let since = *self.full_since.get_or_insert_with(Instant::now);
                    return if since.elapsed() >= stall { Flow::Stalled } else { Flow::Full };
                }
            }
        }
        Flow::Flowing
    }

    pub fn end(mut self, end: PushEnd) {
        self.sink.end(end);
    }
}
