//! ASSERT TOPIC: waits until a topic is there (or gone) as described.

use std::time::Duration;

use flumen_api::EntityBody;
use flumen_parser::ast::{AssertTopic, Literal, Property};

use crate::engine::Shared;
use crate::{EngineError, ErrorKind, Session, TopicFacts};

/// How long to wait when nothing says, in milliseconds.
const DEFAULT: i64 = 1_000;
/// How long between two looks.
const PAUSE: Duration = Duration::from_millis(100);

impl Shared {
    pub(super) fn assert_topic(&self, assert: &AssertTopic, session: &Session) -> Result<EntityBody, EngineError> {
        let topic = assert.topic.value.clone();
        let (partitions, replicas) = counts(&assert.properties)?;
        let timeout = match &assert.timeout {
            Some(timeout) => timeout.millis().unwrap_or(i64::MAX),
            None => self.setting("ksql.assert.topic.default.timeout.ms", session).and_then(|ms| ms.parse().ok()).unwrap_or(DEFAULT),
        };
        let deadline = self.env.clock.now_ms().saturating_add(timeout);
        loop {
            let facts = self.env.topics.describe(&topic)?;
            let why = judge(&topic, facts.as_ref(), assert.exists, partitions, replicas);
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

/// The numbers of partitions and replicas that are asserted.
fn counts(properties: &[Property]) -> Result<(Option<i32>, Option<i32>), EngineError> {
    let (mut partitions, mut replicas) = (None, None);
    for Property { name, value, .. } in properties {
        let place = match name.value.to_ascii_uppercase().as_str() {
            "PARTITIONS" => &mut partitions,
            "REPLICAS" => &mut replicas,
            _ => {
                let text = format!("Invalid property '{}' of ASSERT TOPIC: only PARTITIONS and REPLICAS can be asserted", name.value);
                return Err(EngineError::statement(text));
            }
        };
        let Literal::Integer(number) = value else {
            return Err(EngineError::statement(format!("{} of ASSERT TOPIC must be a whole number", name.value)));
        };
        *place = Some(*number);
    }
    Ok((partitions, replicas))
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
