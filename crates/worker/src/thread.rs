//! A thread that runs tasks: fetch, process, write, commit.

mod commit;
mod intake;
mod output;
mod recover;
mod running;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::time::{Duration, Instant};

use flumen_config::Guarantee;
use flumen_kafka::{ConsumerOptions, ErrorKind, Fetched, KafkaError};
use flumen_plan::{QueryId, QueryPlan};
use flumen_runtime::Outbox;
use flumen_wire::RecordColumns;

use crate::manager::Event;
use crate::prepare::Ready;
use crate::shared::{Shared, now_ms};
use crate::{PushEnd, PushSink, WorkerError, journal};
use commit::refused;
use intake::{Intake, ReaderId};
use output::Output;
use running::{Client, Flow, Running};

/// Records and events of one fetch.
const FETCH: usize = 16_384;
/// Longest wait for records, and so for orders to be seen.
const WAIT: Duration = Duration::from_millis(50);
/// Wait while a client is behind.
const SHORT: Duration = Duration::from_millis(5);
/// Records buffered for one of several inputs before no more of it is fetched.
const BACKLOG: usize = 65_536;
/// Partitions that the memory for fetching ahead is meant for.
const PARTITIONS: usize = 8;

/// Which queries a thread runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Persistent,
    Push,
    /// One push query that ends with the records that are there; the thread ends with it.
    Once,
}

/// What a thread is told.
pub(crate) enum Order {
    /// Run these tasks.
    Add { tasks: Vec<Ready>, paused: bool },
    /// Run this push query.
    Push { tasks: Vec<Ready>, plan: Arc<QueryPlan>, sink: Box<dyn PushSink> },
    /// Run the tasks of a query no more; answered by [`Event::Dropped`].
    Drop { id: QueryId, commit: bool },
    /// Pause or resume a query.
    Pause { id: QueryId, paused: bool },
    /// End.
    Close { commit: bool },
}

/// What went wrong.
pub(super) enum Trouble {
    /// One query's own fault.
    Query(QueryId, WorkerError),
    /// Everything since the last commit is to be done again.
    Transaction(WorkerError),
    /// The producer is dead, and the outcome of its commit may be unknown.
    Client(KafkaError),
}

impl From<KafkaError> for Trouble {
    fn from(error: KafkaError) -> Self {
        match error.kind {
            ErrorKind::Fenced | ErrorKind::Fatal => Trouble::Client(error),
            _ => Trouble::Transaction(error.into()),
        }
    }
}

pub(crate) struct Thread {
    shared: Arc<Shared>,
    kind: Kind,
    orders: Receiver<Order>,
    events: Sender<Event>,
    intake: Intake,
    output: Output,
    tasks: BTreeMap<u64, Running>,
    clients: HashMap<QueryId, Client>,
    next_key: u64,
    /// Tasks that may have something to do.
    touched: BTreeSet<u64>,
    last_commit: Instant,
    /// Something was written since the last commit.
    wrote: bool,
    /// Aborts since the last commit.
    aborts: u32,
    ended: bool,
}

impl Thread {
    /// The thread of this number.
    pub fn new(
        shared: Arc<Shared>,
        kind: Kind,
        number: usize,
        orders: Receiver<Order>,
        events: Sender<Event>,
    ) -> Result<Thread, WorkerError> {
        let settings = &shared.settings;
        let exactly_once = kind == Kind::Persistent && settings.guarantee == Guarantee::ExactlyOnce;
        let id = exactly_once.then(|| format!("{}-{}-{number}", flumen_plan::names::prefix(&settings.service_id), settings.instance_id));
        let intake = Intake::new(&settings.client, ConsumerOptions::for_budget(settings.config.fetch_bytes, PARTITIONS))?;
        Ok(Thread {
            output: Output::new(shared.clone(), id),
            shared,
            kind,
            orders,
            events,
            intake,
            tasks: BTreeMap::new(),
            clients: HashMap::new(),
            next_key: 0,
            touched: BTreeSet::new(),
            last_commit: Instant::now(),
            wrote: false,
            aborts: 0,
            ended: false,
        })
    }

