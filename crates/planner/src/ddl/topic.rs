//! The topic behind a source: it exists and agrees with the WITH clause, or it is to be created.

use flumen_parser::ast::{Literal, Property};
use flumen_plan::SourceKind;

use crate::properties::With;
use crate::{PlanContext, PlanError, TopicToCreate};

/// What a topic must be like.
pub(crate) struct Wanted<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// Stream or table.
    pub(crate) kind: SourceKind,
    /// True when its keys carry a window.
    pub(crate) windowed: bool,
    /// Partitions if it must be created; `None`: the statement has to say them.
    pub(crate) partitions: Option<i32>,
    /// Replicas if it must be created.
    pub(crate) replicas: i16,
    /// Retention if it must be created.
    pub(crate) retention_ms: Option<i64>,
}

/// Checks an existing topic against the clause; otherwise says what to create.
pub(crate) fn topic(wanted: &Wanted<'_>, with: &With, context: &PlanContext) -> Result<Option<TopicToCreate>, PlanError> {
    if with.retention_ms.is_some() && wanted.kind == SourceKind::Table && !wanted.windowed {
        return Err(PlanError::user(
            "Invalid config variable in the WITH clause: RETENTION_MS. Non-windowed tables do not support retention.",
        ));
    }
    let Some(found) = context.topics.get(wanted.name) else {
        return create(wanted, with).map(Some);
    };
    let differs = with.partitions.is_some_and(|p| p != found.partitions)
        || with.replicas.is_some_and(|r| r != -1 && r != found.replicas)
        || matches!((with.retention_ms, found.retention_ms), (Some(asked), Some(is)) if asked != is);
    if differs {
        let show = |n: Option<i64>| n.map_or_else(|| "any".to_string(), |n| n.to_string());
        return Err(PlanError::user(format!(
            "A Kafka topic with the name '{}' already exists, with different partition/replica/retention configuration than required. KSQL expects {} partitions (topic has {}), {} replication factor (topic has {}), and {} retention (topic has {}).",
            wanted.name,
            show(with.partitions.map(i64::from)),
            found.partitions,
            show(with.replicas.map(i64::from)),
            found.replicas,
            show(with.retention_ms),
            show(found.retention_ms),
        )));
    }
    Ok(None)
}

fn create(wanted: &Wanted<'_>, with: &With) -> Result<TopicToCreate, PlanError> {
    let partitions = with.partitions.or(wanted.partitions).ok_or_else(|| {
        PlanError::user(format!(
            "Topic '{}' does not exist. If you want to create a new topic for the {} please re-run the statement providing the required 'PARTITIONS' configuration in the WITH clause. (and optionally 'REPLICAS')",
            wanted.name,
            flumen_catalog::kind_name(wanted.kind)
        ))
    })?;
    let policy = match (wanted.kind, wanted.windowed) {
        (SourceKind::Stream, _) => "delete",
        (SourceKind::Table, false) => "compact",
        (SourceKind::Table, true) => "compact,delete",
    };
    let mut configs = vec![("cleanup.policy".to_string(), policy.to_string())];
    // A windowed topic must not lose windows that the query still keeps.
    let retention = if wanted.windowed { with.retention_ms.max(wanted.retention_ms) } else { with.retention_ms.or(wanted.retention_ms) };
    if let Some(ms) = retention {
        configs.push(("retention.ms".to_string(), ms.to_string()));
    }
    Ok(TopicToCreate { name: wanted.name.to_string(), partitions, replicas: with.replicas.unwrap_or(wanted.replicas), configs })
}

/// The topic a WITH clause names.
pub(crate) fn named(properties: &[Property]) -> Option<String> {
    properties.iter().find(|p| p.name.value.eq_ignore_ascii_case("KAFKA_TOPIC")).and_then(|p| match &p.value {
        Literal::String(name) => Some(name.clone()),
        _ => None,
    })
}
