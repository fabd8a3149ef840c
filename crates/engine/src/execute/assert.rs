//! ASSERT TOPIC: waits until a topic is there (or gone) as described.

use std::time::Duration;

use flumen_api::EntityBody;
use flumen_parser::ast::{AssertTopic, Literal};

use crate::engine::Shared;
use crate::{EngineError, ErrorKind, TopicFacts};

/// How long to wait when the statement does not say.
const DEFAULT: i64 = 1_000;
/// How long between two looks.
const PAUSE: Duration = Duration::from_millis(100);

impl Shared {
    pub(super) fn assert_topic(&self, assert: &AssertTopic) -> Result<EntityBody, EngineError> {
        let topic = assert.topic.value.clone();
        let wanted = |name: &str| {
            let property = assert.properties.iter().find(|p| p.name.value.eq_ignore_ascii_case(name))?;
            match &property.value {
                Literal::Integer(n) => Some(*n),
                _ => None,
            }
        };
        for property in &assert.properties {
            let known = ["PARTITIONS", "REPLICAS"].iter().any(|n| property.name.value.eq_ignore_ascii_case(n));
            if !known {
                return Err(EngineError::statement(format!(
                    "Invalid property '{}' of ASSERT TOPIC: only PARTITIONS and REPLICAS can be asserted",
                    property.name.value
                )));
            }
        }
        let timeout = assert.timeout.as_ref().map_or(Some(DEFAULT), |t| t.millis()).unwrap_or(DEFAULT);
        let deadline = self.env.clock.now_ms().saturating_add(timeout);
        loop {
            let facts = self.env.topics.describe(&topic)?;
            let why = judge(&topic, facts.as_ref(), assert.exists, wanted("PARTITIONS"), wanted("REPLICAS"));
            match why {
                None => return Ok(EntityBody::AssertTopic { topic_name: topic, exists: assert.exists }),
                Some(why) if self.env.clock.now_ms() >= deadline => {
                    return Err(EngineError::new(ErrorKind::AssertFailed, why));
                }
                Some(_) => std::thread::sleep(PAUSE),
            }
        }
    }
}

/// Why the assertion does not hold.
fn judge(topic: &str, facts: Option<&TopicFacts>, exists: bool, partitions: Option<i32>, replicas: Option<i32>) -> Option<String> {
    match (facts, exists) {
        (None, false) => None,
        (Some(_), false) => Some(format!("Topic {topic} exists")),
        (None, true) => Some(format!("Topic {topic} does not exist")),
        (Some(facts), true) => {
            let mut faults = Vec::new();
            for (name, wanted, found) in [("partitions", partitions, facts.partitions), ("replicas", replicas, facts.replicas)] {
                if wanted.is_some_and(|w| w != found) {
                    faults.push(format!("Mismatched configuration for topic {topic}: {name} is {found}, not {}", wanted.unwrap_or(0)));
                }
            }
            (!faults.is_empty()).then(|| faults.join("\n"))
        }
    }
}
