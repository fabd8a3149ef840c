//! Bringing a task's stores back from their changelogs.

use flumen_plan::Positions;
use flumen_state::{Frozen, Writes, parse_changelog_key};
use flumen_wire::RecordChunk;

use crate::{RuntimeError, meta};

use super::Task;

impl Task {
    /// Applies records of a changelog to its store, with the offset after them.
    ///
    /// # Errors
    /// A topic that is none of its changelogs, bytes of a later version, a fault of the backend.
    pub fn restore(&mut self, records: &RecordChunk) -> Result<(), RuntimeError> {
        let topic = records.topic();
        let state = self.stores.iter().find(|s| s.changelog == *topic);
        let state = state.ok_or_else(|| RuntimeError::Internal(format!("{topic} is no changelog of task {}", self.id)))?;
        let Some(next) = records.next_offset() else { return Ok(()) };
        let mut changes = Frozen::default();
        for row in 0..records.len() {
            // A record without a key is none of ours.
            let Some(key) = records.key(row) else { continue };
            changes.push(parse_changelog_key(key)?, records.value(row));
        }
        let offset = (meta::changelog_key(topic, records.partition()), Some(next.to_be_bytes().to_vec()));
        self.backend.apply(&Writes { stores: vec![(state.store, &changes)], meta: vec![offset] })?;
        let store = self.nodes.get_mut(state.node).and_then(|n| n.operator.as_mut()).and_then(|o| o.store());
        // Rows read before are no longer what the backend holds.
        if let Some(store) = store {
            store.rollback();
        }
        Ok(())
    }

    /// Empties all stores, to restore them from the beginning of their changelogs.
    ///
    /// # Errors
    /// A fault of the backend.
    pub fn clear(&mut self) -> Result<(), RuntimeError> {
        for state in &self.stores {
            self.backend.clear(state.store)?;
            let offset = (meta::changelog_key(&state.changelog, self.id.partition), None);
            self.backend.apply(&Writes { stores: Vec::new(), meta: vec![offset] })?;
            let store = self.nodes.get_mut(state.node).and_then(|n| n.operator.as_mut()).and_then(|o| o.store());
            if let Some(store) = store {
                store.rollback();
            }
        }
        Ok(())
    }

    /// Goes on from these positions, those of the last commit.
    pub fn resume(&mut self, positions: Positions) {
        self.applied = positions.clone();
        self.set_positions(positions);
    }
}
