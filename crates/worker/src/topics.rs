//! The topics of a query: facts about those it reads and writes, and its internal ones made.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use flumen_kafka::NewTopic;
use flumen_plan::{Operator, QueryId, QueryPlan, StoreKind, SubTopology, names};

use crate::WorkerError;
use crate::shared::{CALL, Shared};

/// How much longer than its windows a windowed changelog is kept, in milliseconds.
const CHANGELOG_EXTRA_MS: i64 = 86_400_000;
/// How long a new topic may take to be known everywhere.
const APPEAR: Duration = Duration::from_secs(20);

/// Number of partitions by full name of the topic.
pub(crate) type Partitions = HashMap<String, i32>;

/// Describes the topics that users see and makes the repartition topics; changelogs too when the query is `durable`.
pub(crate) fn prepare(shared: &Shared, id: &QueryId, plan: &QueryPlan, durable: bool) -> Result<Partitions, WorkerError> {
    let service = &shared.settings.service_id;
    let mut partitions = Partitions::new();
    for (_, node) in plan.nodes() {
        let topic = match &node.op {
            Operator::Source(spec) => &spec.topic,
            Operator::Sink(spec) => match &spec.topic {
                Some(topic) => topic,
                None => continue,
            },
            _ => continue,
        };
        if !partitions.contains_key(topic) {
            let info = shared.admin.describe_topic(topic, CALL)?.ok_or_else(|| WorkerError::MissingTopic(topic.clone()))?;
            partitions.insert(topic.clone(), info.partitions);
        }
    }
    for topic in &plan.repartition_topics {
        let name = names::repartition_topic(service, id, &topic.name);
        let configs = [("cleanup.policy", "delete".to_string()), ("retention.ms", "-1".to_string())];
        let count = make(shared, &name, topic.partitions, &configs)?;
        partitions.insert(name, count);
    }
    if durable {
        for sub in &plan.sub_topologies {
            let count = tasks_of(shared, id, sub, &partitions);
            for store in &sub.stores {
                let configs = match &store.kind {
                    StoreKind::KeyValue => vec![("cleanup.policy", "compact".to_string())],
                    StoreKind::Windowed(window) => {
                        let retention = window.retention.saturating_add(CHANGELOG_EXTRA_MS);
                        vec![("cleanup.policy", "compact,delete".to_string()), ("retention.ms", retention.to_string())]
                    }
                };
                make(shared, &names::changelog_topic(service, id, &store.id), count, &configs)?;
            }
        }
    }
    Ok(partitions)
}

/// Number of tasks of a sub-topology: the most partitions of a topic it reads.
pub(crate) fn tasks_of(shared: &Shared, id: &QueryId, sub: &SubTopology, partitions: &Partitions) -> i32 {
    let external = sub.sources().filter_map(|(_, s)| partitions.get(&s.topic));
    let internal = sub
        .repartition_sources()
        .filter_map(|(_, topic)| partitions.get(&names::repartition_topic(&shared.settings.service_id, id, topic)));
    external.chain(internal).copied().max().unwrap_or(0)
}

/// Makes a topic that is ours, unless it is there, and waits until the broker knows it. Returns its partitions.
pub(crate) fn make(shared: &Shared, name: &str, partitions: i32, configs: &[(&str, String)]) -> Result<i32, WorkerError> {
    if let Some(info) = shared.admin.describe_topic(name, CALL)? {
        return Ok(info.partitions);
    }
    let mut configs: Vec<(String, String)> = configs.iter().map(|(k, v)| ((*k).to_string(), v.clone())).collect();
    let replicas = shared.settings.config.internal_topic_replicas;
    let insync = shared.settings.config.internal_topic_min_insync;
    if insync > 1 {
        configs.push(("min.insync.replicas".to_string(), insync.to_string()));
    }
    let topic = NewTopic { name: name.to_string(), partitions, replication: replicas.into(), configs };
    shared.admin.create_topic(&topic, CALL)?;
    let until = Instant::now() + APPEAR;
    loop {
        match shared.admin.describe_topic(name, CALL)? {
            Some(info) => return Ok(info.partitions),
            None if Instant::now() >= until => return Err(WorkerError::MissingTopic(name.to_string())),
            None => shared.pause(Duration::from_millis(50)),
        }
    }
}

/// Finds out whether the processing log has a topic; makes it where the server is told to.
pub(crate) fn prepare_journal(shared: &Shared) -> Result<(), WorkerError> {
    use std::sync::atomic::Ordering;
    if shared.journal.load(Ordering::Acquire) {
        return Ok(());
    }
    let log = &shared.settings.config.processing_log;
    if log.create_topic {
        let replication = log.replicas.into();
        let topic = NewTopic { name: log.topic.clone(), partitions: log.partitions, replication, configs: Vec::new() };
        shared.admin.create_topic(&topic, CALL)?;
    }
    if log.create_topic || shared.admin.describe_topic(&log.topic, CALL)?.is_some() {
        shared.journal.store(true, Ordering::Release);
    }
    Ok(())
}
