//! What the manager knows of a query.

use std::sync::Arc;
use std::time::{Duration, Instant};

use flumen_plan::QueryPlan;

pub(super) struct Query {
    pub plan: Arc<QueryPlan>,
    pub paused: bool,
    pub phase: Phase,
    /// Failures in a row.
    pub attempts: u32,
    /// Slots of its tasks.
    pub slots: Vec<i32>,
    /// Its tasks by thread.
    pub counts: Vec<usize>,
}

pub(super) enum Phase {
    /// Its tasks are being made.
    Preparing,
    /// Its tasks run.
    Running { since: Instant },
    /// So many have still to say that they run it no more.
    Stopping { left: usize, next: Next },
    /// It failed and starts again then.
    Waiting { until: Instant },
}

/// What follows when a query has stopped.
#[derive(Debug, Clone, Copy)]
pub(super) enum Next {
    Start,
    Retry(Duration),
    Remove,
}

impl Query {
    pub fn new(plan: Arc<QueryPlan>, paused: bool) -> Self {
        let phase = Phase::Waiting { until: Instant::now() };
        Query { plan, paused, phase, attempts: 0, slots: Vec::new(), counts: Vec::new() }
    }

    /// Tasks of it may run.
    pub fn is_at_work(&self) -> bool {
        matches!(self.phase, Phase::Running { .. } | Phase::Stopping { .. })
    }
}
