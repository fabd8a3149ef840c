//! Ending transactions: prepare is written, then markers and offsets, then complete.

use super::{ProducerName, Reach, Status, Transactions, TxnRecord};
use crate::clock::now_ms;
use flumen_wire::batch::Marker;
use kafka_protocol::ResponseError;
use std::sync::atomic::Ordering;

/// How long a disk that refuses is left alone, in milliseconds.
const RETRY_MS: i64 = 1000;

impl Transactions {
    /// Commits or aborts the open transaction. Doing the same again succeeds.
    pub fn end(&self, reach: Reach<'_>, id: &str, producer: ProducerName, commit: bool) -> Result<(), ResponseError> {
        let entry = self.find(id).ok_or(ResponseError::InvalidProducerIdMapping)?;
        let mut record = entry.lock();
        record.check(producer)?;
        match (record.status, commit) {
            (Status::Ongoing, _) => {
                self.prepare(id, &mut record, commit)?;
                self.finish(reach, id, &mut record)
            }
            (Status::PrepareCommit, true) | (Status::PrepareAbort, false) => self.finish(reach, id, &mut record),
            (Status::PrepareCommit, false) | (Status::PrepareAbort, true) => Err(ResponseError::InvalidTxnState),
            (Status::Committed, true) | (Status::Aborted, false) => Ok(()),
            (Status::Empty | Status::Committed | Status::Aborted, _) => Err(ResponseError::InvalidTxnState),
        }
    }

    /// Aborts what is open too long, and finishes what could not be finished before.
    pub fn tick(&self, reach: Reach<'_>, now: i64) {
        if now < self.retry_at.load(Ordering::Relaxed) {
            return;
        }
        for (id, entry) in self.entries() {
            // Who holds the lock is at work on it.
            let Some(mut record) = entry.try_lock() else { continue };
            let done = if record.is_overdue(now) {
                tracing::warn!(transactional_id = id, timeout_ms = record.timeout_ms, "aborting a transaction that is open too long");
                self.abort_and_fence(reach, &id, &mut record)
            } else {
                self.finish_if_prepared(reach, &id, &mut record)
            };
            if let Err(error) = done {
                tracing::warn!(transactional_id = id, %error, "a transaction cannot be ended yet");
                self.retry_at.store(now.saturating_add(RETRY_MS), Ordering::Relaxed);
            }
        }
    }

    /// Aborts the open transaction under a new epoch, so that its producer cannot go on.
    pub(super) fn abort_and_fence(&self, reach: Reach<'_>, id: &str, record: &mut TxnRecord) -> Result<(), ResponseError> {
        let mut next = record.clone();
        next.last_epoch = -1;
        next.epoch = next.epoch.saturating_add(1);
        next.status = Status::PrepareAbort;
        self.store(id, record, next)?;
        self.finish(reach, id, record)
    }

    fn prepare(&self, id: &str, record: &mut TxnRecord, commit: bool) -> Result<(), ResponseError> {
        let mut next = record.clone();
        next.status = if commit { Status::PrepareCommit } else { Status::PrepareAbort };
        self.store(id, record, next)
    }

    pub(super) fn finish_if_prepared(&self, reach: Reach<'_>, id: &str, record: &mut TxnRecord) -> Result<(), ResponseError> {
        match record.status {
            Status::PrepareCommit | Status::PrepareAbort => {
                self.finish(reach, id, record).map_err(|_| ResponseError::ConcurrentTransactions)
            }
            _ => Ok(()),
        }
    }

    /// Carries out what was prepared. May be repeated: a partition whose marker is written has no open transaction any more.
    pub(super) fn finish(&self, reach: Reach<'_>, id: &str, record: &mut TxnRecord) -> Result<(), ResponseError> {
        let commit = record.status == Status::PrepareCommit;
        let marker = if commit { Marker::Commit } else { Marker::Abort };
        for (topic, index) in &record.partitions {
            let Some(partition) = reach.topics.partition(topic, *index) else { continue };
            let mut log = partition.log();
            if log.has_open(record.producer_id) {
                log.append_marker(marker, record.producer_id, record.epoch, now_ms()).map_err(|error| {
                    tracing::error!(topic, partition = index, %error, "a transaction marker cannot be written");
                    ResponseError::CoordinatorNotAvailable
                })?;
            }
            drop(log);
            partition.wake();
        }
        let offsets = if commit { record.offsets.iter().map(|p| (p.key.clone(), p.committed.clone())).collect() } else { Vec::new() };
        reach.groups.end_pending(record.producer_id, offsets)?;
        let mut next = record.clone();
        next.status = if commit { Status::Committed } else { Status::Aborted };
        next.partitions.clear();
        next.groups.clear();
        next.offsets.clear();
        self.store(id, record, next)
    }
}
