//! What all threads of the workers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use flumen_expr::Registry;
use flumen_kafka::{Admin, LeaseFence};
use flumen_plan::TaskId;
use flumen_state::Backend;
use flumen_telemetry::Metrics;

use crate::WorkerSettings;
use crate::board::Board;
use crate::ledger::Ledger;

/// How long one call to the broker may take.
pub(crate) const CALL: Duration = Duration::from_secs(30);

/// Least memory of a store for rows that are clean.
const LEAST_STORE_BYTES: usize = 1 << 20;

pub(crate) struct Shared {
    pub settings: WorkerSettings,
    pub admin: Arc<Admin>,
    pub fence: LeaseFence,
    pub slot_of: fn(&TaskId, i32) -> i32,
    pub backend: Arc<dyn Backend>,
    pub registry: Arc<Registry>,
    pub metrics: Metrics,
    pub board: Board,
    pub ledger: Ledger,
    /// Everything is to end.
    pub closing: AtomicBool,
    /// The processing log's topic is there.
    pub journal: AtomicBool,
    /// Number of the next fenced commit.
    pub token: AtomicI64,
    /// Threads that have not yet taken over the transactions of an earlier process.
    pub taking_over: AtomicUsize,
    /// Tasks of persistent queries that run here.
    pub tasks: AtomicUsize,
}

impl Shared {
    pub fn slot(&self, task: &TaskId) -> i32 {
        (self.slot_of)(task, self.settings.slots)
    }

    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Sleeps, but not past the order to close.
    pub fn pause(&self, time: Duration) {
        let slice = Duration::from_millis(20);
        let mut left = time;
        while !left.is_zero() && !self.is_closing() {
            std::thread::sleep(slice.min(left));
            left = left.saturating_sub(slice);
        }
    }

    /// The share of one store in the memory for clean rows.
    pub fn store_bytes(&self) -> usize {
        let all = usize::try_from(self.settings.config.overlay_bytes).unwrap_or(usize::MAX);
        let tasks = self.tasks.load(Ordering::Relaxed) / self.settings.threads.max(1);
        (all / (tasks + 1).max(4)).max(LEAST_STORE_BYTES)
    }
}

/// The wall clock, in milliseconds.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
