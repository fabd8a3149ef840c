//! DESCRIBE of sources and functions.

use std::sync::Arc;

use flumen_api::{ArgumentInfo, ClusterHostStat, ConsumerOffset, EntityBody, FunctionInfo, QueryGroup, SourceDescription, TopicGroup};
use flumen_catalog::{QueryDef, SourceDef};
use flumen_parser::ast::{Describe, Ident};
use flumen_types::format_timestamp;
use flumen_worker::QueryFlow;

use super::list::function_type;
use crate::engine::Shared;
use crate::schema::field_infos;
use crate::{EngineError, ErrorKind};

impl Shared {
    pub(super) fn describe(&self, describe: &Describe) -> Result<EntityBody, EngineError> {
        let catalog = self.catalog();
        let all = |tables: bool| catalog.sources().filter(move |s| s.is_table() == tables).collect::<Vec<_>>();
        match describe {
            Describe::Source { name, extended } => {
                let source = catalog.require_source(&name.value)?;
                let source_description = Box::new(self.source_description(source, *extended)?);
                Ok(EntityBody::SourceDescription { source_description })
            }
            Describe::Streams { extended } => self.describe_all(&all(false), *extended),
            Describe::Tables { extended } => self.describe_all(&all(true), *extended),
            Describe::Function(name) => self.describe_function(name),
            Describe::Connector(_) => Err(EngineError::new(ErrorKind::Unsupported, "Connectors are not supported yet")),
        }
    }

    pub(super) fn describe_all(&self, sources: &[&Arc<SourceDef>], extended: bool) -> Result<EntityBody, EngineError> {
        let described = sources.iter().map(|s| self.source_description(s, extended)).collect::<Result<_, _>>()?;
        Ok(EntityBody::SourceDescriptions { source_descriptions: described })
    }

    fn source_description(&self, source: &SourceDef, extended: bool) -> Result<SourceDescription, EngineError> {
        let catalog = self.catalog();
        let facts = if extended { self.env.topics.describe(&source.topic)? } else { None };
        let readers: Vec<&Arc<QueryDef>> = catalog.readers(&source.name).collect();
        let writers: Vec<&Arc<QueryDef>> = catalog.writers(&source.name).collect();
        let offsets = if extended { self.offset_summaries(&readers)? } else { Vec::new() };
        Ok(SourceDescription {
            name: source.name.clone(),
            window_type: source.window.map(|w| w.kind.name().to_string()),
            read_queries: readers.iter().map(|q| self.running_query(q)).collect(),
            write_queries: writers.iter().map(|q| self.running_query(q)).collect(),
            fields: field_infos(&source.schema.columns),
            r#type: source.kind_name().to_uppercase(),
            timestamp: source.timestamp.as_ref().map(|t| t.column.clone()).unwrap_or_default(),
            statistics: if extended { self.statistics(&readers, &writers) } else { String::new() },
            error_stats: if extended { self.error_statistics(&readers, &writers) } else { String::new() },
            extended,
            key_format: source.key_format.format.name().to_string(),
            value_format: source.value_format.format.name().to_string(),
            topic: source.topic.clone(),
            partitions: facts.as_ref().map_or(0, |f| f.partitions),
            replication: facts.as_ref().map_or(0, |f| f.replicas),
            statement: source.statement.clone(),
            query_offset_summaries: offsets,
            source_constraints: catalog.built_from(&source.name),
            cluster_statistics: if extended { self.host_statistics(&writers) } else { Vec::new() },
            cluster_error_stats: Vec::new(),
        })
    }

    /// What goes through a source by the queries that write and read it here, and restores under way.
    fn statistics(&self, readers: &[&Arc<QueryDef>], writers: &[&Arc<QueryDef>]) -> String {
        let mut lines = Vec::new();
        if !writers.is_empty() {
            let (rate, total, last) = self.flow(writers, |f| (f.written_per_second, f.written));
            lines.push(format!("messages-per-sec: {rate:>9.2}   total-messages: {total:>9}     last-message: {last}"));
        }
        if !readers.is_empty() {
            let (rate, total, last) = self.flow(readers, |f| (f.read_per_second, f.read));
            lines.push(format!("consumer-messages-per-sec: {rate:>9.2}   consumer-total-messages: {total:>9}     last-message: {last}"));
        }
        for query in writers {
            let restoring: i64 = self.env.tasks.status(&query.id).tasks.iter().map(|t| t.restoring).sum();
            if restoring > 0 {
                lines.push(format!("{}: {restoring} records to restore", query.id));
            }
        }
        lines.join("\n")
    }

