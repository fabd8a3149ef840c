//! The configs of topics: every name with its kind and default, and what the log makes of the values.
//!
//! Names and defaults are those of "Topic Configs" in Kafka's documentation.

use crate::log::{CompactionRules, Rules};
use std::collections::BTreeMap;

/// What values a config takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConfigKind {
    /// `true` or `false`.
    Bool,
    /// A whole number of 32 bits, not below this.
    Int(i64),
    /// A whole number of 64 bits, not below this.
    Long(i64),
    /// A fraction from 0 to 1.
    Ratio,
    /// One of these.
    Choice(&'static [&'static str]),
    /// Several of these, separated by commas.
    List(&'static [&'static str]),
    /// Anything.
    Text,
}

impl ConfigKind {
    /// The number that stands for the kind in responses.
    pub fn code(self) -> i8 {
        match self {
            Self::Bool => 1,
            Self::Choice(_) | Self::Text => 2,
            Self::Int(_) => 3,
            Self::Long(_) => 5,
            Self::Ratio => 6,
            Self::List(_) => 7,
        }
    }
}

/// One config.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// Its name.
    pub name: &'static str,
    /// Its kind.
    pub kind: ConfigKind,
    /// Its value unless set.
    pub default: &'static str,
}

const fn def(name: &'static str, kind: ConfigKind, default: &'static str) -> Definition {
    Definition { name, kind, default }
}

const FOREVER: &str = "9223372036854775807";

/// The configs of topics, by name.
pub const TOPIC_CONFIGS: &[Definition] = &[
    def("cleanup.policy", ConfigKind::List(&["compact", "delete"]), "delete"),
    def("compression.type", ConfigKind::Choice(&["producer"]), "producer"),
    def("delete.retention.ms", ConfigKind::Long(0), "86400000"),
    def("file.delete.delay.ms", ConfigKind::Long(0), "60000"),
    def("flush.messages", ConfigKind::Long(1), FOREVER),
    def("flush.ms", ConfigKind::Long(0), FOREVER),
    def("index.interval.bytes", ConfigKind::Int(0), "4096"),
    def("max.compaction.lag.ms", ConfigKind::Long(1), FOREVER),
    def("max.message.bytes", ConfigKind::Int(0), "1048588"),
    def("message.timestamp.after.max.ms", ConfigKind::Long(0), "3600000"),
    def("message.timestamp.before.max.ms", ConfigKind::Long(0), FOREVER),
    def("message.timestamp.type", ConfigKind::Choice(&["CreateTime", "LogAppendTime"]), "CreateTime"),
    def("min.cleanable.dirty.ratio", ConfigKind::Ratio, "0.5"),
    def("min.compaction.lag.ms", ConfigKind::Long(0), "0"),
    def("min.insync.replicas", ConfigKind::Int(1), "1"),
    def("preallocate", ConfigKind::Bool, "false"),
    def("retention.bytes", ConfigKind::Long(-1), "-1"),
    def("retention.ms", ConfigKind::Long(-1), "604800000"),
    def("segment.bytes", ConfigKind::Int(1 << 20), "1073741824"),
    def("segment.index.bytes", ConfigKind::Int(4), "10485760"),
    def("segment.jitter.ms", ConfigKind::Long(0), "0"),
    def("segment.ms", ConfigKind::Long(1), "604800000"),
    def("unclean.leader.election.enable", ConfigKind::Bool, "false"),
];

/// What is said about the broker itself. It cannot be changed through the protocol.
pub const BROKER_CONFIGS: &[Definition] = &[
    def("broker.id", ConfigKind::Int(0), "1"),
    def("compression.type", ConfigKind::Text, "producer"),
    def("default.replication.factor", ConfigKind::Int(1), "1"),
    def("delete.topic.enable", ConfigKind::Bool, "true"),
    def("log.cleanup.policy", ConfigKind::List(&["compact", "delete"]), "delete"),
    def("log.message.timestamp.type", ConfigKind::Text, "CreateTime"),
    def("log.retention.bytes", ConfigKind::Long(-1), "-1"),
    def("log.retention.ms", ConfigKind::Long(-1), "604800000"),
    def("log.segment.bytes", ConfigKind::Int(1 << 20), "1073741824"),
    def("message.max.bytes", ConfigKind::Int(0), "1048588"),
    def("min.insync.replicas", ConfigKind::Int(1), "1"),
    def("offsets.retention.minutes", ConfigKind::Int(1), "10080"),
];

/// The topic config of this name.
pub fn definition(name: &str) -> Option<&'static Definition> {
    TOPIC_CONFIGS.iter().find(|d| d.name == name)
}

