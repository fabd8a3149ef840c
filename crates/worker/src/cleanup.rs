//! Removing what a query leaves behind: internal topics, positions, stores.

use std::time::{Duration, Instant};

use flumen_kafka::{ErrorKind, Producer, ProducerOptions};
use flumen_plan::{QueryId, QueryPlan, names};
use flumen_runtime::meta;
use flumen_state::Writes;
use flumen_telemetry::TopicLabels;
use flumen_wire::RecordColumns;

use crate::WorkerError;
use crate::shared::{CALL, Shared, now_ms};

/// How often a clean-up is tried, and the wait between two tries.
const TRIES: u32 = 20;
const BETWEEN: Duration = Duration::from_secs(3);

/// Removes all of a query that was dropped. Goes on trying for a minute when Kafka does not answer.
pub(crate) fn dropped(shared: &Shared, id: &QueryId, plan: &QueryPlan) {
    patiently(shared, id, || positions(shared, id, plan));
    patiently(shared, id, || topics(shared, id, plan, true));
    for store in plan.sub_topologies.iter().flat_map(|s| &s.stores) {
        if let Err(error) = shared.backend.drop_store(&names::store_name(id, &store.id)) {
            tracing::warn!(query = %id, %error, "a store of a dropped query stays");
        }
    }
    forget(shared, id);
}

/// Its metrics and status go.
fn forget(shared: &Shared, id: &QueryId) {
    for (topic, partition) in shared.board.status(id).tasks.into_iter().flat_map(|t| t.committed.into_keys()) {
        shared.metrics.forget_lag(&TopicLabels { query: id.0.clone(), topic, partition });
    }
    // In this order: what is on the board is measured.
    shared.board.forget(id);
    shared.metrics.forget(&id.0);
}

/// Removes the topics of a push query that ended.
pub(crate) fn pushed(shared: &Shared, id: &QueryId, plan: &QueryPlan) {
    forget(shared, id);
    if !plan.repartition_topics.is_empty() {
        patiently(shared, id, || topics(shared, id, plan, false));
    }
}

fn patiently(shared: &Shared, id: &QueryId, run: impl Fn() -> Result<(), WorkerError>) {
    for _ in 0..TRIES {
        match run() {
            Ok(()) => return,
            Err(error) => tracing::warn!(query = %id, %error, "cleaning up after a query"),
        }
        if shared.is_closing() {
            return;
        }
        shared.pause(BETWEEN);
    }
}

/// Tombstones for the positions of its tasks, here and in Kafka.
fn positions(shared: &Shared, id: &QueryId, plan: &QueryPlan) -> Result<(), WorkerError> {
    let service = &shared.settings.service_id;
    let tasks = shared.ledger.tasks(shared, id)?;
    if tasks.is_empty() {
        return Ok(());
    }
    let changelogs: Vec<String> =
        plan.sub_topologies.iter().flat_map(|s| &s.stores).map(|s| names::changelog_topic(service, id, &s.id)).collect();
    let topic = names::positions_topic(service);
    let mut producer = Producer::new(&shared.settings.client, &ProducerOptions::idempotent())?;
    for task in &tasks {
        let mut records = RecordColumns::new();
        records.push(Some(task.to_string().as_bytes()), None, now_ms(), &[]).map_err(|e| WorkerError::Runtime(e.into()))?;
        producer.produce_columns(&topic, shared.slot(task), &records)?;
        let entries = meta::entries(task, changelogs.iter().map(String::as_str)).into_iter().map(|key| (key, None));
        shared.backend.apply(&Writes { stores: Vec::new(), meta: entries.collect() })?;
    }
    producer.await_deliveries(Instant::now() + CALL)?;
    tasks.iter().for_each(|task| shared.ledger.remove(task));
    Ok(())
}

fn topics(shared: &Shared, id: &QueryId, plan: &QueryPlan, durable: bool) -> Result<(), WorkerError> {
    let service = &shared.settings.service_id;
    let mut all: Vec<String> = plan.repartition_topics.iter().map(|t| names::repartition_topic(service, id, &t.name)).collect();
    if durable {
        all.extend(plan.sub_topologies.iter().flat_map(|s| &s.stores).map(|s| names::changelog_topic(service, id, &s.id)));
    }
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    if all.is_empty() {
        return Ok(());
    }
    for (_, outcome) in shared.admin.delete_topics(&all, CALL)? {
        match outcome {
            Err(error) if error.kind != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}
