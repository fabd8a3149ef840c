//! Memory twins of the engine's outside world.

mod tasks;
mod topics;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use flumen_catalog::Command;
use flumen_engine::Logged;
use flumen_engine::{Apply, Clock, EngineError, Entropy, Env, Log};
use parking_lot::Mutex;

pub(crate) use tasks::MemoryTasks;
pub(crate) use topics::MemoryTopics;

/// A world in memory, and the handles the runner keeps to it.
pub(crate) struct World {
    pub(crate) topics: Arc<MemoryTopics>,
    pub(crate) tasks: Arc<MemoryTasks>,
}

impl World {
    /// An empty world and the environment of an engine in it. The wall clock stands still at 0.
    pub(crate) fn new() -> (World, Env) {
        let topics = Arc::new(MemoryTopics::default());
        let tasks = Arc::new(MemoryTasks::default());
        let env = Env {
            topics: topics.clone(),
            log: Arc::new(MemoryLog::default()),
            tasks: tasks.clone(),
            clock: Arc::new(StillClock),
            random: Arc::new(Counter::default()),
        };
        (World { topics, tasks }, env)
    }
}

#[derive(Default)]
struct MemoryLog {
    apply: Mutex<Option<Apply>>,
    next: AtomicI64,
}

impl Log for MemoryLog {
    fn open(&self, apply: Apply) -> Result<(), EngineError> {
        *self.apply.lock() = Some(apply);
        Ok(())
    }

    fn append(&self, token: &str, command: &Command) -> Result<(), EngineError> {
        let offset = self.next.fetch_add(1, Ordering::Relaxed);
        // Through the persisted form, as every server gets it.
        let command = Command::decode(&command.encode()?);
        if let Some(apply) = self.apply.lock().as_mut() {
            apply(Logged { offset, token: token.to_string(), command });
        }
        Ok(())
    }

    fn close(&self) {
        self.apply.lock().take();
    }
}

struct StillClock;

impl Clock for StillClock {
    fn now_ms(&self) -> i64 {
        0
    }
}

#[derive(Default)]
struct Counter(AtomicU64);

impl Entropy for Counter {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}
