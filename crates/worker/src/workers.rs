//! The public face: start, stop and watch queries.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use flumen_expr::Registry;
use flumen_kafka::{Admin, LeaseFence};
use flumen_plan::{QueryId, QueryPlan, TaskId};
use flumen_state::Backend;
use flumen_telemetry::{Metrics, spawn};
use parking_lot::Mutex;

use crate::board::Board;
use crate::jobs::{self, Job};
use crate::ledger::Ledger;
use crate::manager::{Event, Manager};
use crate::prepare;
use crate::shared::Shared;
use crate::thread::{Kind, Order, Thread};
use crate::{PushSink, QueryStatus, Reach, WorkerError, WorkerSettings};

/// Threads that prepare queries, so that a long restore does not hold up the others.
const PREPARERS: usize = 2;
/// How long tasks may take to stop when their leases are gone.
const LEAVE: Duration = Duration::from_secs(20);

/// The threads that run a server's queries.
pub struct Workers {
    shared: Arc<Shared>,
    events: Sender<Event>,
    push: Sender<Order>,
    threads: Vec<Sender<Order>>,
    handles: Mutex<Vec<JoinHandle<()>>>,
    /// Push queries that read to the end, each on a thread with clients of its own: its way back to the start of the topics
    /// would hold up others that share a consumer with it.
    once: Mutex<HashMap<QueryId, (Sender<Order>, JoinHandle<()>)>>,
}

impl Workers {
    /// Starts the threads. Waits for nothing in Kafka: what fails there shows in the queries' statuses.
    ///
    /// # Errors
    /// A setting that a client refuses, or a thread that cannot be started.
    pub fn start(
        settings: WorkerSettings,
        admin: Arc<Admin>,
        fence: LeaseFence,
        slot_of: fn(&TaskId, i32) -> i32,
        backend: Arc<dyn Backend>,
        registry: Arc<Registry>,
        metrics: Metrics,
    ) -> Result<Workers, WorkerError> {
        let count = settings.threads.max(1);
        let shared = Arc::new(Shared {
            settings,
            admin,
            fence,
            slot_of,
            backend,
            registry,
            metrics,
            board: Board::default(),
            ledger: Ledger::default(),
            closing: AtomicBool::new(false),
            journal: AtomicBool::new(false),
            token: AtomicI64::new(1),
            taking_over: AtomicUsize::new(count),
            tasks: AtomicUsize::new(0),
        });
        let (events, inbox) = channel();
        let (jobs, job_inbox) = channel::<Job>();
        let (push, push_orders) = channel();
        let (mut threads, mut handles) = (Vec::new(), Vec::new());
        for number in 0..count {
            let (orders, order_inbox) = channel();
            let thread = Thread::new(shared.clone(), Kind::Persistent, number, order_inbox, events.clone())?;
            handles.push(spawn(&format!("worker-{number}"), move || thread.run())?);
            threads.push(orders);
        }
        let thread = Thread::new(shared.clone(), Kind::Push, count, push_orders, events.clone())?;
        handles.push(spawn("worker-push", move || thread.run())?);
        let job_inbox = Arc::new(Mutex::new(job_inbox));
        for number in 0..PREPARERS {
            let (shared, inbox, events) = (shared.clone(), job_inbox.clone(), events.clone());
            handles.push(spawn(&format!("prepare-{number}"), move || jobs::run(&shared, &inbox, &events))?);
        }
        let manager = Manager::new(shared.clone(), inbox, jobs, threads.clone());
        handles.push(spawn("queries", move || manager.run())?);
        Ok(Workers { shared, events, push, threads, handles: Mutex::new(handles), once: Mutex::default() })
    }

    /// Starts a query. Returns at once; what fails shows in its status and is tried again.
    pub fn start_query(&self, id: &QueryId, plan: &Arc<QueryPlan>, paused: bool) {
        self.tell(Event::Start { id: id.clone(), plan: plan.clone(), paused });
    }

    /// Goes on with another plan for a query, whose state and positions stay.
    pub fn replace_query(&self, id: &QueryId, plan: &Arc<QueryPlan>) {
        self.tell(Event::Replace { id: id.clone(), plan: plan.clone() });
    }

