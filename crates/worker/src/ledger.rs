//! The committed positions of all tasks: read once from the positions topic, then kept up by the commits of this process.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use flumen_kafka::{ConsumerOptions, OffsetSpec, Start, Tail, TailReader};
use flumen_plan::{Positions, QueryId, SubTopologyId, TaskId, names};
use parking_lot::Mutex;

use crate::WorkerError;
use crate::shared::{CALL, Shared};

/// What is committed. Only this process commits for the slots it holds, so what it knows stays true until a commit's
/// outcome is unknown or a lease is lost; then it is forgotten and read again.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<Option<HashMap<String, Positions>>>);

impl Ledger {
    /// The positions of a task's last commit.
    pub fn positions(&self, shared: &Shared, task: &TaskId) -> Result<Option<Positions>, WorkerError> {
        self.with(shared, |known| known.get(&task.to_string()).cloned())
    }

    /// The tasks of a query that have committed.
    pub fn tasks(&self, shared: &Shared, query: &QueryId) -> Result<Vec<TaskId>, WorkerError> {
        self.with(shared, |known| known.keys().filter_map(|text| parse(text)).filter(|task| task.query == *query).collect())
    }

    fn with<T>(&self, shared: &Shared, ask: impl FnOnce(&HashMap<String, Positions>) -> T) -> Result<T, WorkerError> {
        // Held while reading, so that a commit made meanwhile is noted after it.
        let mut known = self.0.lock();
        let known = match &mut *known {
            Some(known) => known,
            none => none.insert(read(shared)?),
        };
        Ok(ask(known))
    }

    /// Notes a commit.
    pub fn note(&self, task: &TaskId, positions: &Positions) {
        if let Some(known) = self.0.lock().as_mut() {
            known.insert(task.to_string(), positions.clone());
        }
    }

    /// Notes that a task is no more.
    pub fn remove(&self, task: &TaskId) {
        if let Some(known) = self.0.lock().as_mut() {
            known.remove(&task.to_string());
        }
    }

    /// What is known may no longer be true.
    pub fn forget(&self) {
        *self.0.lock() = None;
    }
}

fn read(shared: &Shared) -> Result<HashMap<String, Positions>, WorkerError> {
    // Our own ids are taken over first, which aborts what a killed process left open under them.
    while shared.taking_over.load(Ordering::Acquire) > 0 && !shared.is_closing() {
        shared.pause(Duration::from_millis(5));
    }
    let slots: Vec<i32> = (0..shared.settings.slots).collect();
    // First the tokens, which waits for transactions that a dead process left open under ids that are ours no more; then
    // the ends: what is committed is below.
    let tokens = shared.fence.committed(&slots, CALL)?;
    shared.token.fetch_max(tokens.values().flatten().max().copied().unwrap_or(0) + 1, Ordering::AcqRel);
    let topic: Arc<str> = names::positions_topic(&shared.settings.service_id).into();
    let ask: Vec<(&str, i32, OffsetSpec)> = slots.iter().map(|s| (&*topic, *s, OffsetSpec::Latest)).collect();
    let ends = shared.admin.offsets(&ask, CALL)?;
    let tails: Vec<Tail> = slots
        .iter()
        .zip(ends)
        .filter(|(_, until)| *until > 0)
        .map(|(slot, until)| Tail { topic: topic.clone(), partition: *slot, from: Start::Earliest, until })
        .collect();
    let mut known = HashMap::new();
    if tails.is_empty() {
        return Ok(known);
    }
    let mut reader = TailReader::open(&shared.settings.client, &ConsumerOptions::default(), &tails)?;
    while !reader.done() {
        if shared.is_closing() {
            return Err(WorkerError::Closing);
        }
        for chunk in reader.read(Duration::from_millis(200))? {
            for row in 0..chunk.len() {
                let Some(task) = chunk.key(row).and_then(|k| std::str::from_utf8(k).ok()) else { continue };
                match chunk.value(row) {
                    Some(value) => known.insert(task.to_string(), Positions::decode(value)?),
                    None => known.remove(task),
                };
            }
        }
    }
    Ok(known)
}

/// A task's id from its text.
fn parse(text: &str) -> Option<TaskId> {
    let (query, rest) = text.rsplit_once('/')?;
    let (sub, partition) = rest.split_once('_')?;
    Some(TaskId { query: QueryId(query.to_string()), sub_topology: SubTopologyId(sub.parse().ok()?), partition: partition.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_id_reads_back_from_its_text() {
        let task = TaskId { query: QueryId("CTAS_A_B_7".to_string()), sub_topology: SubTopologyId(1), partition: 12 };
        assert_eq!(parse(&task.to_string()), Some(task));
        assert_eq!(parse("CTAS_A_7"), None);
    }
}
