//! The end of a persistent query: its topic, formats and the source it fills.

use flumen_catalog::SourceDef;
use flumen_parser::ast::Ident;
use flumen_plan::{Operator, SinkSpec, SourceKind, WindowedKey};
use flumen_types::{Column, Schema};

use super::Planning;
use super::flow::Flow;
use super::source::written_key_format;
use crate::ddl::timestamp_column;
use crate::ddl::topic::{Wanted, topic};
use crate::properties::{With, key_spec, value_spec};
use crate::{PlanError, TopicToCreate};

/// What a sink's rows are when they are windowed.
pub(crate) struct Windows {
    /// How the key carries the window.
    pub(crate) key: WindowedKey,
    /// How long the query keeps windows, when it makes them itself.
    pub(crate) retention_ms: Option<i64>,
}

/// The columns of rows as a source has them: keys first.
pub(crate) fn schema_of(flow: &Flow) -> Schema {
    let keys = flow.schema.keys.iter().map(|(name, ty)| Column::key(name.clone(), ty.clone()));
    let values = flow.schema.values.iter().map(|(name, ty)| Column::value(name.clone(), ty.clone()));
    Schema::new(keys.chain(values).collect())
}

impl Planning<'_> {
    /// The source that CREATE … AS SELECT makes, and its topic if it is to be created.
    pub(crate) fn new_sink(
        &mut self,
        flow: &Flow,
        name: &Ident,
        with: &With,
        windows: Option<Windows>,
        text: &str,
    ) -> Result<(SourceDef, Option<TopicToCreate>), PlanError> {
        let schema = schema_of(flow);
        let kind = if flow.table { SourceKind::Table } else { SourceKind::Stream };
        let left = self.leftmost()?.clone();
        let timestamp = timestamp_column(with, &schema.columns)?;
        let prefix = self.context.setting("ksql.output.topic.name.prefix").unwrap_or_default();
        let topic_name = with.topic.clone().unwrap_or_else(|| format!("{prefix}{}", name.value));
        let source_topic = self.context.topics.get(&left.topic);
        let inherit = self.context.flag("ksql.create.topic.inherit.source.replicas.enabled", true)?;
        let retention = match &windows {
            Some(windows) => windows.retention_ms,
            None if kind == SourceKind::Stream => source_topic.and_then(|t| t.retention_ms),
            None => None,
        };
        let wanted = Wanted {
            name: &topic_name,
            kind,
            windowed: windows.is_some(),
            partitions: Some(source_topic.map_or(1, |t| t.partitions)),
            replicas: source_topic.filter(|_| inherit).map_or(-1, |t| t.replicas),
            retention_ms: retention,
        };
        let new_topic = topic(&wanted, with, self.context)?;
        let key_format = key_spec(with, Some(&left.key_format), &schema.columns, self.context)?;
        let value_format = value_spec(with, Some(&left.value_format), &schema.columns, self.context)?;
        let source = SourceDef {
            name: name.value.clone(),
            kind,
            schema,
            topic: topic_name,
            key_format,
            value_format,
            timestamp,
            window: windows.map(|w| w.key),
            read_only: false,
            created_by: None,
            built_from: self.source_names(),
            statement: text.to_string(),
        };
        Ok((source, new_topic))
    }

    /// Adds the node that writes a source's topic.
    pub(crate) fn write(&mut self, flow: &mut Flow, sink: &SourceDef) {
        let spec = SinkSpec {
            topic: Some(sink.topic.clone()),
            key_format: written_key_format(sink),
            value_format: sink.value_format.clone(),
            timestamp: sink.timestamp.clone(),
        };
        self.builder.append(flow, Operator::Sink(Box::new(spec)), flow.schema.clone());
    }
}
