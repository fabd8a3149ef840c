//! Pull queries: rows of a table that are there now.

use std::sync::Arc;

use flumen_api::QueryKind;
use flumen_parser::ast::Query;
use flumen_plan::{PullPlan, StoreId, SubTopologyId, TaskId};
use flumen_planner::{PlanContext, Pull};
use flumen_pull::{PullError, Tables, TakeRows};
use flumen_runtime::meta::local_positions;
use flumen_types::Schema;

use super::QueryAnswer;
use crate::engine::Shared;
use crate::execute::explain::describe;
use crate::sandbox::refused;
use crate::schema::field_infos;
use crate::{Engine, EngineError, ErrorKind, Reach, Session};

/// The answer to a pull query on a table: rows that are read when they are asked for.
pub struct Rows {
    engine: Arc<Shared>,
    plan: Box<PullPlan>,
    id: String,
    /// The statement, for errors to name.
    text: String,
}

impl Rows {
    /// The query's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The columns.
    pub fn schema(&self) -> &Schema {
        &self.plan.result
    }

    /// Reads the rows and gives them to `take` in batches, until it wants no more. Blocks.
    ///
    /// # Errors
    /// The rows are not on this server yet; a fault of the state.
    pub fn read(self, take: TakeRows<'_>) -> Result<(), EngineError> {
        self.engine.pull_table(&self.plan, take).map_err(|e| e.about(&self.text, 0))
    }
}

impl Engine {
    /// Rows of a table come at once; those of a stream as they are read, up to where its topic ends now.
    pub(super) fn pull(&self, query: &Query, text: &str, session: &Session) -> Result<QueryAnswer, EngineError> {
        match self.0.plan_pull(query, text, session)? {
            Pull::Table(plan) => {
                let id = format!("query_{}", self.0.env.clock.now_ms());
                Ok(QueryAnswer::Pull(Rows { engine: self.0.clone(), plan, id, text: text.to_owned() }))
            }
            Pull::Stream(planned) => self.run_push(*planned, text, Reach::ToTheEnd).map(QueryAnswer::Push),
        }
    }
}

impl Shared {
    fn plan_pull(&self, query: &Query, text: &str, session: &Session) -> Result<Pull, EngineError> {
        if !self.config.pull_queries_enabled {
            return Err(EngineError::statement("Pull queries are disabled. Set ksql.pull.queries.enable=true to enable them"));
        }
        // Nothing of topics need be known, so Kafka is not asked.
        let (settings, overrides) = (self.config.values().clone(), session.properties.clone());
        let context = PlanContext { settings, overrides, ..PlanContext::default() };
        flumen_planner::plan_pull(query, &self.catalog(), &self.registry, &context).map_err(|e| refused(e, text))
    }

    fn pull_table(&self, pull: &PullPlan, take: TakeRows<'_>) -> Result<(), EngineError> {
        let catalog = self.catalog();
        let definition = catalog.query(&pull.query.0).ok_or_else(|| EngineError::internal("the query of a table is gone"))?;
        let plan = &definition.plan;
        let backend = self.env.tasks.backend();
        let tables = Tables {
            plan,
            backend: backend.as_ref(),
            partitions: self.stream_times(definition, &pull.store)?,
            registry: &self.registry,
            now_ms: self.env.clock.now_ms(),
            seed: self.env.random.next(),
        };
        flumen_pull::execute(pull, &tables, take).map_err(|e| match e {
            PullError::NotHere(_) => EngineError::new(ErrorKind::NotReady, e.to_string()),
            other => EngineError::internal(other.to_string()),
        })
    }

    /// The partitions of a store, each with the stream time of the operator that owns it as its last commit left it; none
    /// while the store is not whole.
    fn stream_times(&self, query: &flumen_catalog::QueryDef, store: &StoreId) -> Result<Vec<Option<i64>>, EngineError> {
        let (sub, node) = query.plan.store(store).map_or((SubTopologyId(0), None), |(sub, spec)| (sub, Some(spec.node)));
        let backend = self.env.tasks.backend();
        let of = |partition: i32| {
            let task = TaskId { query: query.id.clone(), sub_topology: sub, partition };
            let positions = local_positions(backend.as_ref(), &task).map_err(|e| EngineError::internal(e.to_string()))?;
            let times = positions.map(|p| p.stream_times).unwrap_or_default();
            Ok(times.into_iter().find(|(id, _)| Some(*id) == node).map(|(_, time)| time))
        };
        let status = self.env.tasks.status(&query.id);
        let partitions = if status.ready { status.partitions(sub.0) } else { 0 };
        (0..i32::try_from(partitions).unwrap_or(i32::MAX)).map(of).collect()
    }

    pub(in crate::execute) fn explain_pull(
        &self,
        query: &Query,
        text: &str,
        session: &Session,
    ) -> Result<flumen_api::QueryDescription, EngineError> {
        let pull = match self.plan_pull(query, text, session)? {
            Pull::Table(pull) => pull,
            Pull::Stream(planned) => {
                let plan = planned.query.ok_or_else(|| EngineError::internal("a pull query has no plan"))?;
                let fields = planned.result_schema.as_ref().map(|s| field_infos(&s.columns)).unwrap_or_default();
                return Ok(describe(String::new(), text.to_string(), &plan, fields, QueryKind::Pull));
            }
        };
        let catalog = self.catalog();
        let definition = catalog.query(&pull.query.0).ok_or_else(|| EngineError::internal("the query of a table is gone"))?;
        let fields = field_infos(&pull.result.columns);
        let mut description = describe(String::new(), text.to_string(), &definition.plan, fields, QueryKind::Pull);
        description.topology = format!("Pull from store {} of {}: {:?}, windows {:?}", pull.store.0, pull.query, pull.keys, pull.windows);
        description.execution_plan = description.topology.clone();
        Ok(description)
    }
}