    /// Records per second, in all, and the time of the last, over queries.
    fn flow(&self, queries: &[&Arc<QueryDef>], of: impl Fn(&QueryFlow) -> (f64, u64)) -> (f64, u64, String) {
        let flows: Vec<QueryFlow> = queries.iter().map(|q| self.env.tasks.status(&q.id).flow).collect();
        let (rates, totals): (Vec<f64>, Vec<u64>) = flows.iter().map(of).unzip();
        let last = flows.iter().filter_map(|f| f.last).max();
        (rates.iter().sum(), totals.iter().sum(), last.map_or("n/a".to_string(), |ms| format_timestamp(ms) + "Z"))
    }

    /// Records that queries could not process, and their last errors.
    fn error_statistics(&self, readers: &[&Arc<QueryDef>], writers: &[&Arc<QueryDef>]) -> String {
        let mut lines = Vec::new();
        let both = readers.iter().chain(writers.iter().filter(|w| !readers.iter().any(|r| r.id == w.id)));
        for query in both {
            let status = self.env.tasks.status(&query.id);
            if status.flow.failed > 0 {
                lines.push(format!("{}: failed-messages: {}", query.id, status.flow.failed));
            }
            lines.extend(status.faults.iter().map(|f| format!("{}: {}Z {}", query.id, format_timestamp(f.timestamp), f.message)));
        }
        lines.join("\n")
    }

    fn host_statistics(&self, writers: &[&Arc<QueryDef>]) -> Vec<ClusterHostStat> {
        if writers.is_empty() {
            return Vec::new();
        }
        let (rate, total, _) = self.flow(writers, |f| (f.written_per_second, f.written));
        let (host, timestamp) = (self.host(), self.env.clock.now_ms());
        let stat = |name: &str, value: f64| ClusterHostStat { host: host.clone(), name: name.to_string(), value, timestamp };
        vec![stat("messages-per-sec", rate), stat("total-messages", total as f64)]
    }

    fn offset_summaries(&self, readers: &[&Arc<QueryDef>]) -> Result<Vec<QueryGroup>, EngineError> {
        let mut groups = Vec::new();
        for query in readers {
            let status = self.env.tasks.status(&query.id);
            let mut topics: Vec<TopicGroup> = Vec::new();
            for ((topic, partition), committed) in status.tasks.iter().flat_map(|t| &t.committed) {
                let ends = self.env.topics.ends(topic)?;
                let (start, end) = usize::try_from(*partition).ok().and_then(|p| ends.get(p)).copied().unwrap_or((0, 0));
                let offset =
                    ConsumerOffset { partition: *partition, log_start_offset: start, log_end_offset: end, consumer_offset: *committed };
                match topics.iter_mut().find(|t| t.kafka_topic == *topic) {
                    Some(group) => group.offsets.push(offset),
                    None => topics.push(TopicGroup { kafka_topic: topic.clone(), offsets: vec![offset] }),
                }
            }
            groups.push(QueryGroup { group_id: query.id.0.clone(), topic_summaries: topics });
        }
        Ok(groups)
    }

    fn describe_function(&self, name: &Ident) -> Result<EntityBody, EngineError> {
        let info = self.registry.describe(&name.value)?;
        let overload = |s: &flumen_expr::function::SignatureInfo| FunctionInfo {
            arguments: s
                .params
                .iter()
                .enumerate()
                .map(|(i, ty)| ArgumentInfo {
                    name: format!("arg{}", i + 1),
                    r#type: ty.trim_end_matches("...").to_string(),
                    description: String::new(),
                    is_variadic: s.variadic == Some(i),
                })
                .collect(),
            return_type: s.returns.clone(),
            description: info.description.clone(),
            argument_types: s.params.clone(),
        };
        Ok(EntityBody::DescribeFunction {
            functions: info.signatures.iter().map(overload).collect(),
            name: info.name.clone(),
            description: info.description.clone(),
            author: "Flumen".to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            path: "internal".to_string(),
            r#type: function_type(info.kind),
        })
    }
}