/// Checks a value of a topic config.
///
/// # Errors
/// What is wrong with name or value.
pub fn check_value(name: &str, value: &str) -> Result<(), String> {
    let Some(definition) = definition(name) else {
        return Err(format!("there is no topic config '{name}'"));
    };
    let wrong = |wanted: String| Err(format!("'{value}' is no value of {name}: {wanted}"));
    match definition.kind {
        ConfigKind::Bool if !matches!(value, "true" | "false") => wrong("true or false is wanted".into()),
        ConfigKind::Int(least) if !value.parse::<i32>().is_ok_and(|v| i64::from(v) >= least) => {
            wrong(format!("a whole number of at least {least} is wanted"))
        }
        ConfigKind::Long(least) if !value.parse::<i64>().is_ok_and(|v| v >= least) => {
            wrong(format!("a whole number of at least {least} is wanted"))
        }
        ConfigKind::Ratio if !value.parse::<f64>().is_ok_and(|v| (0.0..=1.0).contains(&v)) => {
            wrong("a fraction from 0 to 1 is wanted".into())
        }
        ConfigKind::Choice(choices) if !choices.contains(&value) => wrong(format!("one of {} is wanted", choices.join(", "))),
        ConfigKind::List(choices) if !items(value).all(|v| choices.contains(&v)) || value.trim().is_empty() => {
            wrong(format!("one or more of {} are wanted", choices.join(", ")))
        }
        _ => Ok(()),
    }
}

/// The items of a list.
pub fn items(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(str::trim)
}

/// The configs of one topic.
#[derive(Clone, Debug)]
pub struct TopicConfig {
    own: BTreeMap<String, String>,
    rules: Rules,
    /// Milliseconds after which records may go; negative: never.
    pub retention_ms: i64,
    /// Bytes of a partition above which its oldest records may go; negative: never.
    pub retention_bytes: i64,
    deletes: bool,
    compaction: Option<CompactionRules>,
}

impl TopicConfig {
    /// What these values, which have been checked, mean.
    pub fn new(own: BTreeMap<String, String>) -> Self {
        let value = |name: &str| own.get(name).map_or_else(|| definition(name).map_or("", |d| d.default), String::as_str);
        let number = |name: &str| value(name).parse::<i64>().unwrap_or(i64::MAX);
        let policy = value("cleanup.policy");
        let rules = Rules {
            max_batch_bytes: usize::try_from(number("max.message.bytes")).unwrap_or(usize::MAX),
            append_time: value("message.timestamp.type") == "LogAppendTime",
            needs_keys: items(policy).any(|p| p == "compact"),
            max_ahead_ms: number("message.timestamp.after.max.ms"),
            max_behind_ms: number("message.timestamp.before.max.ms"),
            segment_bytes: u64::try_from(number("segment.bytes")).unwrap_or(u64::MAX),
            segment_ms: number("segment.ms"),
            flush_messages: u64::try_from(number("flush.messages")).unwrap_or(u64::MAX),
            flush_ms: number("flush.ms"),
        };
        let compaction = items(policy).any(|p| p == "compact").then(|| CompactionRules {
            min_dirty_ratio: value("min.cleanable.dirty.ratio").parse().unwrap_or(0.5),
            min_lag_ms: number("min.compaction.lag.ms"),
            max_lag_ms: number("max.compaction.lag.ms"),
            delete_retention_ms: number("delete.retention.ms"),
            segment_bytes: rules.segment_bytes,
        });
        let deletes = items(policy).any(|p| p == "delete");
        let (retention_ms, retention_bytes) = (number("retention.ms"), number("retention.bytes"));
        Self { rules, retention_ms, retention_bytes, deletes, compaction, own }
    }

    /// The values set for this topic.
    pub fn own(&self) -> &BTreeMap<String, String> {
        &self.own
    }

    /// What the log asks of batches.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// How the topic is compacted, if it is.
    pub fn compaction(&self) -> Option<&CompactionRules> {
        self.compaction.as_ref()
    }

    /// Whether old records go by age or size.
    pub fn deletes(&self) -> bool {
        self.deletes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_of_its_config() {
        for definition in TOPIC_CONFIGS {
            assert_eq!(check_value(definition.name, definition.default), Ok(()));
        }
        assert!(TOPIC_CONFIGS.is_sorted_by_key(|d| d.name));
    }

    #[test]
    fn values_are_checked() {
        for (name, value) in [("cleanup.policy", "compact,delete"), ("retention.ms", "-1"), ("segment.bytes", "1048576")] {
            assert_eq!(check_value(name, value), Ok(()));
        }
        for (name, value) in [
            ("cleanup.policy", "nonsense"),
            ("cleanup.policy", ""),
            ("retention.ms", "-2"),
            ("retention.ms", "a week"),
            ("segment.bytes", "3000000000"),
            ("segment.bytes", "100"),
            ("min.cleanable.dirty.ratio", "1.5"),
            ("preallocate", "yes"),
            ("compression.type", "lz4"),
            ("no.such", "1"),
        ] {
            assert!(check_value(name, value).is_err(), "{name}={value}");
        }
    }

    #[test]
    fn rules_follow_the_values() {
        let config =
            TopicConfig::new(BTreeMap::from([("cleanup.policy".into(), "compact".into()), ("max.message.bytes".into(), "5".into())]));
        assert!(config.rules().needs_keys && !config.deletes());
        assert_eq!((config.rules().max_batch_bytes, config.rules().segment_bytes), (5, 1 << 30));
    }
}
