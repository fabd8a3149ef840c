//! Push queries: a plan of its own, rows to one client until it has enough.

use std::sync::Arc;

use arrow::array::ArrayRef;
use flumen_parser::ast::{Query, Statement};
use flumen_plan::{QueryId, QueryPlan};
use flumen_planner::Planned;
use flumen_runtime::Chunk;
use flumen_types::{Schema, SqlType};
use flumen_worker::{PushEnd, Reach};

use crate::engine::PushInfo;
use crate::sandbox::Sandbox;
use crate::{Engine, EngineError, ErrorKind, PushEvent, PushRows, Session, push_channel};

/// Rows of at most this many chunks wait for a client.
const QUEUE: usize = 8;

/// A running push query; dropping it ends the query.
pub struct PushAnswer {
    /// Its id.
    pub id: QueryId,
    /// The columns of its rows.
    pub schema: Schema,
    limit: Option<u64>,
    rows: PushRows,
    engine: Engine,
}

/// The next of a push query.
pub enum PushNext {
    /// A chunk of rows; those that are deletions of a table's row are marked.
    Rows {
        /// The columns.
        columns: Vec<(ArrayRef, SqlType)>,
        /// For each row, whether it is a deletion.
        deleted: Vec<bool>,
    },
    /// LIMIT is reached.
    LimitReached,
    /// The query has ended.
    Ended(PushEnd),
}

impl PushAnswer {
    /// Waits for the next rows or the end. Rows beyond the LIMIT are cut off.
    pub async fn next(&mut self) -> PushNext {
        if self.limit == Some(0) {
            return PushNext::LimitReached;
        }
        match self.rows.next().await {
            Some(PushEvent::Rows(chunk)) => self.take(chunk),
            Some(PushEvent::End(end)) => PushNext::Ended(end),
            None => PushNext::Ended(PushEnd::Closed),
        }
    }

    fn take(&mut self, chunk: Chunk) -> PushNext {
        let rows = chunk.rows();
        let taken = self.limit.map_or(rows, |left| usize::try_from(left).unwrap_or(usize::MAX).min(rows));
        if let Some(left) = &mut self.limit {
            *left -= taken as u64;
        }
        let deleted = (0..taken).map(|row| chunk.is_deleted(row)).collect();
        let types = self.schema.columns.iter().map(|c| c.ty.clone());
        let columns = chunk.values.iter().map(|a| a.slice(0, taken)).zip(types).collect();
        PushNext::Rows { columns, deleted }
    }
}

impl Drop for PushAnswer {
    fn drop(&mut self) {
        self.engine.close_query(&self.id.0);
        self.engine.0.metrics.push_queries().set(self.engine.0.pushes.lock().len() as i64);
    }
}

impl Engine {
    pub(super) fn push(&self, query: Query, text: &str, session: &Session) -> Result<PushAnswer, EngineError> {
        let engine = &self.0;
        let planned = engine.plan(&Statement::Select(Box::new(query)), text, &mut Sandbox::new(engine), session)?;
        self.run_push(planned, text, Reach::Endless)
    }

    /// Starts a planned push query.
    pub(super) fn run_push(&self, planned: Planned, text: &str, reach: Reach) -> Result<PushAnswer, EngineError> {
        let engine = &self.0;
        let plan: Arc<QueryPlan> = match planned.query {
            Some(plan) => Arc::new(plan),
            None => return Err(EngineError::internal("a push query has no plan")),
        };
        let schema = planned.result_schema.unwrap_or_default();
        let source = plan.sources.first().cloned().unwrap_or_default();
        let id = QueryId(format!("transient_{source}_{:016x}", engine.env.random.next()));
        {
            let mut pushes = engine.pushes.lock();
            if pushes.len() >= engine.config.max_push_queries {
                return Err(EngineError::new(
                    ErrorKind::TooMany,
                    format!("Maximum number of push queries exceeded: {} run now. End one, or raise ksql.max.push.queries", pushes.len()),
                ));
            }
            pushes.insert(id.clone(), PushInfo { statement: text.to_string(), reach });
            engine.metrics.push_queries().set(pushes.len() as i64);
        }
        let (sender, rows) = push_channel(QUEUE);
        let answer = PushAnswer { id: id.clone(), schema, limit: planned.limit, rows, engine: self.clone() };
        // An error drops the answer, which takes the query off the list again.
        engine.env.tasks.push(id, plan, reach, Box::new(sender))?;
        Ok(answer)
    }
}
