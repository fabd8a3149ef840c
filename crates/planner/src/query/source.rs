//! Reading a stream or table of the catalog.

use flumen_plan::{NodeId, OnError, Operator, RowSchema, SourceSpec, StoreKind};
use flumen_types::{Format, FormatSpec, Namespace};

use super::Planning;
use super::flow::{Flow, FlowColumn, KeyRule};
use super::scope::ScopeSource;
use crate::PlanError;
use flumen_catalog::SourceDef;

/// The rows of a source: keys, then values, then headers.
pub(crate) fn row_schema(def: &SourceDef) -> RowSchema {
    let pair = |c: &flumen_types::Column| (c.name.clone(), c.ty.clone());
    RowSchema {
        keys: def.schema.keys().map(pair).collect(),
        values: def.schema.values().chain(def.schema.headers()).map(pair).collect(),
        window: def.window.map(|w| w.kind),
    }
}

/// How the topic of a source is read.
pub(crate) fn source_spec(def: &SourceDef, on_error: OnError) -> SourceSpec {
    let pair = |c: &flumen_types::Column| (c.name.clone(), c.ty.clone());
    let header = |c: &flumen_types::Column| match &c.namespace {
        Namespace::Headers(key) => (c.name.clone(), key.clone()),
        _ => (c.name.clone(), None),
    };
    SourceSpec {
        name: def.name.clone(),
        topic: def.topic.clone(),
        kind: def.kind,
        key_format: written_key_format(def),
        value_format: def.value_format.clone(),
        keys: def.schema.keys().map(pair).collect(),
        values: def.schema.values().map(pair).collect(),
        headers: def.schema.headers().map(header).collect(),
        timestamp: def.timestamp.clone(),
        window: def.window,
        on_error,
    }
}

/// How a source's keys are written: not at all when there are no key columns, whatever format is declared.
pub(crate) fn written_key_format(def: &SourceDef) -> FormatSpec {
    match def.schema.keys().next() {
        Some(_) => def.key_format.clone(),
        None => FormatSpec::key(Format::None, None),
    }
}

impl Planning<'_> {
    /// Adds the node that reads a source to a sub-topology.
    pub(crate) fn source(&mut self, source: &ScopeSource, sub: usize) -> Result<Flow, PlanError> {
        let def = &source.def;
        let fail = self.context.flag("ksql.fail.on.deserialization.error", false)?;
        let spec = source_spec(def, if fail { OnError::Fail } else { OnError::Log });
        let schema = row_schema(def);
        let node = self.builder.node(sub, Operator::Source(Box::new(spec)), Vec::<NodeId>::new(), schema.clone(), def.is_table());
        let names = schema.keys.iter().chain(&schema.values).map(|(name, _)| FlowColumn::starred(source.column(name)));
        let columns: Vec<FlowColumn> = names.collect();
        let keys = columns.get(..schema.keys.len()).unwrap_or_default();
        Ok(Flow {
            node,
            sub,
            key: KeyRule::of("key column", keys),
            columns,
            pseudo_of: Some(source.alias.clone()),
            own_window: false,
            table: def.is_table(),
            partitions: self.partitions(&def.topic),
            key_format: def.key_format.clone(),
            schema,
        })
    }

    /// Keeps the rows of a table, so that their changes carry the old row and pull queries can read them.
    pub(crate) fn materialize(&mut self, flow: &mut Flow) {
        let schema = flow.schema.clone();
        let store = self.builder.append_with_store(flow, "table", StoreKind::KeyValue, schema, |store| Operator::Materialize { store });
        self.builder.materialized = Some(store);
    }

    /// Partitions of a topic; one when nothing is known of it.
    pub(crate) fn partitions(&self, topic: &str) -> i32 {
        self.context.topics.get(topic).map_or(1, |t| t.partitions)
    }
}