    /// Runs until it is told to end.
    pub fn run(mut self) {
        if self.kind == Kind::Persistent {
            self.output.take_over();
            self.shared.taking_over.fetch_sub(1, Ordering::AcqRel);
        }
        while !self.ended {
            if let Err(trouble) = self.turn() {
                self.recover(trouble);
            }
        }
    }

    fn turn(&mut self) -> Result<(), Trouble> {
        self.follow_orders()?;
        if self.kind == Kind::Once && self.clients.is_empty() {
            self.close(true);
        }
        if self.ended {
            return Ok(());
        }
        let server = self.shared.settings.commit_interval;
        let interval = self.tasks.values().map(|t| t.commit_interval).min().unwrap_or(server);
        let until_commit = interval.saturating_sub(self.last_commit.elapsed());
        let wait = if self.flow() { SHORT } else { WAIT };
        self.fetch(wait.min(until_commit.max(Duration::from_millis(1))))?;
        let full = self.work()?;
        self.flow();
        if full || self.last_commit.elapsed() >= interval { self.commit() } else { Ok(()) }
    }

    fn follow_orders(&mut self) -> Result<(), Trouble> {
        loop {
            match self.orders.try_recv() {
                Ok(Order::Add { tasks, paused }) => {
                    for task in tasks {
                        self.add(task, paused)?;
                    }
                }
                Ok(Order::Push { tasks, plan, sink }) => {
                    if let Some(first) = tasks.first() {
                        self.clients.insert(first.task.id().query.clone(), Client::new(plan, sink));
                    }
                    for task in tasks {
                        self.add(task, false)?;
                    }
                }
                Ok(Order::Drop { id, commit }) => self.drop_query(&id, commit),
                Ok(Order::Pause { id, paused }) => self.set_idle(&id, paused)?,
                Ok(Order::Close { commit }) => self.close(commit),
                Err(TryRecvError::Empty) => return Ok(()),
                Err(TryRecvError::Disconnected) => self.close(true),
            }
            if self.ended {
                return Ok(());
            }
        }
    }

    fn add(&mut self, ready: Ready, paused: bool) -> Result<(), Trouble> {
        let key = self.next_key;
        self.next_key += 1;
        self.tasks.insert(key, Running::new(ready, paused));
        if self.kind == Kind::Persistent {
            self.shared.tasks.fetch_add(1, Ordering::Relaxed);
        }
        if paused { Ok(()) } else { self.take_up(key) }
    }

    /// Asks for the partitions of a task that are not asked for.
    fn take_up(&mut self, key: u64) -> Result<(), Trouble> {
        let Some(running) = self.tasks.get_mut(&key) else { return Ok(()) };
        let partition = running.task.id().partition;
        for (input, inlet) in running.inlets.iter_mut().enumerate().filter(|(_, i)| i.held) {
            if running.task.positions().next(&inlet.topic, partition).is_none() {
                continue;
            }
            let at_end = self.intake.want(&inlet.topic, inlet.partition, ReaderId { task: key, input }, inlet.next);
            inlet.at_end = at_end.map_err(|e| Trouble::Query(running.task.id().query.clone(), e.into()))?;
            inlet.held = false;
        }
        self.touched.insert(key);
        Ok(())
    }

    /// Asks for the partitions of a task no more.
    fn put_down(&mut self, key: u64) {
        let Some(running) = self.tasks.get_mut(&key) else { return };
        for (input, inlet) in running.inlets.iter_mut().enumerate().filter(|(_, i)| !i.held) {
            self.intake.leave(&inlet.topic, inlet.partition, ReaderId { task: key, input });
            inlet.held = true;
        }
    }

    fn tasks_of(&self, id: &QueryId) -> Vec<u64> {
        self.tasks.iter().filter(|(_, t)| t.query() == id).map(|(key, _)| *key).collect()
    }

