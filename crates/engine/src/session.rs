//! What a request carries besides its text: property overrides and variables.

use std::collections::BTreeMap;

use flumen_config::ServerConfig;

use crate::{EngineError, ErrorKind};

/// Overrides and variables of one request; SET, UNSET, DEFINE and UNDEFINE change it for the statements that follow.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Session {
    /// Overridden properties by full name.
    pub properties: BTreeMap<String, String>,
    /// Variables by upper-case name.
    pub variables: BTreeMap<String, String>,
}

impl Session {
    /// A session of these overrides and variables; an override that is unknown or not allowed is refused.
    pub fn new(
        config: &ServerConfig,
        properties: &BTreeMap<String, String>,
        variables: &BTreeMap<String, String>,
    ) -> Result<Session, EngineError> {
        let mut session = Session::default();
        for (name, value) in properties {
            session.set(config, name, value)?;
        }
        for (name, value) in variables {
            session.variables.insert(name.to_uppercase(), value.clone());
        }
        Ok(session)
    }

    /// SET.
    pub fn set(&mut self, config: &ServerConfig, name: &str, value: &str) -> Result<(), EngineError> {
        let (full, value) = config.check_override(name, value).map_err(|e| EngineError::new(ErrorKind::BadRequest, e.to_string()))?;
        self.properties.insert(full, value);
        Ok(())
    }

    /// UNSET.
    pub fn unset(&mut self, name: &str) -> Result<(), EngineError> {
        let full = flumen_config::canonical(name).map_err(|e| EngineError::new(ErrorKind::BadRequest, e.to_string()))?;
        self.properties.remove(&full);
        Ok(())
    }
}
