//! DESCRIBE of sources and functions.

use std::sync::Arc;

use flumen_api::{ArgumentInfo, ConsumerOffset, EntityBody, FunctionInfo, QueryGroup, SourceDescription, TopicGroup};
use flumen_catalog::{QueryDef, SourceDef};
use flumen_parser::ast::{Describe, Ident};

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
            statistics: if extended { self.statistics(&writers) } else { String::new() },
            error_stats: String::new(),
            extended,
            key_format: source.key_format.format.name().to_string(),
            value_format: source.value_format.format.name().to_string(),
            topic: source.topic.clone(),
            partitions: facts.as_ref().map_or(0, |f| f.partitions),
            replication: facts.as_ref().map_or(0, |f| f.replicas),
            statement: source.statement.clone(),
            query_offset_summaries: offsets,
            source_constraints: catalog.built_from(&source.name),
            cluster_statistics: Vec::new(),
            cluster_error_stats: Vec::new(),
        })
    }

    /// What the queries that write a source say of themselves: restore progress and errors.
    fn statistics(&self, writers: &[&Arc<QueryDef>]) -> String {
        let mut lines = Vec::new();
        for query in writers {
            let status = self.env.tasks.status(&query.id);
            let restoring: i64 = status.tasks.iter().map(|t| t.restoring).sum();
            lines.push(format!("{}: {} tasks, {restoring} records to restore", query.id, status.tasks.len()));
            lines.extend(status.faults.iter().map(|f| format!("{}: {}", query.id, f.message)));
        }
        lines.join("\n")
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
