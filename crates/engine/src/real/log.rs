//! The command log in Kafka.

use std::sync::Arc;

use flumen_catalog::Command;
use flumen_cluster::CommandLog;
use flumen_kafka::{Admin, ClientSettings};
use parking_lot::Mutex;

use crate::{Apply, EngineError, Log};

/// The command log of a service.
pub(super) struct KafkaLog {
    settings: ClientSettings,
    admin: Arc<Admin>,
    service: String,
    log: Mutex<Option<CommandLog>>,
}

impl KafkaLog {
    pub(super) fn new(settings: ClientSettings, admin: Arc<Admin>, service: String) -> Self {
        KafkaLog { settings, admin, service, log: Mutex::new(None) }
    }
}

impl Log for KafkaLog {
    fn open(&self, apply: Apply) -> Result<(), EngineError> {
        *self.log.lock() = Some(CommandLog::open(&self.settings, &self.admin, &self.service, apply)?);
        Ok(())
    }

    fn append(&self, token: &str, command: &Command) -> Result<(), EngineError> {
        let log = self.log.lock();
        let log = log.as_ref().ok_or_else(|| EngineError::internal("the command log is not open"))?;
        Ok(log.append(token, command)?)
    }

    fn close(&self) {
        self.log.lock().take();
    }
}
