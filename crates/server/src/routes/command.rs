//! What became of commands: `/status`.

use axum::Json;
use flumen_api::{CommandStatus, CommandStatuses, ErrorCode};

use crate::app::Ready;
use crate::failure::Failure;
use crate::request::InPath;

/// `GET /status`: every command this server has executed.
pub async fn statuses(ready: Ready) -> Json<CommandStatuses> {
    Json(CommandStatuses { command_statuses: ready.engine.command_statuses() })
}

/// `GET /status/{kind}/{entity}/{action}`; the entity with or without back-ticks.
pub async fn status(
    ready: Ready,
    InPath((kind, entity, action)): InPath<(String, String, String)>,
) -> Result<Json<CommandStatus>, Failure> {
    let plain = format!("{kind}/{entity}/{action}");
    let quoted = format!("{kind}/`{entity}`/{action}");
    let known = [plain.as_str(), quoted.as_str()].into_iter().find_map(|id| ready.engine.command_status(id));
    known.map(Json).ok_or_else(|| Failure::new(ErrorCode::NOT_FOUND, format!("There is no command {plain}")))
}