    /// Ends a query and removes what it leaves behind: its internal topics, positions and stores.
    pub fn stop_query(&self, id: &QueryId, plan: &Arc<QueryPlan>) {
        self.tell(Event::Stop { id: id.clone(), plan: plan.clone() });
    }

    /// Pauses a query; its positions and state stay.
    pub fn pause(&self, id: &QueryId) {
        self.tell(Event::Pause { id: id.clone(), paused: true });
    }

    /// Goes on with a paused query.
    pub fn resume(&self, id: &QueryId) {
        self.tell(Event::Pause { id: id.clone(), paused: false });
    }

    /// How a query fares.
    pub fn status(&self, id: &QueryId) -> QueryStatus {
        let mut status = self.shared.board.status(id);
        if !status.tasks.is_empty() {
            let metrics = self.shared.metrics.query(&id.0);
            status.flow.read = metrics.records_in.get();
            status.flow.written = metrics.records_out.get();
            status.flow.failed = metrics.errors.get();
        }
        status
    }

    /// Runs a push query until its client, [`Workers::stop_push`] or a failure ends it. Waits until its tasks are made.
    ///
    /// # Errors
    /// What keeps it from starting.
    pub fn push(&self, id: &QueryId, plan: &Arc<QueryPlan>, reach: Reach, sink: Box<dyn PushSink>) -> Result<(), WorkerError> {
        let gone = |_: &WorkerError| self.tell(Event::PushEnded { id: id.clone(), plan: plan.clone() });
        let tasks = prepare::push(&self.shared, id, plan, reach).inspect_err(gone)?;
        let order = Order::Push { tasks, plan: plan.clone(), sink };
        match reach {
            Reach::Endless => self.push.send(order).map_err(|_| WorkerError::Closing),
            Reach::ToTheEnd => self.run_once(id, order).inspect_err(gone),
        }
    }

    fn run_once(&self, id: &QueryId, order: Order) -> Result<(), WorkerError> {
        let mut once = self.once.lock();
        once.retain(|_, (_, handle)| !handle.is_finished());
        if self.shared.is_closing() {
            return Err(WorkerError::Closing);
        }
        let (orders, inbox) = channel();
        let thread = Thread::new(self.shared.clone(), Kind::Once, 0, inbox, self.events.clone())?;
        orders.send(order).map_err(|_| WorkerError::Closing)?;
        let handle = spawn("worker-once", move || thread.run())?;
        once.insert(id.clone(), (orders, handle));
        Ok(())
    }

    /// Ends a push query.
    pub fn stop_push(&self, id: &QueryId) {
        let order = || Order::Drop { id: id.clone(), commit: false };
        let _ = match self.once.lock().get(id) {
            Some((thread, _)) => thread.send(order()),
            None => self.push.send(order()),
        };
    }

    /// The leases of these slots are gone. Returns when their tasks have stopped.
    pub fn leases_gone(&self, slots: &[i32]) {
        let (done, stopped) = channel();
        self.tell(Event::LeasesGone { slots: slots.to_vec(), done });
        let _ = stopped.recv_timeout(LEAVE);
    }

    /// Commits and ends. Does nothing the second time.
    pub fn close(&self) {
        self.end(true);
    }

    /// Ends without a commit, as a crash would: what was not committed is done again by the next start.
    pub fn abandon(&self) {
        self.end(false);
    }

    fn tell(&self, event: Event) {
        // There is nobody to tell only when all ends.
        let _ = self.events.send(event);
    }

    fn end(&self, commit: bool) {
        let handles = std::mem::take(&mut *self.handles.lock());
        if handles.is_empty() {
            return;
        }
        self.shared.closing.store(true, Ordering::Release);
        self.tell(Event::Close);
        for thread in self.threads.iter().chain([&self.push]) {
            let _ = thread.send(Order::Close { commit });
        }
        let once = std::mem::take(&mut *self.once.lock());
        let once = once.into_values().map(|(orders, handle)| {
            let _ = orders.send(Order::Close { commit });
            handle
        });
        let once: Vec<_> = once.collect();
        for handle in handles.into_iter().chain(once) {
            if handle.join().is_err() {
                tracing::error!("a thread of the workers panicked");
            }
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.close();
    }
}
