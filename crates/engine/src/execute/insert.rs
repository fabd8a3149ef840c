//! INSERT VALUES: one record, written straight to the source's topic.

use flumen_catalog::{Catalog, Command, Ddl, SourceDef};
use flumen_formats::{Encoder, Presence};
use flumen_parser::ast::{InsertValues, Statement};
use flumen_planner::InsertPlan;
use flumen_types::{Column, Field, FormatSpec, Value, column_of};

use crate::engine::Shared;
use crate::sandbox::{Sandbox, refused};
use crate::{Engine, EngineError, NewRecord, Session};

impl Shared {
    pub(super) fn plan_insert(
        &self,
        insert: &InsertValues,
        text: &str,
        sandbox: &Sandbox,
        session: &Session,
    ) -> Result<InsertPlan, EngineError> {
        let context = sandbox.prepare(self, &Statement::InsertValues(insert.clone()), session)?;
        let now = self.env.clock.now_ms();
        flumen_planner::plan_insert(insert, &sandbox.catalog, &self.registry, &context, now).map_err(|e| refused(e, text))
    }

    /// Evaluates the values anew, so that the clock is that of the execution, and writes the record.
    pub(super) fn run_insert(&self, insert: &InsertValues, text: &str, session: &Session) -> Result<(), EngineError> {
        let plan = self.plan_insert(insert, text, &Sandbox::new(self), session)?;
        let InsertedRow { key, value, timestamp } = InsertedRow::encode(&plan)?;
        let topic = &plan.source.topic;
        let facts = self
            .env
            .topics
            .describe(topic)?
            .ok_or_else(|| EngineError::statement(format!("The topic '{topic}' of {} does not exist", plan.source.name)))?;
        let partition = match &key {
            Some(key) => flumen_wire::partition_for(key, facts.partitions.max(1)),
            None => (self.env.random.next() % facts.partitions.max(1) as u64) as i32,
        };
        let timestamp = timestamp.unwrap_or_else(|| self.env.clock.now_ms());
        self.env.topics.produce(topic, partition, &NewRecord { key: key.as_deref(), value: value.as_deref(), timestamp })
    }
}

type Bytes = Option<Vec<u8>>;

/// A row as the record that INSERT VALUES would write for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsertedRow {
    /// Key bytes.
    pub key: Option<Vec<u8>>,
    /// Value bytes.
    pub value: Option<Vec<u8>>,
    /// ROWTIME, when it was given.
    pub timestamp: Option<i64>,
}

impl InsertedRow {
    /// The bytes of a planned row, in its source's formats.
    fn encode(plan: &InsertPlan) -> Result<InsertedRow, EngineError> {
        let source = &plan.source;
        let keys: Vec<&Column> = source.schema.keys().collect();
        let values: Vec<&Column> = source.schema.values().collect();
        Ok(InsertedRow {
            key: side(&source.key_format, &keys, &plan.keys)?,
            value: side(&source.value_format, &values, &plan.values)?,
            timestamp: plan.timestamp,
        })
    }
}

impl Engine {
    /// The record an INSERT VALUES statement would write, without writing it; also for sources that cannot be written,
    /// the window of the key left out.
    pub fn inserted_row(&self, insert: &InsertValues, text: &str, session: &Session) -> Result<InsertedRow, EngineError> {
        let mut sandbox = Sandbox::new(&self.0);
        let source = sandbox.catalog.require_source(&insert.target.value)?;
        let plain = SourceDef { window: None, read_only: false, created_by: None, built_from: Vec::new(), ..(**source).clone() };
        let ddl = Ddl::CreateSource { source: Box::new(plain), or_replace: false };
        let command = Command { statement: String::new(), ddl: Some(ddl), query: None, query_id: None };
        sandbox.catalog = Catalog::new().apply(0, &command)?.0;
        InsertedRow::encode(&self.0.plan_insert(insert, text, &sandbox, session)?)
    }
}

fn side(format: &FormatSpec, columns: &[&Column], values: &[Value]) -> Result<Bytes, EngineError> {
    if columns.is_empty() {
        return Ok(None);
    }
    let fields: Vec<Field> = columns.iter().map(|c| Field::new(&c.name, c.ty.clone())).collect();
    let failed = |e: String| EngineError::statement(format!("Could not write the row: {e}"));
    let encoder = Encoder::new(format, &fields).map_err(|e| failed(e.to_string()))?;
    let column = |(c, v): (&&Column, &Value)| column_of(&c.ty, [v]).map_err(|e| failed(format!("column {}: {e}", c.name)));
    let arrays = columns.iter().zip(values).map(column).collect::<Result<Vec<_>, _>>()?;
    let mut bound = encoder.bind(&arrays).map_err(|e| failed(e.to_string()))?;
    let mut out = Vec::new();
    Ok(match bound.encode(0, &mut out).map_err(|e| failed(e.to_string()))? {
        Presence::Null => None,
        Presence::Value => Some(out),
    })
}
