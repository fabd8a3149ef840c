//! Statements that go through the command log.

use std::collections::BTreeMap;

use flumen_api::{CommandState, CommandStatus, EntityBody};
use flumen_planner::Planned;

use crate::engine::Shared;
use crate::outcome::message;
use crate::{EngineError, TopicToMake, names};

impl Shared {
    /// Makes the topics a planned statement needs, logs its command and waits until it is applied.
    pub(super) fn run_logged(&self, planned: &Planned, text: &str) -> Result<EntityBody, EngineError> {
        for topic in &planned.topics_to_create {
            self.env.topics.create(&TopicToMake {
                name: topic.name.clone(),
                partitions: topic.partitions,
                replicas: i32::from(topic.replicas),
                configs: topic.configs.iter().cloned().collect::<BTreeMap<_, _>>(),
            })?;
        }
        let Some(command) = planned.command(text) else {
            let message = planned.warnings.first().cloned().unwrap_or_default();
            return Ok(EntityBody::WarningEntity { message });
        };
        let id = names::command_id(planned);
        let outcome = self.log(&command)?;
        let changes = outcome.result.map_err(EngineError::statement)?;
        let (message, query_id) = message(&command, &changes);
        let status = CommandStatus { status: CommandState::Success, message, query_id };
        self.set_status(id.clone(), status.clone());
        Ok(EntityBody::CurrentStatus { command_id: id, command_status: status, command_sequence_number: outcome.offset })
    }
}
