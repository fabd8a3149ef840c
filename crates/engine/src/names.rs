//! Command ids and other names the API shows.

use flumen_catalog::Ddl;
use flumen_catalog::QueryTarget;
use flumen_plan::SourceKind;
use flumen_types::back_tick;

use flumen_planner::Planned;

/// The command id of a planned statement, such as ``stream/`A`/create``.
pub(crate) fn command_id(planned: &Planned) -> String {
    let kind = |k: &SourceKind| if *k == SourceKind::Table { "table" } else { "stream" };
    match &planned.ddl {
        Some(Ddl::CreateSource { source, .. }) => format!("{}/{}/create", kind(&source.kind), back_tick(&source.name)),
        Some(Ddl::AlterSource { kind: k, name, .. }) => format!("{}/{}/alter", kind(k), back_tick(name)),
        Some(Ddl::DropSource { kind: k, name, .. }) => format!("{}/{name}/drop", kind(k)),
        Some(Ddl::CreateType { name, .. }) => format!("type/{name}/create"),
        Some(Ddl::DropType { name, .. }) => format!("type/{name}/drop"),
        Some(Ddl::Terminate { target }) => format!("terminate/{}/execute", target_name(target)),
        Some(Ddl::Pause { target }) => format!("pause/{}/execute", target_name(target)),
        Some(Ddl::Resume { target }) => format!("resume/{}/execute", target_name(target)),
        None => {
            let sink = planned.query.as_ref().and_then(|q| q.sink.as_deref()).unwrap_or_default();
            format!("stream/{}/create", back_tick(sink))
        }
    }
}

fn target_name(target: &QueryTarget) -> String {
    match target {
        QueryTarget::All => "ALL".to_string(),
        QueryTarget::Id(id) => id.clone(),
    }
}
