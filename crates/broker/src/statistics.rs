//! What a broker has done since its start, and what it holds: counters that cost a request next to nothing, and a reading of them.

use crate::node::Node;
use kafka_protocol::messages::ApiKey;
use std::sync::{
    Weak,
    atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
};

/// More than the highest number of an API.
const APIS: usize = 128;

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds to it.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

#[derive(Debug, Default)]
struct Answers {
    all: Counter,
    failed: Counter,
}

/// The counters of a broker.
#[derive(Debug)]
pub struct Counters {
    answers: [Answers; APIS],
    /// Bytes of requests.
    pub request_bytes: Counter,
    /// Bytes of answers that were sent.
    pub response_bytes: Counter,
    opened: Counter,
    closed: Counter,
    /// Connections that were one too many.
    pub refused_connections: Counter,
    /// Records that producers wrote.
    pub appended_records: Counter,
    /// Bytes of their batches.
    pub appended_bytes: Counter,
    /// Records given to consumers.
    pub fetched_records: Counter,
    /// Bytes of their batches.
    pub fetched_bytes: Counter,
    /// Compactions of a partition that came to their end.
    pub compactions: Counter,
    /// Bytes that compaction read and wrote.
    pub compacted_bytes: Counter,
    disk_errors: Counter,
    disk_refuses: AtomicBool,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            answers: std::array::from_fn(|_| Answers::default()),
            request_bytes: Counter::default(),
            response_bytes: Counter::default(),
            opened: Counter::default(),
            closed: Counter::default(),
            refused_connections: Counter::default(),
            appended_records: Counter::default(),
            appended_bytes: Counter::default(),
            fetched_records: Counter::default(),
            fetched_bytes: Counter::default(),
            compactions: Counter::default(),
            compacted_bytes: Counter::default(),
            disk_errors: Counter::default(),
            disk_refuses: AtomicBool::new(false),
        }
    }
}

impl Counters {
    /// A request was answered, or its connection closed for it.
    pub fn answered(&self, key: ApiKey, failed: bool) {
        if let Some(answers) = usize::try_from(key as i16).ok().and_then(|at| self.answers.get(at)) {
            answers.all.add(1);
            if failed {
                answers.failed.add(1);
            }
        }
    }

    /// A connection is there until the value is dropped.
    pub fn connected(&self) -> Connection<'_> {
        self.opened.add(1);
        Connection(self)
    }

    /// The disk took records.
    pub fn disk_took(&self) {
        // Looking is cheaper than writing, and it is nearly always so already.
        if self.disk_refuses.load(Relaxed) {
            self.disk_refuses.store(false, Relaxed);
        }
    }

    /// The disk took no records.
    pub fn disk_refused(&self) {
        self.disk_errors.add(1);
        self.disk_refuses.store(true, Relaxed);
    }
}

/// An open connection, as far as it is counted.
#[derive(Debug)]
pub struct Connection<'a>(&'a Counters);

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.0.closed.add(1);
    }
}

/// How often an API was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiStatistics {
    /// The API, as the protocol calls it.
    pub api: String,
    /// Requests answered.
    pub requests: u64,
    /// Those of them whose answer holds an error, or that ended their connection.
    pub failed: u64,
}

/// A reading: what a broker has done since its start, and what it holds now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The APIs that were asked.
    pub apis: Vec<ApiStatistics>,
    /// Bytes of requests.
    pub request_bytes: u64,
    /// Bytes of answers.
    pub response_bytes: u64,
    /// Open connections.
    pub connections: u64,
    /// Connections closed because there were too many.
    pub refused_connections: u64,
    /// Records written by producers.
    pub appended_records: u64,
    /// Bytes of their batches.
    pub appended_bytes: u64,
    /// Records given to consumers.
    pub fetched_records: u64,
    /// Bytes of their batches.
    pub fetched_bytes: u64,
    /// Topics.
    pub topics: u64,
    /// Partitions of all topics.
    pub partitions: u64,
    /// Segments of all partitions.
    pub segments: u64,
    /// Bytes of all segments.
    pub log_bytes: u64,
    /// Transactions that are open or being ended.
    pub open_transactions: u64,
    /// Consumer groups with members or offsets.
    pub groups: u64,
    /// Members of all groups.
    pub group_members: u64,
    /// Compactions of a partition that came to their end.
    pub compactions: u64,
    /// Bytes that compaction read and wrote.
    pub compacted_bytes: u64,
    /// Times that the disk took no records.
    pub disk_errors: u64,
    /// Whether the disk took none the last time.
    pub disk_refuses: bool,
}

impl Statistics {
    /// A reading of a broker.
    pub fn of(node: &Node) -> Self {
        let counters = &node.counters;
        let known = (0i16..).zip(&counters.answers).filter(|(_, answers)| answers.all.get() > 0);
        let apis = known.filter_map(|(key, answers)| {
            let key = ApiKey::try_from(key).ok()?;
            Some(ApiStatistics { api: format!("{key:?}"), requests: answers.all.get(), failed: answers.failed.get() })
        });
        let (groups, group_members) = node.groups.counts();
        // Read in this order, no connection is closed that was not opened.
        let closed = counters.closed.get();
        let mut read = Self {
            apis: apis.collect(),
            request_bytes: counters.request_bytes.get(),
            response_bytes: counters.response_bytes.get(),
            connections: counters.opened.get().saturating_sub(closed),
            refused_connections: counters.refused_connections.get(),
            appended_records: counters.appended_records.get(),
            appended_bytes: counters.appended_bytes.get(),
            fetched_records: counters.fetched_records.get(),
            fetched_bytes: counters.fetched_bytes.get(),
            open_transactions: node.transactions.open_count() as u64,
            groups: groups as u64,
            group_members: group_members as u64,
            compactions: counters.compactions.get(),
            compacted_bytes: counters.compacted_bytes.get(),
            disk_errors: counters.disk_errors.get(),
            disk_refuses: counters.disk_refuses.load(Relaxed),
            ..Self::default()
        };
        for topic in node.topics.all() {
            read.topics += 1;
            for partition in topic.partitions() {
                let log = partition.log();
                read.partitions += 1;
                read.segments += log.segment_count() as u64;
                read.log_bytes += log.size();
            }
        }
        read
    }
}

/// Reads a broker's statistics from anywhere, as long as it runs.
#[derive(Clone, Debug)]
pub struct Monitor(Weak<Node>);

impl Monitor {
    pub(crate) fn new(node: Weak<Node>) -> Self {
        Self(node)
    }

    /// A reading; `None` when the broker has stopped. Every log is looked at for a moment, so not to be called all the time.
    pub fn read(&self) -> Option<Statistics> {
        self.0.upgrade().map(|node| Statistics::of(&node))
    }
}
