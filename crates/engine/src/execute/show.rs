//! Sources and queries as several answers show them.

use std::collections::BTreeMap;

use flumen_api::{QueryError, QueryKind, RunningQuery, SourceInfo, SourceType, TaskMetadata, TopicOffset, TopicPartition};
use flumen_catalog::{QueryDef, SourceDef};
use flumen_plan::Operator;
use flumen_worker::QueryStatus;

use crate::engine::Shared;

/// The row of LIST STREAMS and LIST TABLES.
pub(super) fn source_info(source: &SourceDef) -> SourceInfo {
    SourceInfo {
        r#type: if source.is_table() { SourceType::Table } else { SourceType::Stream },
        name: source.name.clone(),
        topic: source.topic.clone(),
        key_format: source.key_format.format.name().to_string(),
        value_format: source.value_format.format.name().to_string(),
        is_windowed: source.window.is_some(),
    }
}

impl Shared {
    /// The row of LIST QUERIES.
    pub(super) fn running_query(&self, query: &QueryDef) -> RunningQuery {
        let counts = BTreeMap::from([(self.state_name(query).to_string(), 1)]);
        RunningQuery {
            query_string: query.statement.clone(),
            sinks: query.plan.sink.iter().cloned().collect(),
            sink_kafka_topics: sink_topic(query).into_iter().collect(),
            id: query.id.0.clone(),
            state: RunningQuery::state_text(&counts),
            status_count: counts,
            query_type: QueryKind::Persistent,
        }
    }

    pub(super) fn state_name(&self, query: &QueryDef) -> &'static str {
        if query.paused { "PAUSED" } else { self.env.tasks.status(&query.id).state.name() }
    }
}

fn sink_topic(query: &QueryDef) -> Option<String> {
    match &query.plan.sink_node()?.op {
        Operator::Sink(sink) => sink.topic.clone(),
        _ => None,
    }
}

/// The errors of a query.
pub(super) fn query_errors(status: &QueryStatus) -> Vec<QueryError> {
    let error = |f: &flumen_worker::QueryFault| QueryError {
        timestamp: f.timestamp,
        error_message: f.message.clone(),
        r#type: f.class.to_string(),
    };
    status.faults.iter().map(error).collect()
}

/// The tasks of a query with their offsets.
pub(super) fn tasks_metadata(status: &QueryStatus, end: impl Fn(&str, i32) -> i64) -> Vec<TaskMetadata> {
    let offsets = |t: &flumen_worker::TaskProgress| {
        let offset = |((topic, partition), committed): (&(String, i32), &i64)| TopicOffset {
            topic_partition_entity: TopicPartition { topic: topic.clone(), partition: *partition },
            end_offset: end(topic, *partition),
            committed_offset: *committed,
        };
        t.committed.iter().map(offset).collect()
    };
    let task = |t: &flumen_worker::TaskProgress| TaskMetadata {
        task_id: t.task.clone(),
        topic_offsets: offsets(t),
        time_current_idling_started: None,
    };
    status.tasks.iter().map(task).collect()
}
