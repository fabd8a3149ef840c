//! The queries of a world, in the order in which they were started; the runner drives them.

use std::sync::Arc;

use flumen_catalog::QueryDef;
use flumen_engine::{EngineError, ErrorKind, PushSink, QueryStatus, Reach, Tasks};
use flumen_plan::{QueryId, QueryPlan};
use flumen_state::Backend;
use parking_lot::Mutex;

/// Queries that are to be driven.
#[derive(Default)]
pub(crate) struct MemoryTasks(Mutex<Vec<Arc<QueryDef>>>);

impl MemoryTasks {
    /// The queries in order of creation.
    pub(crate) fn queries(&self) -> Vec<Arc<QueryDef>> {
        self.0.lock().clone()
    }
}

impl Tasks for MemoryTasks {
    fn start(&self, query: &Arc<QueryDef>) {
        self.0.lock().push(query.clone());
    }

    fn replace(&self, query: &Arc<QueryDef>) {
        for known in self.0.lock().iter_mut().filter(|q| q.id == query.id) {
            *known = query.clone();
        }
    }

    fn stop(&self, query: &Arc<QueryDef>) {
        self.0.lock().retain(|q| q.id != query.id);
    }

    fn pause(&self, _: &QueryId) {}

    fn resume(&self, _: &QueryId) {}

    fn status(&self, _: &QueryId) -> QueryStatus {
        QueryStatus::default()
    }

    fn push(&self, _: QueryId, _: Arc<QueryPlan>, _: Reach, _: Box<dyn PushSink>) -> Result<(), EngineError> {
        Err(EngineError::new(ErrorKind::Unsupported, "Push queries in the test runner are not supported yet"))
    }

    fn stop_push(&self, _: &QueryId) {}

    fn backend(&self) -> Arc<dyn Backend> {
        flumen_state::memory()
    }

    fn close(&self) {
        self.0.lock().clear();
    }
}
