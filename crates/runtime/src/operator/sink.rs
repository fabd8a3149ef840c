//! Writes rows to a topic that users see, or hands them to a push query's client.

use std::sync::Arc;

use flumen_formats::{Encoder, Presence, session_key, time_key};
use flumen_plan::SinkSpec;
use flumen_types::{Field, Window, WindowKind};
use flumen_wire::partition_for;

use super::{Builder, Context, Inputs, Operator};
use crate::outbox::Record;
use crate::time_column::TimeColumn;
use crate::{Chunk, LogEntry, LogKind, RuntimeError};

/// Where the rows go.
pub(super) enum Sink {
    Client,
    Topic(Box<TopicSink>),
}

pub(super) struct TopicSink {
    topic: Arc<str>,
    partitions: i32,
    own_partition: i32,
    key: Option<Encoder>,
    value: Encoder,
    window: Option<WindowKind>,
    time: Option<TimeColumn>,
}

impl Sink {
    pub fn new(builder: &Builder<'_>, spec: &SinkSpec) -> Result<Self, RuntimeError> {
        let Some(topic) = &spec.topic else { return Ok(Sink::Client) };
        let schema = &builder.node.schema;
        let partitions = builder.settings.partitions.get(topic.as_str()).copied();
        let keys = fields(&schema.keys);
        Ok(Sink::Topic(Box::new(TopicSink {
            topic: topic.as_str().into(),
            partitions: partitions.ok_or_else(|| RuntimeError::Plan(format!("the partitions of {topic} are not known")))?,
            own_partition: builder.settings.partition,
            key: if keys.is_empty() { None } else { Some(Encoder::new(&spec.key_format, &keys)?) },
            value: Encoder::new(&spec.value_format, &fields(&schema.values))?,
            window: schema.window,
            time: spec.timestamp.as_ref().map(|t| TimeColumn::new(t, &schema.values)).transpose()?,
        })))
    }
}

impl Operator for Sink {
    fn process(&mut self, inputs: Inputs, ctx: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError> {
        match (self, inputs.left) {
            (_, None) => {}
            (Sink::Client, Some(chunk)) => ctx.out.rows.push(chunk),
            (Sink::Topic(sink), Some(chunk)) => sink.write(&chunk, ctx)?,
        }
        Ok(None)
    }
}

impl TopicSink {
    fn write(&self, chunk: &Chunk, ctx: &mut Context<'_>) -> Result<(), RuntimeError> {
        let mut keys = self.key.as_ref().map(|k| k.bind(&chunk.keys)).transpose()?;
        let mut values = self.value.bind(&chunk.values)?;
        let mut batches = Batches::new(&self.topic, false);
        let (mut key, mut value) = (Vec::new(), Vec::new());
        for (row, rank) in chunk.ord.iter().enumerate() {
            let timestamp = match &self.time {
                Some(time) if !chunk.is_deleted(row) => match chunk.values.get(time.index).map(|c| time.read(c, row)) {
                    Some(Ok(timestamp)) => timestamp,
                    failed => {
                        ctx.out.log.push(unwritten(ctx.node, failed.and_then(Result::err).unwrap_or_default()));
                        continue;
                    }
                },
                _ => chunk.timestamps.value(row),
            };
            key.clear();
            let has_key = match &mut keys {
                Some(encoder) if !chunk.has_null_key(row) => encoder.encode(row, &mut key)? == Presence::Value,
                _ => false,
            };
            let partition = match has_key {
                true => partition_for(&key, self.partitions),
                false => self.own_partition % self.partitions.max(1),
            };
            if has_key {
                self.push_window(chunk, row, &mut key);
            }
            value.clear();
            let has_value = !chunk.is_deleted(row) && values.encode(row, &mut value)? == Presence::Value;
            let record = Record {
                key: has_key.then_some(key.as_slice()),
                value: has_value.then_some(value.as_slice()),
                timestamp,
                headers: chunk.raw_headers(row),
            };
            let batch = batches.of(partition, ctx);
            ctx.out.push(batch, &record, *rank)?;
        }
        Ok(())
    }

    fn push_window(&self, chunk: &Chunk, row: usize, key: &mut Vec<u8>) {
        let (Some(kind), Some(windows)) = (self.window, &chunk.windows) else { return };
        let window = Window { start: windows.starts.value(row), end: windows.ends.value(row) };
        match kind {
            WindowKind::Session => session_key(key, window),
            WindowKind::Tumbling | WindowKind::Hopping => time_key(key, window),
        }
    }
}

/// The output batches of one topic, found once a partition.
pub(super) struct Batches<'a> {
    topic: &'a Arc<str>,
    internal: bool,
    by_partition: Vec<Option<usize>>,
}

impl<'a> Batches<'a> {
    pub fn new(topic: &'a Arc<str>, internal: bool) -> Self {
        Batches { topic, internal, by_partition: Vec::new() }
    }

    /// The number of the batch of a partition.
    pub fn of(&mut self, partition: i32, ctx: &mut Context<'_>) -> usize {
        let at = partition.max(0) as usize;
        if self.by_partition.len() <= at {
            self.by_partition.resize(at + 1, None);
        }
        *self.by_partition[at].get_or_insert_with(|| ctx.out.batch(self.topic, self.internal, partition))
    }
}

/// Columns as formats take them.
pub(super) fn fields(columns: &[(String, flumen_types::SqlType)]) -> Vec<Field> {
    columns.iter().map(|(name, ty)| Field::new(name.clone(), ty.clone())).collect()
}

fn unwritten(node: flumen_plan::NodeId, reason: String) -> LogEntry {
    LogEntry { node, kind: LogKind::Processing, target: None, reason: format!("a row was not written: {reason}"), record: None }
}
