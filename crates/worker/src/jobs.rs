//! Work that waits for Kafka, apart from the threads that run queries.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use flumen_kafka::OffsetSpec;
use flumen_plan::{QueryId, QueryPlan, names};
use flumen_state::Size;
use flumen_telemetry::TopicLabels;
use parking_lot::Mutex;

use crate::manager::Event;
use crate::shared::{CALL, Shared};
use crate::{WorkerError, cleanup, prepare};

pub(crate) enum Job {
    /// Make the tasks of a query; answered by [`Event::Prepared`].
    Prepare { id: QueryId, plan: Arc<QueryPlan> },
    /// Remove what a dropped query leaves behind.
    Dropped { id: QueryId, plan: Arc<QueryPlan> },
    /// Remove what a push query leaves behind.
    Pushed { id: QueryId, plan: Arc<QueryPlan> },
    /// Show how far behind queries are, and delete what they have read of their repartition topics.
    Upkeep,
}

/// Works off jobs until there is nobody to give more.
pub(crate) fn run(shared: &Shared, jobs: &Mutex<Receiver<Job>>, events: &Sender<Event>) {
    loop {
        let job = jobs.lock().recv();
        match job {
            Err(_) => return,
            Ok(_) if shared.is_closing() => {}
            Ok(Job::Prepare { id, plan }) => {
                let outcome = prepare::persistent(shared, &id, &plan);
                if let Err(error) = &outcome {
                    tracing::warn!(query = %id, %error, "a query cannot start");
                }
                let _ = events.send(Event::Prepared { id, outcome });
            }
            Ok(Job::Dropped { id, plan }) => cleanup::dropped(shared, &id, &plan),
            Ok(Job::Pushed { id, plan }) => cleanup::pushed(shared, &id, &plan),
            Ok(Job::Upkeep) => {
                if let Err(error) = upkeep(shared) {
                    tracing::debug!(%error, "measuring lag");
                }
            }
        }
    }
}

fn upkeep(shared: &Shared) -> Result<(), WorkerError> {
    shared.board.measure(|id| {
        let metrics = shared.metrics.query(&id.0);
        (metrics.records_in.get(), metrics.records_out.get(), metrics.errors.get())
    });
    for (id, stores) in shared.board.stores() {
        let mut size = Size::default();
        for store in stores {
            let own = shared.backend.measure(store).unwrap_or_else(|error| {
                tracing::debug!(%error, "measuring a store");
                Size::default()
            });
            size = Size { rows: size.rows + own.rows, bytes: size.bytes + own.bytes };
        }
        let metrics = shared.metrics.query(&id.0);
        metrics.state_rows.set(i64::try_from(size.rows).unwrap_or(i64::MAX));
        metrics.state_bytes.set(i64::try_from(size.bytes).unwrap_or(i64::MAX));
    }
    let positions = shared.board.positions();
    let mut wanted: Vec<(&str, i32, OffsetSpec)> = positions.iter().map(|(_, t, p, _)| (t.as_str(), *p, OffsetSpec::Latest)).collect();
    wanted.sort_by_key(|(topic, partition, _)| (*topic, *partition));
    wanted.dedup_by_key(|(topic, partition, _)| (*topic, *partition));
    let ends = shared.admin.offsets(&wanted, CALL)?;
    let ends: BTreeMap<(&str, i32), i64> = wanted.iter().map(|(t, p, _)| (*t, *p)).zip(ends).collect();
    let own = names::prefix(&shared.settings.service_id);
    let mut read: Vec<(&str, i32, i64)> = Vec::new();
    for (id, topic, partition, next) in &positions {
        let end = ends.get(&(topic.as_str(), *partition)).copied().unwrap_or(*next);
        let labels = TopicLabels { query: id.0.clone(), topic: topic.clone(), partition: *partition };
        shared.metrics.lag(&labels).set((end - next).max(0));
        // A repartition topic has one reader: what it has read is of no more use.
        if *next > 0 && topic.starts_with(&own) && topic.ends_with("-repartition") {
            read.push((topic, *partition, *next));
        }
    }
    Ok(shared.admin.delete_records(&read, CALL)?)
}
