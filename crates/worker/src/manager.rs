//! Starts, stops and retries queries: a thread that follows orders and events, and never waits for Kafka itself.

mod query;
mod upkeep;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use flumen_config::QueryConfig;
use flumen_plan::{QueryId, QueryPlan};

use crate::board::fault;
use crate::jobs::Job;
use crate::prepare::Ready;
use crate::shared::Shared;
use crate::thread::Order;
use crate::{QueryFault, QueryState, WorkerError};
use query::{Next, Phase, Query};
use upkeep::Upkeep;

/// How often the manager looks for what is due.
const TICK: Duration = Duration::from_millis(100);
/// Wait before tasks start again whose producer died.
const LOST: Duration = Duration::from_secs(1);
/// A query that ran so long starts its retries anew.
const HEALTHY: Duration = Duration::from_secs(300);

/// What the manager is told.
pub(crate) enum Event {
    Start {
        id: QueryId,
        plan: Arc<QueryPlan>,
        paused: bool,
    },
    Replace {
        id: QueryId,
        plan: Arc<QueryPlan>,
    },
    Stop {
        id: QueryId,
        plan: Arc<QueryPlan>,
    },
    Pause {
        id: QueryId,
        paused: bool,
    },
    /// The leases of these slots are gone; `done` is told when their tasks have stopped.
    LeasesGone {
        slots: Vec<i32>,
        done: Sender<()>,
    },
    /// The tasks of a query are ready, or cannot be made.
    Prepared {
        id: QueryId,
        outcome: Result<Vec<Ready>, WorkerError>,
    },
    /// A query failed on a thread, which runs it no more.
    Failed {
        id: QueryId,
        fault: QueryFault,
    },
    /// A query's tasks of one thread are gone and must start again from what is committed.
    Lost {
        id: QueryId,
        fault: QueryFault,
    },
    /// A thread runs a query no more.
    Dropped {
        id: QueryId,
    },
    /// A push query ended.
    PushEnded {
        id: QueryId,
        plan: Arc<QueryPlan>,
    },
    /// End.
    Close,
}

pub(crate) struct Manager {
    shared: Arc<Shared>,
    events: Receiver<Event>,
    jobs: Sender<Job>,
    /// The threads of persistent queries, with the number of tasks given to each.
    threads: Vec<(Sender<Order>, usize)>,
    queries: BTreeMap<QueryId, Query>,
    /// Who waits for queries to stop.
    leaving: Vec<(Vec<QueryId>, Sender<()>)>,
    upkeep: Upkeep,
}

impl Manager {
    pub fn new(shared: Arc<Shared>, events: Receiver<Event>, jobs: Sender<Job>, threads: Vec<Sender<Order>>) -> Self {
        let threads = threads.into_iter().map(|t| (t, 0)).collect();
        Manager { upkeep: Upkeep::new(), shared, events, jobs, threads, queries: BTreeMap::new(), leaving: Vec::new() }
    }

