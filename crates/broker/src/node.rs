//! The one node: everything requests work on.

use crate::{
    clock::now_ms,
    config::{BrokerConfig, LogSettings},
    datadir::DataDir,
    error::BrokerError,
    groups::Groups,
    log::Pace,
    statistics::Counters,
    topics::Topics,
    txns::{Reach, Transactions},
};
use std::{
    net::SocketAddr,
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The id of the node.
pub const NODE_ID: i32 = 1;
/// Memory is counted in pieces of this many bytes.
const PIECE: usize = 1024;

/// State shared by all connections.
#[derive(Debug)]
pub struct Node {
    /// Settings.
    pub config: BrokerConfig,
    /// Topics and their logs.
    pub topics: Topics,
    /// Consumer groups and their offsets.
    pub groups: Groups,
    /// Producers and transactions.
    pub transactions: Transactions,
    /// Memory for produce requests.
    pub request_memory: Budget,
    /// Memory for all other requests.
    pub control_memory: Budget,
    /// Memory for fetched records.
    pub fetch_memory: Budget,
    /// What is counted.
    pub counters: Counters,
    /// Random, made with the data directory.
    pub cluster_id: String,
    dir: DataDir,
}

impl Node {
    /// Opens the data directory and recovers what lies there.
    pub fn open(config: BrokerConfig) -> Result<Self, BrokerError> {
        let dir = DataDir::open(&config.data_dir, config.log.fsync)?;
        let topics = Topics::open(&dir, LogSettings { power_lost: dir.power_lost(), ..config.log })?;
        let groups = Groups::open(&dir, config.groups)?;
        let transactions = Transactions::open(&dir, config.transactions)?;
        transactions.recover(Reach { topics: &topics, groups: &groups }).map_err(|error| BrokerError::Recovery(error.to_string()))?;
        dir.recovered()?;
        Ok(Self {
            groups,
            transactions,
            request_memory: Budget::new(config.limits.inflight_request_bytes),
            control_memory: Budget::new(config.limits.inflight_control_bytes),
            fetch_memory: Budget::new(config.limits.inflight_fetch_bytes),
            counters: Counters::default(),
            cluster_id: dir.cluster_id()?,
            topics,
            config,
            dir,
        })
    }

    /// Work for every few milliseconds: time-outs.
    pub fn tick(&self) {
        self.groups.tick(Instant::now());
        self.transactions.tick(self.reach(), now_ms());
    }

    /// What transactions touch.
    pub fn reach(&self) -> Reach<'_> {
        Reach { topics: &self.topics, groups: &self.groups }
    }

    /// Work for every minute: retention, and forgetting silent producers.
    pub fn tidy(&self) {
        let now = now_ms();
        self.transactions.expire(now);
        if let Err(error) = self.groups.expire(now) {
            tracing::warn!(%error, "cannot remove old offsets");
        }
        for topic in self.topics.all() {
            let config = topic.config();
            for partition in topic.partitions() {
                let mut log = partition.log();
                log.expire_producers(now);
                if config.deletes()
                    && let Err(error) = log.retain(now, config.retention_ms, config.retention_bytes)
                {
                    tracing::warn!(topic = topic.name(), %error, "cannot remove old records");
                }
                let removed = log.take_removed();
                drop(log);
                drop(removed);
            }
        }
    }

    /// Work for every second: forcing to the disk what a topic's `flush.ms` says.
    pub fn flush(&self) {
        let now = now_ms();
        for topic in self.topics.all() {
            let flush_ms = topic.config().rules().flush_ms;
            for partition in topic.partitions().iter().filter(|_| flush_ms < i64::MAX) {
                if let Err(error) = partition.log().flush_overdue(flush_ms, now) {
                    tracing::warn!(topic = topic.name(), %error, "cannot force a log to the disk");
                }
            }
        }
    }

    /// Compacts the topics that want it, until told to stop.
    pub fn compact(&self, stop: &AtomicBool) {
        let mut pace = Pace::new(self.config.log.compaction_bytes_per_second, stop);
        for topic in self.topics.all() {
            let config = topic.config();
            let Some(rules) = config.compaction() else { continue };
            for partition in topic.partitions() {
                let before = pace.spent();
                let done = crate::log::compact(|| partition.log(), rules, &mut pace, now_ms);
                self.counters.compacted_bytes.add(pace.spent().saturating_sub(before));
                match done {
                    Ok(true) => {
                        self.counters.compactions.add(1);
                        tracing::debug!(topic = topic.name(), "compacted");
                    }
                    Ok(false) => {}
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return,
                    Err(error) if self.topics.get(topic.name()).is_none_or(|t| t.id() != topic.id()) => {
                        tracing::debug!(topic = topic.name(), %error, "deleted while being compacted");
                    }
                    Err(error) => tracing::warn!(topic = topic.name(), %error, "cannot compact"),
                }
            }
        }
    }

    /// Leaves the files as a quick start wants them.
    pub fn close(&self) {
        self.topics.close();
        self.dir.end_run();
    }

    /// Host and port that a client of this connection is told to come to.
    pub fn advertised(&self, connection: &Connected) -> (String, i32) {
        match &self.config.advertised {
            Some((host, port)) => (host.clone(), i32::from(*port)),
            None => (connection.local.ip().to_string(), i32::from(connection.local.port())),
        }
    }
}

/// The two ends of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Connected {
    /// Ours.
    pub local: SocketAddr,
    /// The client's.
    pub peer: SocketAddr,
}

/// A bound on memory in use. Who wants more waits.
#[derive(Debug)]
pub struct Budget {
    pieces: Arc<Semaphore>,
    total: usize,
}

/// A part of a budget in use.
#[derive(Debug)]
pub struct Share(OwnedSemaphorePermit);

impl Budget {
    /// A budget of this many bytes.
    pub fn new(bytes: usize) -> Self {
        let total = (bytes / PIECE).clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        Self { pieces: Arc::new(Semaphore::new(total)), total }
    }

    /// Waits until so many bytes are free. More than there is altogether counts as all of it. `None` when the broker has stopped.
    pub async fn take(&self, bytes: usize) -> Option<Share> {
        let pieces = u32::try_from(bytes.div_ceil(PIECE).min(self.total)).unwrap_or(u32::MAX);
        self.pieces.clone().acquire_many_owned(pieces).await.ok().map(Share)
    }
}

impl Share {
    /// Gives back what is beyond so many bytes.
    pub fn shrink(&mut self, bytes: usize) {
        let surplus = self.0.num_permits().saturating_sub(bytes.div_ceil(PIECE));
        drop(self.0.split(surplus));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_budget_bounds_and_is_given_back() {
        let budget = Budget::new(10 * PIECE);
        let mut first = budget.take(8 * PIECE).await.unwrap();
        assert_eq!(budget.pieces.available_permits(), 2);
        first.shrink(PIECE);
        assert_eq!(budget.pieces.available_permits(), 9);
        drop(first);
        let all = budget.take(usize::MAX).await.unwrap();
        assert_eq!(budget.pieces.available_permits(), 0);
        drop(all);
        assert_eq!(budget.pieces.available_permits(), 10);
    }
}
