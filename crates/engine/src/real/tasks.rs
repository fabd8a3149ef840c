//! Running queries on worker threads.

use std::sync::Arc;

use flumen_catalog::QueryDef;
use flumen_cluster::Leases;
use flumen_plan::{QueryId, QueryPlan};
use flumen_state::Backend;
use flumen_worker::{PushSink, QueryStatus, Reach, Workers};
use parking_lot::Mutex;

use crate::{EngineError, ErrorKind, Tasks};

/// The workers, with the leases they run under.
pub(super) struct WorkerTasks {
    workers: Arc<Workers>,
    backend: Arc<dyn Backend>,
    leases: Mutex<Leases>,
}

impl WorkerTasks {
    pub(super) fn new(workers: Arc<Workers>, backend: Arc<dyn Backend>, leases: Leases) -> Self {
        WorkerTasks { workers, backend, leases: Mutex::new(leases) }
    }
}

impl Tasks for WorkerTasks {
    fn start(&self, query: &Arc<QueryDef>) {
        self.workers.start_query(&query.id, &query.plan, query.paused);
    }

    fn replace(&self, query: &Arc<QueryDef>) {
        self.workers.replace_query(&query.id, &query.plan);
    }

    fn stop(&self, query: &Arc<QueryDef>) {
        self.workers.stop_query(&query.id, &query.plan);
    }

    fn pause(&self, query: &QueryId) {
        self.workers.pause(query);
    }

    fn resume(&self, query: &QueryId) {
        self.workers.resume(query);
    }

    fn status(&self, query: &QueryId) -> QueryStatus {
        self.workers.status(query)
    }

    fn push(&self, id: QueryId, plan: Arc<QueryPlan>, reach: Reach, sink: Box<dyn PushSink>) -> Result<(), EngineError> {
        self.workers.push(&id, &plan, reach, sink).map_err(|e| EngineError::new(ErrorKind::BadStatement, e.to_string()))
    }

    fn stop_push(&self, id: &QueryId) {
        self.workers.stop_push(id);
    }

    fn backend(&self) -> Arc<dyn Backend> {
        self.backend.clone()
    }

    fn close(&self) {
        self.workers.close();
        self.leases.lock().stop();
    }
}
