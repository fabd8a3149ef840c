//! Going on after a failure, and ending.

use std::sync::atomic::Ordering;
use std::time::Duration;

use flumen_plan::QueryId;

use super::intake::ReaderId;
use super::{Kind, Thread, Trouble};
use crate::board::fault;
use crate::manager::Event;
use crate::{PushEnd, WorkerError};

/// After so many aborts in a row the queries that a failing topic belongs to are taken out.
const PATIENCE: u32 = 3;
/// Longest wait between aborts.
const LONGEST: Duration = Duration::from_secs(5);

impl Thread {
    pub(super) fn recover(&mut self, trouble: Trouble) {
        if self.kind != Kind::Persistent {
            return self.recover_push(trouble);
        }
        match trouble {
            Trouble::Query(query, error) => {
                self.take_back();
                self.expel(&query, error);
            }
            Trouble::Transaction(error) => {
                tracing::warn!(%error, "a commit is aborted and done again");
                let hit: Vec<QueryId> = self.dirty_queries();
                self.take_back();
                self.aborts += 1;
                for query in &hit {
                    self.shared.board.fault(query, fault(&error));
                }
                self.expel_writers(&error);
                self.shared.pause((Duration::from_millis(50) * 2u32.saturating_pow(self.aborts.min(10))).min(LONGEST));
            }
            Trouble::Client(error) => {
                tracing::warn!(%error, "a producer died; its tasks start again from what is committed");
                self.output.abandon();
                self.shared.ledger.forget();
                for query in self.dirty_queries() {
                    self.remove(&query);
                    let _ = self.events.send(Event::Lost { id: query, fault: fault(&WorkerError::Kafka(error.clone())) });
                }
            }
        }
    }

    fn recover_push(&mut self, trouble: Trouble) {
        match trouble {
            Trouble::Query(query, error) => self.end_push(&query, PushEnd::Failed(error.to_string())),
            Trouble::Transaction(error) => self.end_writers(&error.to_string()),
            Trouble::Client(error) => self.end_writers(&error.to_string()),
        }
    }

    /// Ends the push queries that write, since what they wrote may be lost.
    fn end_writers(&mut self, reason: &str) {
        self.output.abandon();
        self.wrote = false;
        let writers = self.clients.iter().filter(|(_, c)| !c.plan.repartition_topics.is_empty());
        for id in writers.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            self.end_push(&id, PushEnd::Failed(reason.to_string()));
        }
    }

    fn dirty_queries(&self) -> Vec<QueryId> {
        let mut queries: Vec<QueryId> = self.tasks.values().filter(|t| t.dirty).map(|t| t.query().clone()).collect();
        queries.sort();
        queries.dedup();
        queries
    }

    /// Aborts, and puts every task that took part back to its last commit.
    fn take_back(&mut self) {
        self.output.abort();
        let mut failed = Vec::new();
        for (key, running) in self.tasks.iter_mut().filter(|(_, t)| t.dirty) {
            running.roll_back();
            for (input, inlet) in running.inlets.iter_mut().enumerate().filter(|(_, i)| !i.held) {
                match self.intake.want(&inlet.topic, inlet.partition, ReaderId { task: *key, input }, inlet.next) {
                    Ok(at_end) => inlet.at_end = at_end,
                    Err(error) => failed.push((running.task.id().query.clone(), error)),
                }
            }
            self.touched.insert(*key);
        }
        for (query, error) in failed {
            self.expel(&query, error.into());
        }
    }

    /// Takes a query out; it starts again after a while.
    fn expel(&mut self, query: &QueryId, error: WorkerError) {
        tracing::warn!(%query, %error, "a query failed");
        self.remove(query);
        let _ = self.events.send(Event::Failed { id: query.clone(), fault: fault(&error) });
    }

    /// When aborts repeat over one topic, its writers are taken out so that the others go on.
    fn expel_writers(&mut self, error: &WorkerError) {
        let WorkerError::Kafka(kafka) = error else { return };
        if self.aborts < PATIENCE {
            return;
        }
        let named = |topic: &str| kafka.operation.contains(&format!("'{topic}'"));
        let writers = self.tasks.values().filter(|t| t.sink.as_ref().is_some_and(|s| named(s)) || t.task.changelogs().any(|c| named(c)));
        let mut writers: Vec<QueryId> = writers.map(|t| t.query().clone()).collect();
        writers.dedup();
        for query in writers {
            self.expel(&query, WorkerError::Kafka(kafka.clone()));
        }
    }

    /// Forgets the tasks of a query.
    fn remove(&mut self, query: &QueryId) {
        for key in self.tasks_of(query) {
            self.put_down(key);
            self.tasks.remove(&key);
            self.touched.remove(&key);
            if self.kind == Kind::Persistent {
                self.shared.tasks.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }

    /// Runs a query no more, after a commit if that is asked for and possible.
    pub(super) fn drop_query(&mut self, query: &QueryId, commit: bool) {
        if self.kind != Kind::Persistent {
            return self.end_push(query, PushEnd::Closed);
        }
        let dirty = |this: &Self| this.tasks.values().any(|t| t.dirty && t.query() == query);
        if dirty(self)
            && commit
            && let Err(trouble) = self.commit()
        {
            self.recover(trouble);
        }
        if dirty(self) {
            self.take_back();
        }
        self.remove(query);
        let _ = self.events.send(Event::Dropped { id: query.clone() });
    }

    pub(super) fn end_push(&mut self, query: &QueryId, end: PushEnd) {
        self.remove(query);
        if let Some(client) = self.clients.remove(query) {
            let _ = self.events.send(Event::PushEnded { id: query.clone(), plan: client.plan.clone() });
            client.end(end);
        }
    }

    /// Ends the thread.
    pub(super) fn close(&mut self, commit: bool) {
        self.ended = true;
        for id in self.clients.keys().cloned().collect::<Vec<_>>() {
            self.end_push(&id, PushEnd::Closed);
        }
        if self.kind == Kind::Persistent && commit && self.commit().is_err() {
            self.output.abort();
        }
        // What it noted in the processing log goes out before its producer does.
        if self.kind == Kind::Once && self.wrote && self.output.settle().is_err() {
            self.output.abandon();
        }
    }
}
