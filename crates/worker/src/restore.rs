//! Bringing local state in line with what is committed in Kafka.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flumen_kafka::{ConsumerOptions, Start, Tail, TailReader};
use flumen_plan::{Positions, QueryId};
use flumen_runtime::{Task, meta};

use crate::WorkerError;
use crate::prepare::bounds;
use crate::shared::Shared;

/// How often progress is told.
const TELL: Duration = Duration::from_millis(500);

/// What a task's local state needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    Nothing,
    /// The commits that it missed.
    Tail,
    /// All of it.
    Whole,
    /// To be empty.
    Clear,
}

/// `committed` and `local` are the numbers of the last commit in Kafka and here.
fn need(committed: Option<u64>, local: Option<u64>) -> Need {
    match (committed, local) {
        (None, None) => Need::Nothing,
        (None, Some(_)) => Need::Clear,
        (Some(there), Some(here)) if there == here => Need::Nothing,
        (Some(there), Some(here)) if here < there => Need::Tail,
        (Some(_), _) => Need::Whole,
    }
}

/// Restores the stores of a query's tasks; `committed` are their positions in Kafka.
pub(crate) fn restore(shared: &Shared, id: &QueryId, tasks: &mut [Task], committed: &[Option<Positions>]) -> Result<(), WorkerError> {
    let mut wanted: Vec<(usize, Need, Arc<str>)> = Vec::new();
    for (at, (task, committed)) in tasks.iter_mut().zip(committed).enumerate() {
        let local = meta::local_positions(&*shared.backend, task.id())?;
        let need = need(committed.as_ref().map(|p| p.commit), local.map(|p| p.commit));
        match need {
            Need::Nothing => continue,
            Need::Clear => task.clear()?,
            Need::Tail | Need::Whole => wanted.extend(task.changelogs().map(|topic| (at, need, topic.clone()))),
        }
    }
    let names: Vec<(&str, i32)> =
        wanted.iter().filter_map(|(at, _, topic)| Some((topic.as_ref(), tasks.get(*at)?.id().partition))).collect();
    if names.is_empty() {
        return Ok(());
    }
    // Asked for after the positions were read, so that what belongs to them is below.
    let (lows, highs) = bounds(shared, &names)?;
    let mut cleared = Vec::new();
    for ((at, need, topic), low) in wanted.iter().zip(&lows) {
        let Some(task) = tasks.get_mut(*at) else { continue };
        let known = meta::changelog_offset(&*shared.backend, topic, task.id().partition)?;
        // A tail whose beginning the log has lost does not lead from here to there.
        let broken = *need == Need::Whole || known.is_some_and(|offset| offset < *low);
        if broken && !cleared.contains(at) {
            task.clear()?;
            cleared.push(*at);
        }
    }
    let mut tails = Vec::new();
    let mut owners = HashMap::new();
    for ((at, _, topic), until) in wanted.iter().zip(&highs) {
        let Some(task) = tasks.get(*at) else { continue };
        let partition = task.id().partition;
        let from = meta::changelog_offset(&*shared.backend, topic, partition)?;
        if *until > 0 && from.is_none_or(|from| from < *until) {
            owners.insert((topic.clone(), partition), *at);
            tails.push(Tail { topic: topic.clone(), partition, from: from.map_or(Start::Earliest, Start::At), until: *until });
        }
    }
    if tails.is_empty() { Ok(()) } else { read(shared, id, tasks, &tails, &owners) }
}

fn read(
    shared: &Shared,
    id: &QueryId,
    tasks: &mut [Task],
    tails: &[Tail],
    owners: &HashMap<(Arc<str>, i32), usize>,
) -> Result<(), WorkerError> {
    let metrics = shared.metrics.query(&id.0);
    let options = ConsumerOptions::for_budget(shared.settings.config.fetch_bytes, tails.len());
    let mut reader = TailReader::open(&shared.settings.client, &options, tails)?;
    tracing::info!(query = %id, changelogs = tails.len(), "restoring state");
    let (started, mut told, mut restored) = (Instant::now(), None::<Instant>, 0u64);
    while !reader.done() {
        if shared.is_closing() {
            return Err(WorkerError::Closing);
        }
        for chunk in reader.read(Duration::from_millis(200))? {
            restored += chunk.len() as u64;
            metrics.restored.inc_by(chunk.len() as u64);
            let owner = owners.get(&(chunk.topic().clone(), chunk.partition()));
            if let Some(task) = owner.and_then(|at| tasks.get_mut(*at)) {
                task.restore(&chunk)?;
            }
        }
        if told.is_none_or(|at| at.elapsed() >= TELL) {
            told = Some(Instant::now());
            tell(shared, id, tasks, tails, owners, &reader);
        }
    }
    tell(shared, id, tasks, tails, owners, &reader);
    tracing::info!(query = %id, records = restored, seconds = started.elapsed().as_secs_f64(), "state is restored");
    Ok(())
}

/// Shows how many records are still to be read.
fn tell(shared: &Shared, id: &QueryId, tasks: &[Task], tails: &[Tail], owners: &HashMap<(Arc<str>, i32), usize>, reader: &TailReader) {
    let mut left: HashMap<usize, i64> = HashMap::new();
    for tail in tails {
        let Some(owner) = owners.get(&(tail.topic.clone(), tail.partition)) else { continue };
        let start = if let Start::At(offset) = tail.from { offset } else { 0 };
        let at = reader.position(&tail.topic, tail.partition).unwrap_or(start);
        let missing = if reader.reached(&tail.topic, tail.partition) { 0 } else { (tail.until - at).max(0) };
        *left.entry(*owner).or_default() += missing;
    }
    shared.metrics.query(&id.0).restore_remaining.set(left.values().sum());
    for (owner, left) in left {
        if let Some(task) = tasks.get(owner) {
            shared.board.restoring(task.id(), left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_committed_decides() {
        assert_eq!(need(None, None), Need::Nothing);
        assert_eq!(need(Some(3), Some(3)), Need::Nothing);
        assert_eq!(need(Some(3), Some(1)), Need::Tail);
        assert_eq!(need(Some(3), Some(4)), Need::Whole);
        assert_eq!(need(Some(3), None), Need::Whole);
        assert_eq!(need(None, Some(4)), Need::Clear);
    }
}
