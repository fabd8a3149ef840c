//! What planning a statement gives.

use flumen_catalog::{Command, Ddl};
use flumen_plan::QueryPlan;
use flumen_types::Schema;

/// A planned statement.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Planned {
    /// What it does to the catalog.
    pub ddl: Option<Ddl>,
    /// The query it starts; for SELECT … EMIT CHANGES a plan of kind Push.
    pub query: Option<QueryPlan>,
    /// The query id asked for.
    pub query_id: Option<String>,
    /// Topics that must exist before the command is logged.
    pub topics_to_create: Vec<TopicToCreate>,
    /// What the user should know although the statement is right.
    pub warnings: Vec<String>,
    /// The columns of the result of a query, keys first where they are part of it.
    pub result_schema: Option<Schema>,
    /// LIMIT of a push query.
    pub limit: Option<u64>,
}

impl Planned {
    /// The command to log, or `None` when there is nothing to log: IF NOT EXISTS on what exists, push queries.
    pub fn command(&self, statement: &str) -> Option<Command> {
        let query = self.query.clone().filter(|q| q.kind != flumen_plan::QueryKind::Push);
        if self.ddl.is_none() && query.is_none() {
            return None;
        }
        Some(Command { statement: statement.to_string(), ddl: self.ddl.clone(), query, query_id: self.query_id.clone() })
    }

    pub(crate) fn ddl(ddl: Ddl) -> Self {
        Planned { ddl: Some(ddl), ..Planned::default() }
    }

    pub(crate) fn warning(text: String) -> Self {
        Planned { warnings: vec![text], ..Planned::default() }
    }
}

/// A topic to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicToCreate {
    /// Its name.
    pub name: String,
    /// Number of partitions.
    pub partitions: i32,
    /// Replicas of each; −1 is the broker's default.
    pub replicas: i16,
    /// Topic configs.
    pub configs: Vec<(String, String)>,
}
