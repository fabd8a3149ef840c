//! What a task keeps in its backend's meta entries beside its rows: its positions, and how far changelogs were applied.

use flumen_plan::{Positions, TaskId};
use flumen_state::Backend;

use crate::RuntimeError;

const POSITIONS: &str = "positions/";
const CHANGELOG: &str = "changelog/";

pub(crate) fn positions_key(task: &TaskId) -> Vec<u8> {
    format!("{POSITIONS}{task}").into_bytes()
}

pub(crate) fn changelog_key(topic: &str, partition: i32) -> Vec<u8> {
    format!("{CHANGELOG}{topic}/{partition}").into_bytes()
}

/// The positions of the task's last commit applied here; `None` when there was none.
///
/// # Errors
/// A fault of the backend, or positions of a later version.
pub fn local_positions(backend: &dyn Backend, task: &TaskId) -> Result<Option<Positions>, RuntimeError> {
    let found = backend.meta(&positions_key(task))?;
    Ok(found.map(|bytes| Positions::decode(&bytes)).transpose()?)
}

/// The offset after the last record of a changelog partition that is applied here, from which a restore goes on.
///
/// # Errors
/// A fault of the backend.
pub fn changelog_offset(backend: &dyn Backend, topic: &str, partition: i32) -> Result<Option<i64>, RuntimeError> {
    let found = backend.meta(&changelog_key(topic, partition))?;
    Ok(found.and_then(|bytes| bytes.as_slice().try_into().ok()).map(i64::from_be_bytes))
}

/// The meta entries of a task, to be removed when its query is dropped: its positions and those of its changelogs.
pub fn entries<'a>(task: &TaskId, changelogs: impl IntoIterator<Item = &'a str>) -> Vec<Vec<u8>> {
    let offsets = changelogs.into_iter().map(|topic| changelog_key(topic, task.partition));
    std::iter::once(positions_key(task)).chain(offsets).collect()
}
