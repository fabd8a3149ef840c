//! What became of a logged command: the message a user sees for it.

use flumen_catalog::{Change, Command, Ddl};
use flumen_plan::SourceKind;

/// The result of applying a command here.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    /// The record's offset in the command log.
    pub offset: i64,
    /// What changed, or why it was refused.
    pub result: Result<Vec<Change>, String>,
}

/// The success message of a command, and the id of the query it started.
pub(crate) fn message(command: &Command, changes: &[Change]) -> (String, Option<String>) {
    let started = changes.iter().find_map(|c| match c {
        Change::QueryStarted(q) | Change::QueryReplaced(q) => Some(q.id.0.clone()),
        _ => None,
    });
    if let Some(id) = &started {
        return (format!("Created query with ID {id}"), started.clone());
    }
    let kind = |k: &SourceKind| if *k == SourceKind::Table { "Table" } else { "Stream" };
    let text = match &command.ddl {
        Some(Ddl::CreateSource { source, .. }) if changes.is_empty() => {
            format!("Cannot add {} {}: A source with the same name already exists.", kind(&source.kind).to_lowercase(), source.name)
        }
        Some(Ddl::CreateSource { source, .. }) => format!("{} created", kind(&source.kind)),
        Some(Ddl::AlterSource { kind: k, .. }) => format!("{} altered successfully.", kind(k)),
        Some(Ddl::DropSource { name, .. }) => match changes.iter().find_map(|c| match c {
            Change::SourceDropped { source, .. } => Some(source),
            _ => None,
        }) {
            Some(source) => format!("Source {} (topic: {}) was dropped.", flumen_types::back_tick(name), source.topic),
            None => format!("Source {} does not exist.", flumen_types::back_tick(name)),
        },
        Some(Ddl::CreateType { name, ty, .. }) => format!("Registered custom type with name '{name}' and SQL type {ty}"),
        Some(Ddl::DropType { name, .. }) if changes.is_empty() => format!("Type '{name}' does not exist"),
        Some(Ddl::DropType { name, .. }) => format!("Dropped type '{name}'"),
        Some(Ddl::Terminate { .. }) => "Query terminated.".to_string(),
        Some(Ddl::Pause { .. }) => "Query paused.".to_string(),
        Some(Ddl::Resume { .. }) => "Query resumed.".to_string(),
        None => "Executed".to_string(),
    };
    (text, None)
}