    /// Runs until it is told to close.
    pub fn run(mut self) {
        loop {
            match self.events.recv_timeout(TICK) {
                Ok(Event::Close) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(event) => self.follow(event),
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.retry();
            if self.upkeep.is_due() {
                let _ = self.jobs.send(Job::Upkeep);
            }
        }
    }

    fn follow(&mut self, event: Event) {
        match event {
            Event::Start { id, .. } if self.queries.contains_key(&id) => {}
            Event::Start { id, plan, paused } => {
                let state = if paused { QueryState::Paused } else { QueryState::Running };
                self.shared.board.set_state(&id, state);
                self.queries.insert(id.clone(), Query::new(plan, paused));
                self.launch(&id);
            }
            Event::Replace { id, plan } => {
                let query = self.queries.entry(id.clone()).or_insert_with(|| Query::new(plan.clone(), false));
                query.plan = plan;
                self.halt(&id, Next::Start, true);
            }
            Event::Stop { id, plan } => {
                // One that never started here may have left things behind.
                self.queries.entry(id.clone()).or_insert_with(|| Query::new(plan, false));
                self.halt(&id, Next::Remove, true);
            }
            Event::Pause { id, paused } => self.set_paused(&id, paused),
            Event::LeasesGone { slots, done } => self.leases_gone(&slots, done),
            Event::Prepared { id, outcome } => self.prepared(&id, outcome),
            Event::Failed { id, fault } => self.failed(&id, fault),
            Event::Lost { id, fault } => {
                self.shared.board.fault(&id, fault);
                self.halt(&id, Next::Retry(LOST), false);
            }
            Event::Dropped { id } => self.step_down(&id),
            Event::PushEnded { id, plan } => {
                let _ = self.jobs.send(Job::Pushed { id, plan });
            }
            Event::Close => {}
        }
    }

    /// Has the tasks of a query made.
    fn launch(&mut self, id: &QueryId) {
        let Some(query) = self.queries.get_mut(id) else { return };
        query.phase = Phase::Preparing;
        self.shared.board.set_ready(id, false);
        let _ = self.jobs.send(Job::Prepare { id: id.clone(), plan: query.plan.clone() });
    }

    fn prepared(&mut self, id: &QueryId, outcome: Result<Vec<Ready>, WorkerError>) {
        let Some(query) = self.queries.get_mut(id) else { return };
        if matches!(query.phase, Phase::Stopping { .. }) {
            drop(outcome);
            return self.step_down(id);
        }
        // Nothing of it is at work, whatever comes next.
        query.phase = Phase::Waiting { until: Instant::now() };
        let tasks = match outcome {
            Ok(tasks) => tasks,
            Err(error) => return self.failed(id, fault(&error)),
        };
        query.phase = Phase::Running { since: Instant::now() };
        self.shared.board.set_ready(id, true);
        query.slots = tasks.iter().map(|t| t.slot).collect();
        let paused = query.paused;
        self.shared.board.set_state(id, if paused { QueryState::Paused } else { QueryState::Running });
        let mut shares: Vec<Vec<Ready>> = self.threads.iter().map(|_| Vec::new()).collect();
        for task in tasks {
            let least = self.threads.iter().enumerate().min_by_key(|(_, (_, count))| *count).map(|(at, _)| at);
            if let Some(at) = least {
                self.threads[at].1 += 1;
                query.counts.resize(self.threads.len(), 0);
                query.counts[at] += 1;
                shares[at].push(task);
            }
        }
        for ((thread, _), tasks) in self.threads.iter().zip(shares).filter(|(_, tasks)| !tasks.is_empty()) {
            let _ = thread.send(Order::Add { tasks, paused });
        }
    }

    fn failed(&mut self, id: &QueryId, fault: QueryFault) {
        let Some(query) = self.queries.get_mut(id) else { return };
        if matches!(query.phase, Phase::Stopping { .. }) {
            return self.shared.board.fault(id, fault);
        }
        if matches!(query.phase, Phase::Running { since } if since.elapsed() > HEALTHY) {
            query.attempts = 0;
        }
        let (first, most) = match QueryConfig::thaw(&self.shared.settings.config, &query.plan.properties) {
            Ok(config) => (config.retry_backoff_initial, config.retry_backoff_max),
            Err(_) => (HEALTHY, HEALTHY),
        };
        let wait = first.saturating_mul(2u32.saturating_pow(query.attempts.min(20))).min(most);
        query.attempts += 1;
        self.shared.board.fault(id, fault);
        self.shared.board.set_state(id, QueryState::Error);
        self.halt(id, Next::Retry(wait), false);
    }

    fn set_paused(&mut self, id: &QueryId, paused: bool) {
        let Some(query) = self.queries.get_mut(id) else { return };
        query.paused = paused;
        if matches!(query.phase, Phase::Running { .. }) || paused {
            self.shared.board.set_state(id, if paused { QueryState::Paused } else { QueryState::Running });
        }
        for (thread, _) in &self.threads {
            let _ = thread.send(Order::Pause { id: id.clone(), paused });
        }
    }

    fn leases_gone(&mut self, slots: &[i32], done: Sender<()>) {
        self.shared.ledger.forget();
        let hit = |q: &Query| q.is_at_work() && q.slots.iter().any(|s| slots.contains(s));
        let hit: Vec<QueryId> = self.queries.iter().filter(|(_, q)| hit(q)).map(|(id, _)| id.clone()).collect();
        for id in &hit {
            self.shared.board.fault(id, fault(&WorkerError::LeaseLost("another server may run this query's tasks".to_string())));
            self.shared.board.set_state(id, QueryState::Error);
            self.halt(id, Next::Retry(LOST), false);
        }
        if hit.is_empty() {
            let _ = done.send(());
        } else {
            self.leaving.push((hit, done));
        }
    }

    /// Stops a query's tasks everywhere, and then does what is next.
    fn halt(&mut self, id: &QueryId, next: Next, commit: bool) {
        let Some(query) = self.queries.get_mut(id) else { return };
        let preparing = matches!(query.phase, Phase::Preparing);
        match &mut query.phase {
            // A removal is never replaced by a retry.
            Phase::Stopping { next: planned, .. } => {
                if !matches!(planned, Next::Remove) {
                    *planned = next;
                }
                return;
            }
            Phase::Waiting { .. } => return self.proceed(id, next),
            Phase::Preparing | Phase::Running { .. } => {}
        }
        // What is being prepared has reached no thread; its outcome is awaited instead.
        let left = if preparing { 1 } else { self.threads.len() };
        query.phase = Phase::Stopping { left, next };
        if !preparing {
            for (thread, _) in &self.threads {
                let _ = thread.send(Order::Drop { id: id.clone(), commit });
            }
        }
    }

    /// One of those awaited has stopped.
    fn step_down(&mut self, id: &QueryId) {
        let Some(query) = self.queries.get_mut(id) else { return };
        let Phase::Stopping { left, next } = &mut query.phase else { return };
        *left = left.saturating_sub(1);
        if *left > 0 {
            return;
        }
        let next = *next;
        for ((_, count), own) in self.threads.iter_mut().zip(query.counts.drain(..)) {
            *count = count.saturating_sub(own);
        }
        query.slots.clear();
        self.proceed(id, next);
        for (queries, done) in &mut self.leaving {
            queries.retain(|q| q != id);
            if queries.is_empty() {
                let _ = done.send(());
            }
        }
        self.leaving.retain(|(queries, _)| !queries.is_empty());
    }

    fn proceed(&mut self, id: &QueryId, next: Next) {
        match next {
            Next::Start => self.launch(id),
            Next::Retry(wait) => {
                if let Some(query) = self.queries.get_mut(id) {
                    query.phase = Phase::Waiting { until: Instant::now() + wait };
                }
            }
            Next::Remove => {
                if let Some(query) = self.queries.remove(id) {
                    let _ = self.jobs.send(Job::Dropped { id: id.clone(), plan: query.plan });
                }
            }
        }
    }

    fn retry(&mut self) {
        let now = Instant::now();
        let due = |q: &Query| matches!(q.phase, Phase::Waiting { until } if until <= now);
        let due: Vec<QueryId> = self.queries.iter().filter(|(_, q)| due(q)).map(|(id, _)| id.clone()).collect();
        for id in due {
            self.shared.metrics.query(&id.0).restarts.inc();
            self.launch(&id);
        }
    }
}
