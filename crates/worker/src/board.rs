//! The statuses of all queries, written by the threads and read by the engine.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use flumen_plan::{Positions, QueryId, TaskId};
use flumen_state::StoreRef;
use parking_lot::Mutex;

use crate::shared::now_ms;
use crate::{QueryFault, QueryFlow, QueryState, QueryStatus, TaskProgress, WorkerError};

/// How many faults of a query are kept.
const FAULTS: usize = 10;

#[derive(Default)]
pub(crate) struct Board(Mutex<HashMap<QueryId, Entry>>);

#[derive(Default)]
struct Entry {
    state: QueryState,
    faults: Vec<QueryFault>,
    tasks: BTreeMap<(u32, i32), TaskProgress>,
    ready: bool,
    flow: QueryFlow,
    stores: Vec<StoreRef>,
    /// When what goes through it was last measured.
    measured: Option<Instant>,
}

impl Board {
    pub fn status(&self, id: &QueryId) -> QueryStatus {
        let entries = self.0.lock();
        let Some(entry) = entries.get(id) else { return QueryStatus::default() };
        QueryStatus {
            state: entry.state,
            faults: entry.faults.clone(),
            tasks: entry.tasks.values().cloned().collect(),
            ready: entry.ready,
            flow: entry.flow,
        }
    }

    pub fn set_state(&self, id: &QueryId, state: QueryState) {
        self.0.lock().entry(id.clone()).or_default().state = state;
    }

    /// Whether all tasks of a query are made and restored.
    pub fn set_ready(&self, id: &QueryId, ready: bool) {
        self.0.lock().entry(id.clone()).or_default().ready = ready;
    }

    /// Notes where the state of a query is.
    pub fn set_stores(&self, id: &QueryId, stores: Vec<StoreRef>) {
        self.0.lock().entry(id.clone()).or_default().stores = stores;
    }

    /// Where the state of each query is.
    pub fn stores(&self) -> Vec<(QueryId, Vec<StoreRef>)> {
        self.0.lock().iter().map(|(id, entry)| (id.clone(), entry.stores.clone())).collect()
    }

    /// Adds a fault; one that repeats the last takes its place.
    pub fn fault(&self, id: &QueryId, fault: QueryFault) {
        let mut entries = self.0.lock();
        let faults = &mut entries.entry(id.clone()).or_default().faults;
        if faults.last().is_some_and(|last| last.message == fault.message) {
            faults.pop();
        }
        if faults.len() >= FAULTS {
            faults.remove(0);
        }
        faults.push(fault);
    }

    /// Notes what a task has committed.
    pub fn committed(&self, task: &TaskId, positions: &Positions) {
        let committed = positions.inputs.iter().map(|i| ((i.topic.clone(), i.partition), i.next)).collect();
        let mut moved = false;
        self.progress(task, |p| {
            // The first positions of a task are where it starts, not what it has read.
            moved = !p.committed.is_empty() && p.committed != committed;
            p.committed = committed;
        });
        if moved && let Some(entry) = self.0.lock().get_mut(&task.query) {
            entry.flow.last = Some(now_ms());
        }
    }

    /// Notes what has gone through each query: `counts` gives the records read, written and failed.
    pub fn measure(&self, counts: impl Fn(&QueryId) -> (u64, u64, u64)) {
        let now = Instant::now();
        for (id, entry) in self.0.lock().iter_mut() {
            let (read, written, failed) = counts(id);
            let before = entry.flow;
            let seconds = entry.measured.map_or(0.0, |at| now.duration_since(at).as_secs_f64());
            let rate = |now: u64, before: u64| if seconds > 0.0 { now.saturating_sub(before) as f64 / seconds } else { 0.0 };
            let (read_per_second, written_per_second) = (rate(read, before.read), rate(written, before.written));
            entry.flow = QueryFlow { read, written, failed, read_per_second, written_per_second, last: before.last };
            entry.measured = Some(now);
        }
    }

    /// Notes how many changelog records a task still has to restore.
    pub fn restoring(&self, task: &TaskId, left: i64) {
        self.progress(task, |p| p.restoring = left);
    }

    fn progress(&self, task: &TaskId, set: impl FnOnce(&mut TaskProgress)) {
        let mut entries = self.0.lock();
        let tasks = &mut entries.entry(task.query.clone()).or_default().tasks;
        let (sub, partition) = (task.sub_topology.0, task.partition);
        let fresh = || TaskProgress { task: format!("{sub}_{partition}"), committed: BTreeMap::new(), restoring: 0 };
        set(tasks.entry((sub, partition)).or_insert_with(fresh));
    }

    pub fn forget(&self, id: &QueryId) {
        self.0.lock().remove(id);
    }

    /// The committed offsets of all tasks: query, topic, partition, offset.
    pub fn positions(&self) -> Vec<(QueryId, String, i32, i64)> {
        let entries = self.0.lock();
        let all = entries.iter().flat_map(|(id, e)| e.tasks.values().map(move |t| (id, t)));
        all.flat_map(|(id, t)| t.committed.iter().map(|((topic, p), next)| (id.clone(), topic.clone(), *p, *next))).collect()
    }
}

/// A fault with its class.
pub(crate) fn fault(error: &WorkerError) -> QueryFault {
    QueryFault { timestamp: now_ms(), message: error.to_string(), class: error.class() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_bounded_and_not_repeated() {
        let (board, id) = (Board::default(), QueryId("Q_1".to_string()));
        for i in 0..15 {
            let fault = fault(&WorkerError::MissingTopic(format!("t{}", i / 3)));
            board.fault(&id, fault);
        }
        assert_eq!(board.status(&id).faults.len(), 5);
        (0..30).for_each(|i| board.fault(&id, fault(&WorkerError::MissingTopic(format!("u{i}")))));
        assert_eq!(board.status(&id).faults.len(), FAULTS);
        board.forget(&id);
        assert_eq!(board.status(&id), QueryStatus::default());
    }

    #[test]
    fn what_goes_through_a_query_is_measured() {
        let (board, id) = (Board::default(), QueryId("Q_1".to_string()));
        let task = TaskId { query: id.clone(), sub_topology: flumen_plan::SubTopologyId(0), partition: 0 };
        let at = |next| Positions {
            inputs: vec![flumen_plan::InputPosition { topic: "t".to_string(), partition: 0, next, time: -1 }],
            ..Positions::default()
        };
        board.committed(&task, &at(5));
        board.measure(|_| (0, 0, 0));
        assert_eq!(board.status(&id).flow, QueryFlow::default());
        board.committed(&task, &at(9));
        assert_eq!((board.status(&id).partitions(0), board.status(&id).partitions(1)), (1, 0));
        board.measure(|_| (4, 3, 1));
        let flow = board.status(&id).flow;
        assert_eq!((flow.read, flow.written, flow.failed), (4, 3, 1));
        assert!(flow.read_per_second > flow.written_per_second && flow.last.is_some());
    }
}
