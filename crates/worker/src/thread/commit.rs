//! Committing: outputs, changelogs and positions together, then the local state.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

use flumen_kafka::{ErrorKind, KafkaError};
use flumen_plan::{QueryId, names};
use flumen_wire::RecordColumns;

use super::output::NotCommitted;
use super::{Kind, Thread, Trouble};
use crate::WorkerError;
use crate::shared::now_ms;

impl Thread {
    /// Commits all tasks that took input since their last commit.
    pub(super) fn commit(&mut self) -> Result<(), Trouble> {
        self.last_commit = Instant::now();
        let dirty: Vec<u64> = self.tasks.iter().filter(|(_, t)| t.dirty).map(|(key, _)| *key).collect();
        if dirty.is_empty() {
            return Ok(());
        }
        let started = Instant::now();
        for key in &dirty {
            let Some(running) = self.tasks.get_mut(key) else { continue };
            let out = running.task.flush(now_ms()).map_err(|e| Trouble::Query(running.query().clone(), e.into()))?;
            self.emit(*key, out)?;
        }
        let positions_topic = names::positions_topic(&self.shared.settings.service_id);
        let durable = self.kind == Kind::Persistent;
        let mut commits = Vec::with_capacity(dirty.len());
        let mut tokens = BTreeMap::new();
        for key in dirty {
            let Some(running) = self.tasks.get_mut(&key) else { continue };
            let id = running.task.id().clone();
            let own = |error: WorkerError| Trouble::Query(id.query.clone(), error);
            let commit = running.task.prepare_commit().map_err(|e| own(e.into()))?;
            if durable {
                for (topic, records) in &commit.changelogs {
                    self.output.write(topic, id.partition, records).map_err(|e| refused(&id.query, e))?;
                }
                let value = commit.positions.encode().map_err(|e| own(e.into()))?;
                let mut record = RecordColumns::new();
                let pushed = record.push(Some(id.to_string().as_bytes()), Some(&value), now_ms(), &[]);
                pushed.map_err(|e| own(WorkerError::Runtime(e.into())))?;
                self.output.write(&positions_topic, running.slot, &record).map_err(|e| refused(&id.query, e))?;
                tokens.entry(running.slot).or_insert_with(|| self.shared.token.fetch_add(1, Ordering::AcqRel));
            }
            commits.push((key, id, commit));
        }
        if durable || self.wrote {
            self.output.settle().map_err(Trouble::from)?;
            self.wrote = false;
        }
        if durable {
            let tokens: Vec<(i32, i64)> = tokens.into_iter().collect();
            self.output.commit(&tokens).map_err(|not| match not {
                NotCommitted::Abort(error) => Trouble::Transaction(error),
                NotCommitted::Unknown(error) => Trouble::Client(error),
            })?;
        }
        let mut failed: Option<Trouble> = None;
        let mut queries: Vec<QueryId> = Vec::new();
        for (key, id, mut commit) in commits {
            let Some(running) = self.tasks.get_mut(&key) else { continue };
            if durable {
                for (topic, _) in &commit.changelogs {
                    let end = self.output.end(topic, id.partition);
                    commit.changelog_ends.extend(end.map(|end| (topic.clone(), end)));
                }
                self.shared.ledger.note(&id, &commit.positions);
            }
            self.shared.board.committed(&id, &commit.positions);
            running.committed();
            if !queries.contains(&id.query) {
                running.metrics.commit.observe(started.elapsed().as_secs_f64());
                queries.push(id.query.clone());
            }
            // Kafka has it, so the others are applied whatever becomes of this one.
            if let Err(error) = running.task.apply(commit) {
                failed.get_or_insert(Trouble::Query(id.query, error.into()));
            }
        }
        self.aborts = 0;
        failed.map_or(Ok(()), Err)
    }
}

/// A record that Kafka did not take from a query: its own fault, or everyone's.
pub(super) fn refused(query: &QueryId, error: KafkaError) -> Trouble {
    match error.kind {
        ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Denied | ErrorKind::Config => Trouble::Query(query.clone(), error.into()),
        _ => error.into(),
    }
}
