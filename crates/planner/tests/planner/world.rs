//! A catalog filled by statements, with the topics they need.

use std::collections::BTreeMap;

use flumen_catalog::{Catalog, Change};
use flumen_expr::Registry;
use flumen_parser::ast::Statement;
use flumen_parser::parse_statement;
use flumen_planner::{InsertPlan, PlanContext, PlanError, Planned, Pull, TopicInfo, plan_insert, plan_pull, plan_statement};

/// Where statements run: planned, and applied to the catalog.
pub struct World {
    pub catalog: Catalog,
    pub registry: Registry,
    pub context: PlanContext,
    offset: i64,
}

impl World {
    /// Topics with these partition counts, and the sources of these statements.
    pub fn new(topics: &[(&str, i32)], statements: &[&str]) -> World {
        let info = |partitions: i32| TopicInfo { partitions, replicas: 1, retention_ms: None };
        let topics: BTreeMap<_, _> = topics.iter().map(|(name, n)| (name.to_string(), info(*n))).collect();
        let context = PlanContext { topics, ..PlanContext::default() };
        let mut world = World { catalog: Catalog::new(), registry: flumen_functions::builtins(), context, offset: 0 };
        for statement in statements {
            world.run(statement);
        }
        world
    }

    /// A shop: streams of orders and clicks, tables of users and regions.
    pub fn shop() -> World {
        World::new(
            &[("orders", 4), ("clicks", 4), ("users", 4), ("regions", 2)],
            &[
                "CREATE STREAM orders (id INT KEY, user_id INT, amount DOUBLE, tags ARRAY<STRING>) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');",
                "CREATE STREAM clicks (page STRING, moment BIGINT) WITH (KAFKA_TOPIC='clicks', VALUE_FORMAT='JSON');",
                "CREATE TABLE users (id INT PRIMARY KEY, name STRING, region STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');",
                "CREATE TABLE regions (code STRING PRIMARY KEY, title STRING) WITH (KAFKA_TOPIC='regions', VALUE_FORMAT='JSON');",
            ],
        )
    }

    pub fn plan(&self, statement: &str) -> Result<Planned, PlanError> {
        let parsed = parse_statement(statement).unwrap_or_else(|e| panic!("{e}"));
        plan_statement(&parsed.statement, &parsed.text, &self.catalog, &self.registry, &self.context)
    }

    /// Plans and applies a statement that must be right.
    pub fn run(&mut self, statement: &str) -> Vec<Change> {
        let planned = self.plan(statement).unwrap_or_else(|e| panic!("{}", e.rendered(statement)));
        for topic in &planned.topics_to_create {
            let info = TopicInfo { partitions: topic.partitions, replicas: topic.replicas, retention_ms: None };
            self.context.topics.insert(topic.name.clone(), info);
        }
        let Some(command) = planned.command(statement) else { return Vec::new() };
        self.offset += 1;
        let (catalog, changes) = self.catalog.apply(self.offset, &command).unwrap_or_else(|e| panic!("{e}"));
        self.catalog = catalog;
        changes
    }

    /// The plan of a statement as EXPLAIN shows it.
    pub fn explain(&self, statement: &str) -> String {
        let planned = self.plan(statement).unwrap_or_else(|e| panic!("{}", e.rendered(statement)));
        planned.query.expect("the statement starts a query").to_string()
    }

    /// The message of a statement that must be refused as the user's mistake.
    pub fn refusal(&self, statement: &str) -> String {
        match self.plan(statement) {
            Err(e @ PlanError::User { .. }) => e.rendered(statement),
            other => panic!("{statement} gives {other:?}"),
        }
    }

    pub fn pull(&self, statement: &str) -> Result<Pull, PlanError> {
        match parse_statement(statement).unwrap_or_else(|e| panic!("{e}")).statement {
            Statement::Select(query) => plan_pull(&query, &self.catalog, &self.registry, &self.context),
            other => panic!("{other} is no query"),
        }
    }

    pub fn insert(&self, statement: &str) -> Result<InsertPlan, PlanError> {
        match parse_statement(statement).unwrap_or_else(|e| panic!("{e}")).statement {
            Statement::InsertValues(insert) => plan_insert(&insert, &self.catalog, &self.registry, &self.context, 1_000),
            other => panic!("{other} is no INSERT"),
        }
    }
}
