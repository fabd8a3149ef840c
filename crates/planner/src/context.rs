//! What a plan depends on besides the statement and the catalog: settings and facts about topics.

use std::collections::BTreeMap;

use flumen_parser::Span;

use crate::PlanError;

/// Facts and settings gathered before planning, so that planning needs no I/O.
#[derive(Debug, Clone, Default)]
pub struct PlanContext {
    /// The server's properties by full name.
    pub settings: BTreeMap<String, String>,
    /// Properties given with the request; they win over the server's and are frozen into the query's plan.
    pub overrides: BTreeMap<String, String>,
    /// What is known of the topics named by [`crate::topics_needed`]; those that do not exist are absent.
    pub topics: BTreeMap<String, TopicInfo>,
}

/// An existing topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicInfo {
    /// Number of partitions.
    pub partitions: i32,
    /// Replicas of each.
    pub replicas: i16,
    /// `retention.ms`, when known and not unlimited.
    pub retention_ms: Option<i64>,
}

impl PlanContext {
    /// A property: the request's, else the server's; an empty text counts as not set.
    pub fn setting(&self, name: &str) -> Option<&str> {
        let value = self.overrides.get(name).or_else(|| self.settings.get(name))?;
        (!value.is_empty()).then_some(value)
    }

    /// A BOOLEAN property.
    ///
    /// # Errors
    /// A text that is neither `true` nor `false`.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, PlanError> {
        Ok(self.optional_flag(name)?.unwrap_or(default))
    }

    /// Refuses a feature that a property has switched off.
    ///
    /// # Errors
    /// At `span`, when the property is false; as [`PlanContext::flag`].
    pub(crate) fn require(&self, property: &str, feature: &str, span: Span) -> Result<(), PlanError> {
        if self.flag(property, true)? {
            return Ok(());
        }
        Err(PlanError::user_at(span, format!("{feature} is disabled. To enable it, set {property}=true")))
    }

    /// A BOOLEAN property without a default.
    ///
    /// # Errors
    /// As [`PlanContext::flag`].
    pub fn optional_flag(&self, name: &str) -> Result<Option<bool>, PlanError> {
        self.setting(name).map(|text| read_flag(name, text)).transpose()
    }
}

/// Reads `true` or `false`, any case.
pub(crate) fn read_flag(name: &str, text: &str) -> Result<bool, PlanError> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(PlanError::user(format!("Invalid value '{text}' for {name}: expected 'true' or 'false'"))),
    }
}