    fn set_idle(&mut self, id: &QueryId, idle: bool) -> Result<(), Trouble> {
        for key in self.tasks_of(id) {
            if let Some(running) = self.tasks.get_mut(&key) {
                running.idle = idle;
            }
            if idle {
                self.put_down(key);
            } else {
                self.take_up(key)?;
            }
        }
        Ok(())
    }

    fn fetch(&mut self, timeout: Duration) -> Result<(), Trouble> {
        let fetched = match self.intake.fetch(FETCH, timeout) {
            Ok(fetched) => fetched,
            Err(error) => {
                tracing::debug!(%error, "fetching goes on");
                self.shared.pause(WAIT);
                return Ok(());
            }
        };
        let mut troubles = Vec::new();
        for event in fetched {
            match event {
                Fetched::Chunk(chunk) => {
                    let chunk = Arc::new(chunk);
                    for reader in self.intake.readers(chunk.topic(), chunk.partition()) {
                        let Some(running) = self.tasks.get_mut(&reader.task) else { continue };
                        let alone = running.inlets.len() == 1;
                        let Some(inlet) = running.inlets.get_mut(reader.input).filter(|i| !i.held) else { continue };
                        let times = match alone {
                            true => None,
                            false => match running.task.column_times(reader.input, &chunk) {
                                Ok(times) => times,
                                Err(error) => {
                                    troubles.push(Trouble::Query(running.query().clone(), error.into()));
                                    continue;
                                }
                            },
                        };
                        inlet.offer(&chunk, times);
                        self.touched.insert(reader.task);
                    }
                }
                Fetched::Eof { topic, partition, offset } => {
                    for reader in self.intake.readers(&topic, partition) {
                        let Some(running) = self.tasks.get_mut(&reader.task) else { continue };
                        let Some(inlet) = running.inlets.get_mut(reader.input).filter(|i| !i.held) else { continue };
                        inlet.at_end = true;
                        if inlet.is_empty() && offset > inlet.next {
                            inlet.next = offset;
                            running.task.skip_to(reader.input, offset);
                        }
                        self.touched.insert(reader.task);
                    }
                }
                Fetched::Error { topic, partition, error } if !error.is_retriable() => {
                    let readers = self.intake.readers(&topic, partition).iter();
                    troubles.extend(readers.filter_map(|r| self.tasks.get(&r.task)).map(|task| {
                        let error = match error.kind {
                            ErrorKind::NotFound => WorkerError::MissingTopic(topic.to_string()),
                            _ => error.clone().into(),
                        };
                        Trouble::Query(task.query().clone(), error)
                    }));
                }
                Fetched::Error { error, .. } => tracing::debug!(%error, "fetching a partition goes on"),
            }
        }
        troubles.into_iter().for_each(|trouble| self.recover(trouble));
        Ok(())
    }

    /// Processes what the touched tasks have. True when so much state has changed that a commit is due.
    fn work(&mut self) -> Result<bool, Trouble> {
        let idle = self.tasks.iter().filter(|(_, t)| t.waits_idly()).map(|(key, _)| *key);
        self.touched.extend(idle);
        while let Some(key) = self.touched.pop_first() {
            while let Some(running) = self.tasks.get_mut(&key).filter(|t| !t.idle) {
                let out = running.step().map_err(|e| Trouble::Query(running.query().clone(), e.into()))?;
                let Some(out) = out else { break };
                self.emit(key, out)?;
            }
            self.balance(key)?;
        }
        let (mut all, mut full) = (0u64, false);
        for running in self.tasks.values_mut().filter(|t| t.dirty) {
            let (bytes, due) = running.dirty_bytes();
            all = all.saturating_add(bytes as u64);
            full |= due;
        }
        Ok(full || all >= self.shared.settings.config.overlay_bytes)
    }

