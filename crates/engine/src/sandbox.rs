//! A request tried out: the catalog and topics as they will be after the statements before.

use std::collections::BTreeMap;

use flumen_catalog::{Catalog, Change, QueryDef};
use flumen_parser::ast::Statement;
use flumen_planner::{PlanContext, Planned, TopicInfo};

use crate::engine::Shared;
use crate::{EngineError, ErrorKind, Session, TopicFacts};

/// Where the statements of a request are validated, one after another, without effect.
pub(crate) struct Sandbox {
    /// The catalog after the statements so far.
    pub(crate) catalog: Catalog,
    topics: BTreeMap<String, TopicInfo>,
    offset: i64,
}

impl Sandbox {
    pub(crate) fn new(engine: &Shared) -> Self {
        Sandbox { catalog: engine.catalog(), topics: BTreeMap::new(), offset: engine.offset() }
    }

    /// Gathers what planning this statement needs to know: the only I/O before it.
    pub(crate) fn prepare(&self, engine: &Shared, statement: &Statement, session: &Session) -> Result<PlanContext, EngineError> {
        let settings = engine.config.values().clone();
        let mut context = PlanContext { settings, overrides: session.properties.clone(), topics: BTreeMap::new() };
        for name in flumen_planner::topics_needed(statement, &self.catalog, &context) {
            let known = match self.topics.get(&name) {
                Some(planned) => Some(*planned),
                None => engine.env.topics.describe(&name)?.map(info),
            };
            if let Some(found) = known {
                context.topics.insert(name, found);
            }
        }
        Ok(context)
    }

    /// Applies a planned statement to the sandbox.
    pub(crate) fn apply(&mut self, planned: &Planned, text: &str, service: &str) -> Result<(), EngineError> {
        for topic in &planned.topics_to_create {
            let info = TopicInfo { partitions: topic.partitions, replicas: topic.replicas, retention_ms: None };
            self.topics.insert(topic.name.clone(), info);
        }
        if let Some(command) = planned.command(text) {
            self.offset += 1;
            let (catalog, changes) = self.catalog.apply(self.offset, &command)?;
            self.catalog = catalog;
            for change in &changes {
                if let Change::QueryStarted(query) | Change::QueryReplaced(query) = change {
                    check_names(query, service)?;
                }
            }
        }
        Ok(())
    }
}

/// Most characters of a topic's name, by Kafka's rule.
const TOPIC_NAME: usize = 249;
/// The number in a query's id may grow until it is logged.
const GROWTH: usize = 4;

/// Refuses a query whose internal topics could not be made because of their names; they hold the name of the result.
fn check_names(query: &QueryDef, service: &str) -> Result<(), EngineError> {
    let plan = &query.plan;
    let stores = plan.sub_topologies.iter().flat_map(|topology| &topology.stores);
    let changelogs = stores.map(|store| flumen_plan::names::changelog_topic(service, &query.id, &store.id));
    let repartitions = plan.repartition_topics.iter().map(|t| flumen_plan::names::repartition_topic(service, &query.id, &t.name));
    match changelogs.chain(repartitions).find(|name| name.len() + GROWTH > TOPIC_NAME) {
        None => Ok(()),
        Some(topic) => Err(EngineError::statement(format!(
            "The name of the result is too long: it is part of the names of the query's own topics, and '{topic}' is longer than the \
             {TOPIC_NAME} characters of a topic's name. Choose a shorter one"
        ))),
    }
}

fn info(facts: TopicFacts) -> TopicInfo {
    let replicas = i16::try_from(facts.replicas).unwrap_or(i16::MAX);
    TopicInfo { partitions: facts.partitions, replicas, retention_ms: facts.retention_ms }
}

/// A planner's refusal as an engine error, with the place underlined in the statement's text.
pub(crate) fn refused(error: flumen_planner::PlanError, text: &str) -> EngineError {
    let kind = match &error {
        flumen_planner::PlanError::User { .. } => ErrorKind::BadStatement,
        flumen_planner::PlanError::Unsupported { .. } => ErrorKind::Unsupported,
    };
    EngineError::new(kind, error.rendered(text))
}
