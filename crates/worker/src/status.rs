//! How a running query fares.

use std::collections::BTreeMap;

/// The states of a query that users see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueryState {
    /// Running, or about to.
    #[default]
    Running,
    /// Failed; it is tried again after a while.
    Error,
    /// Paused.
    Paused,
}

impl QueryState {
    /// The upper-case name of the API.
    pub fn name(self) -> &'static str {
        match self {
            QueryState::Running => "RUNNING",
            QueryState::Error => "ERROR",
            QueryState::Paused => "PAUSED",
        }
    }
}

/// One error a query has met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryFault {
    /// When, in milliseconds.
    pub timestamp: i64,
    /// What is wrong and where.
    pub message: String,
    /// USER, SYSTEM or UNKNOWN.
    pub class: &'static str,
}

impl QueryStatus {
    /// Number of partitions of a sub-topology, as its tasks show it.
    pub fn partitions(&self, sub_topology: u32) -> usize {
        let of = |t: &TaskProgress| {
            let (sub, partition) = t.task.split_once('_')?;
            let partition: usize = partition.parse().ok()?;
            (sub.parse() == Ok(sub_topology)).then_some(partition + 1)
        };
        self.tasks.iter().filter_map(of).max().unwrap_or(0)
    }
}

/// How far a task has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskProgress {
    /// The task, such as `0_3`.
    pub task: String,
    /// Committed offsets by input topic and partition.
    pub committed: BTreeMap<(String, i32), i64>,
    /// Records still to be restored, 0 when it runs.
    pub restoring: i64,
}

/// How many records go through a query.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct QueryFlow {
    /// Records read since it was started here.
    pub read: u64,
    /// Records written to the topic that users see.
    pub written: u64,
    /// Records that could not be processed.
    pub failed: u64,
    /// Records read per second, lately.
    pub read_per_second: f64,
    /// Records written per second, lately.
    pub written_per_second: f64,
    /// When it last committed records that it read, in milliseconds.
    pub last: Option<i64>,
}

/// How a query fares as a whole.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryStatus {
    /// Its state.
    pub state: QueryState,
    /// The last errors, oldest first.
    pub faults: Vec<QueryFault>,
    /// Its tasks here.
    pub tasks: Vec<TaskProgress>,
    /// Its state here is whole: not before its tasks are made and restored, also not while that is done again.
    pub ready: bool,
    /// What goes through it.
    pub flow: QueryFlow,
}