    /// Stops fetching an input that runs ahead of the task's others, and goes on with it once they have caught up.
    fn balance(&mut self, key: u64) -> Result<(), Trouble> {
        let Some(running) = self.tasks.get_mut(&key).filter(|t| t.inlets.len() > 1 && !t.idle) else { return Ok(()) };
        let mut behind = false;
        for (input, inlet) in running.inlets.iter_mut().enumerate() {
            if !inlet.held && inlet.records() > BACKLOG {
                self.intake.leave(&inlet.topic, inlet.partition, ReaderId { task: key, input });
                inlet.held = true;
            }
            behind |= inlet.held && inlet.records() > BACKLOG / 4;
        }
        if behind || running.inlets.iter().all(|i| !i.held) { Ok(()) } else { self.resume_held(key) }
    }

    fn resume_held(&mut self, key: u64) -> Result<(), Trouble> {
        let touched = self.touched.contains(&key);
        self.take_up(key)?;
        if !touched {
            // Nothing came in, so there is nothing new to do for it.
            self.touched.remove(&key);
        }
        Ok(())
    }

    /// Writes what a step of a task gave.
    fn emit(&mut self, key: u64, out: Outbox) -> Result<(), Trouble> {
        let Some(running) = self.tasks.get(&key) else { return Ok(()) };
        let query = running.query();
        for batch in &out.records {
            self.output.write(&batch.topic, batch.partition, &batch.columns).map_err(|e| refused(query, e))?;
            self.wrote = true;
            if !batch.internal {
                running.metrics.records_out.inc_by(batch.columns.len() as u64);
                running.metrics.bytes_out.inc_by(batch.columns.bytes() as u64);
            }
        }
        if let Some(first) = out.log.first() {
            running.metrics.errors.inc_by(out.log.len() as u64);
            tracing::warn!(%query, entries = out.log.len(), reason = %first.reason, record = ?first.record.as_ref().map(|r| (&r.topic, r.partition, r.offset)), "processing log");
            if self.shared.journal.load(Ordering::Acquire) {
                let log = &self.shared.settings.config.processing_log;
                let (now, mut records) = (now_ms(), RecordColumns::new());
                for entry in &out.log {
                    let value = journal::record(query, entry, log.include_rows, now);
                    let pushed = records.push(None, Some(&value), now, &[]);
                    pushed.map_err(|e| Trouble::Query(query.clone(), WorkerError::Runtime(e.into())))?;
                }
                self.output.write(&log.topic, 0, &records)?;
                self.wrote = true;
            }
        }
        if !out.rows.is_empty() {
            running.metrics.records_out.inc_by(out.rows.iter().map(|c| c.rows() as u64).sum());
            if let Some(client) = self.clients.get_mut(query) {
                client.push(out.rows);
            }
        }
        Ok(())
    }

    /// Hands rows to the clients of push queries. True when one of them is behind.
    fn flow(&mut self) -> bool {
        if self.clients.is_empty() {
            return false;
        }
        let stall = self.shared.settings.push_stall;
        let flows: Vec<(QueryId, Flow)> = self.clients.iter_mut().map(|(id, c)| (id.clone(), c.flow(stall))).collect();
        let mut behind = false;
        for (id, flow) in flows {
            let idle = self.tasks.values().any(|t| t.idle && *t.query() == id);
            let changed = match flow {
                Flow::Gone => {
                    self.end_push(&id, PushEnd::Closed);
                    Ok(())
                }
                Flow::Stalled => {
                    self.end_push(&id, PushEnd::Stalled);
                    Ok(())
                }
                Flow::Full => {
                    behind = true;
                    if idle { Ok(()) } else { self.set_idle(&id, true) }
                }
                Flow::Flowing if idle => self.set_idle(&id, false),
                Flow::Flowing if self.kind == Kind::Once && self.tasks.values().all(Running::is_through) => {
                    self.end_push(&id, PushEnd::Completed);
                    Ok(())
                }
                Flow::Flowing => Ok(()),
            };
            if let Err(trouble) = changed {
                self.recover(trouble);
            }
        }
        behind
    }
}
