//! Commit, apply and rollback: what a task remembers moves to its backend whole or not at all.

use std::sync::Arc;

use flumen_plan::Positions;
use flumen_state::{Frozen, StoreRef, Writes, changelog_key, split_stored};
use flumen_wire::RecordColumns;

use crate::{RuntimeError, meta};

use super::Task;

/// A store of a task.
pub(super) struct StoreState {
    /// The place of its node.
    pub node: usize,
    /// Where it is.
    pub store: StoreRef,
    /// Full name of its changelog topic.
    pub changelog: Arc<str>,
    /// How long windows are kept, in milliseconds; only for windowed stores.
    pub retention: Option<i64>,
    /// Windows that start before this are gone already.
    pub expired: i64,
}

/// The changes of a task since its last commit, frozen.
#[derive(Debug)]
pub struct TaskCommit {
    /// Records for the changelogs, by full name of the topic; the partition is the task's.
    pub changelogs: Vec<(Arc<str>, RecordColumns)>,
    /// The positions to commit.
    pub positions: Positions,
    /// By changelog topic, the offset after its last record; to be filled in once the records are written.
    pub changelog_ends: Vec<(Arc<str>, i64)>,
    frozen: Vec<Frozen>,
}

impl Task {
    /// Freezes all changes since the last call. Processing may go on; what it gives must be held back until this commit
    /// is applied.
    ///
    /// # Errors
    /// Results are held back still ([`Task::flush`]), or more than 4 GiB of changes in one store.
    pub fn prepare_commit(&mut self) -> Result<TaskCommit, RuntimeError> {
        if self.holds_results() {
            return Err(super::internal("a commit was prepared before the results held back were flushed"));
        }
        self.positions.commit += 1;
        self.positions.stream_times = self.nodes.iter().filter_map(|n| Some((n.id, n.operator.as_ref()?.stream_time()?))).collect();
        let (mut changelogs, mut frozen) = (Vec::new(), Vec::new());
        for state in &self.stores {
            let store = self.nodes.get_mut(state.node).and_then(|n| n.operator.as_mut()).and_then(|o| o.store());
            let changes = store.map(|s| s.freeze()).unwrap_or_default();
            let mut records = RecordColumns::new();
            let mut key = Vec::new();
            let latest = self.positions.inputs.iter().map(|i| i.time).max().unwrap_or(-1).max(0);
            for (store_key, value) in changes.changes() {
                key.clear();
                changelog_key(store_key, &mut key);
                let timestamp = value.and_then(|v| split_stored(v).ok()).map_or(latest, |(time, _)| time);
                records.push(Some(&key), value, timestamp, &[])?;
            }
            if !records.is_empty() {
                changelogs.push((state.changelog.clone(), records));
            }
            frozen.push(changes);
        }
        Ok(TaskCommit { changelogs, positions: self.positions.clone(), changelog_ends: Vec::new(), frozen })
    }

    /// Takes over a commit that was written: rows, positions and changelog offsets go to the backend in one batch.
    ///
    /// # Errors
    /// A fault of the backend; nothing is applied then.
    pub fn apply(&mut self, commit: TaskCommit) -> Result<(), RuntimeError> {
        let stores = self.stores.iter().zip(&commit.frozen).map(|(s, f)| (s.store, f)).collect();
        let mut writes = Writes { stores, meta: Vec::new() };
        writes.meta.push((meta::positions_key(&self.id), Some(commit.positions.encode()?)));
        for (topic, end) in &commit.changelog_ends {
            writes.meta.push((meta::changelog_key(topic, self.id.partition), Some(end.to_be_bytes().to_vec())));
        }
        self.backend.apply(&writes)?;
        for (state, frozen) in self.stores.iter().zip(&commit.frozen) {
            if let Some(store) = self.nodes.get_mut(state.node).and_then(|n| n.operator.as_mut()).and_then(|o| o.store()) {
                store.applied(frozen);
            }
        }
        self.applied = commit.positions;
        self.expire()
    }

    /// Back to the last commit applied: what came after it, frozen or not, is forgotten.
    pub fn rollback(&mut self) {
        for node in &mut self.nodes {
            let Some(operator) = &mut node.operator else { continue };
            if let Some(store) = operator.store() {
                store.rollback();
            }
        }
        let applied = self.applied.clone();
        self.set_positions(applied);
    }

    /// Bytes of state changed since the last [`Task::prepare_commit`]; commit early when they grow large.
    pub fn dirty_bytes(&mut self) -> usize {
        let operators = self.nodes.iter_mut().filter_map(|n| n.operator.as_mut());
        operators.filter_map(|o| o.store().map(|s| s.dirty_bytes())).sum()
    }

    /// Its stores in the backend.
    pub fn stores(&self) -> impl Iterator<Item = StoreRef> {
        self.stores.iter().map(|s| s.store)
    }

    /// Full names of the changelog topics of its stores.
    pub fn changelogs(&self) -> impl Iterator<Item = &Arc<str>> {
        self.stores.iter().map(|s| &s.changelog)
    }

    pub(super) fn set_positions(&mut self, positions: Positions) {
        for node in &mut self.nodes {
            if let Some(operator) = &mut node.operator {
                let time = positions.stream_times.iter().find(|(id, _)| *id == node.id).map(|(_, time)| *time);
                operator.set_stream_time(time);
                operator.forget();
            }
        }
        self.positions = positions;
    }

    /// Drops the buckets whose windows are all past retention by the applied stream time.
    fn expire(&mut self) -> Result<(), RuntimeError> {
        for state in &mut self.stores {
            let (Some(retention), Some(node)) = (state.retention, self.nodes.get(state.node)) else { continue };
            let time = self.applied.stream_times.iter().find(|(id, _)| *id == node.id).map(|(_, time)| *time);
            let before = time.map_or(i64::MIN, |t| t.saturating_sub(retention));
            if before >= state.expired.saturating_add(state.store.bucket_ms) {
                self.backend.expire(state.store, before)?;
                state.expired = before;
            }
        }
        Ok(())
    }
}
