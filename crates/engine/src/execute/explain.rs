//! EXPLAIN: the plan of a running query or of a statement.

use std::collections::BTreeMap;

use flumen_api::{EntityBody, QueryDescription, QueryKind};
use flumen_catalog::QueryDef;
use flumen_parser::ast::{Explain, Statement};
use flumen_plan::{Operator, QueryPlan};
use flumen_types::Column;

use super::show::{query_errors, tasks_metadata};
use crate::engine::Shared;
use crate::sandbox::Sandbox;
use crate::schema::field_infos;
use crate::{EngineError, Session};

impl Shared {
    pub(super) fn explain(&self, explain: &Explain, text: &str, session: &Session) -> Result<EntityBody, EngineError> {
        let description = match explain {
            Explain::Query(id) => {
                let catalog = self.catalog();
                let query = catalog.query(&id.value).ok_or_else(|| {
                    EngineError::statement(format!(
                        "Query with id:{} does not exist, use SHOW QUERIES to view the full set of queries.",
                        id.value
                    ))
                })?;
                self.query_description(query)
            }
            Explain::Statement(statement) => self.explain_statement(statement, text, session)?,
        };
        Ok(EntityBody::QueryDescription { query_description: Box::new(description) })
    }

    fn explain_statement(&self, statement: &Statement, text: &str, session: &Session) -> Result<QueryDescription, EngineError> {
        if let Statement::Select(query) = statement
            && flumen_planner::is_pull(query)
        {
            return self.explain_pull(query, text, session);
        }
        let mut sandbox = Sandbox::new(self);
        let planned = self.plan(statement, text, &mut sandbox, session)?;
        let plan = planned.query.as_ref().ok_or_else(|| {
            EngineError::statement(
                "The provided statement does not run a query; EXPLAIN takes SELECT, CREATE … AS SELECT and INSERT INTO … SELECT",
            )
        })?;
        let fields = planned.result_schema.as_ref().map(|s| field_infos(&s.columns)).unwrap_or_default();
        let kind = if plan.kind == flumen_plan::QueryKind::Push { QueryKind::Push } else { QueryKind::Persistent };
        Ok(describe(String::new(), text.to_string(), plan, fields, kind))
    }

    /// What EXPLAIN and LIST QUERIES EXTENDED tell of a running query.
    pub(super) fn query_description(&self, query: &QueryDef) -> QueryDescription {
        let columns: Vec<Column> = query.plan.sink_node().map(|n| columns_of(&n.schema)).unwrap_or_default();
        let mut description =
            describe(query.id.0.clone(), query.statement.clone(), &query.plan, field_infos(&columns), QueryKind::Persistent);
        let status = self.env.tasks.status(&query.id);
        let state = self.state_name(query).to_string();
        description.query_errors = query_errors(&status);
        let end = |topic: &str, partition: i32| {
            let ends = self.env.topics.ends(topic).unwrap_or_default();
            usize::try_from(partition).ok().and_then(|p| ends.get(p)).map_or(-1, |(_, end)| *end)
        };
        description.tasks_metadata = tasks_metadata(&status, end);
        description.ksql_host_query_status = BTreeMap::from([(self.host(), state.clone())]);
        description.state = Some(state);
        description
    }

    /// `host:port` of this server as the API names it.
    pub(super) fn host(&self) -> String {
        let url = self.config.listeners.first().map(String::as_str).unwrap_or("http://localhost:8088");
        url.split("://").last().unwrap_or(url).to_string()
    }
}

pub(super) fn columns_of(schema: &flumen_plan::RowSchema) -> Vec<Column> {
    let keys = schema.keys.iter().map(|(n, t)| Column::key(n, t.clone()));
    keys.chain(schema.values.iter().map(|(n, t)| Column::value(n, t.clone()))).collect()
}

pub(super) fn describe(
    id: String,
    statement_text: String,
    plan: &QueryPlan,
    fields: Vec<flumen_api::FieldInfo>,
    query_type: QueryKind,
) -> QueryDescription {
    let window = plan.nodes().find_map(|(_, n)| match &n.op {
        Operator::Aggregate { window: Some(w), .. } => Some(w.kind.name().to_string()),
        _ => None,
    });
    let overridden = plan.properties.iter().map(|(k, v)| (k.clone(), serde_json::Value::from(v.as_str())));
    QueryDescription {
        id,
        statement_text,
        window_type: window,
        fields,
        sources: plan.sources.clone(),
        sinks: plan.sink.iter().cloned().collect(),
        topology: plan.to_string(),
        execution_plan: plan.to_string(),
        overridden_properties: overridden.collect(),
        ksql_host_query_status: BTreeMap::new(),
        query_type,
        query_errors: Vec::new(),
        tasks_metadata: Vec::new(),
        consumer_group_id: None,
        state: None,
    }
}
