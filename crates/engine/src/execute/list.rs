//! LIST and SHOW.

use flumen_api::{EntityBody, FunctionName, FunctionType, Property, QueryKind, RunningQuery, TopicInfo, TopicInfoExtended, Variable};
use flumen_expr::function::FunctionKind;
use flumen_parser::ast::List;

use flumen_worker::Reach;

use super::show::source_info;
use crate::engine::Shared;
use crate::schema::schema_info;
use crate::{EngineError, ErrorKind, Session, TopicFacts};

impl Shared {
    pub(super) fn list(&self, list: &List, session: &Session) -> Result<EntityBody, EngineError> {
        let catalog = self.catalog();
        let sources = |tables: bool| catalog.sources().filter(move |s| s.is_table() == tables).collect::<Vec<_>>();
        Ok(match list {
            List::Streams { extended: false } => {
                EntityBody::Streams { streams: sources(false).into_iter().map(|s| source_info(s)).collect() }
            }
            List::Tables { extended: false } => EntityBody::Tables { tables: sources(true).into_iter().map(|s| source_info(s)).collect() },
            List::Streams { extended: true } => self.describe_all(&sources(false), true)?,
            List::Tables { extended: true } => self.describe_all(&sources(true), true)?,
            List::Topics { all, extended } => self.list_topics(*all, *extended)?,
            List::Queries { extended: false } => EntityBody::Queries { queries: self.list_queries() },
            List::Queries { extended: true } => {
                EntityBody::QueryDescriptions { query_descriptions: catalog.queries().map(|q| self.query_description(q)).collect() }
            }
            List::Functions => EntityBody::FunctionNames { functions: self.list_functions() },
            List::Properties => self.list_properties(session),
            List::Types => EntityBody::TypeList { types: catalog.types().map(|(name, ty)| (name.to_string(), schema_info(ty))).collect() },
            List::Variables => EntityBody::Variables {
                variables: session.variables.iter().map(|(name, value)| Variable { name: name.clone(), value: value.clone() }).collect(),
            },
            List::Connectors(_) | List::ConnectorPlugins => {
                return Err(EngineError::new(ErrorKind::Unsupported, "Connectors are not supported yet"));
            }
        })
    }

    fn list_queries(&self) -> Vec<RunningQuery> {
        let mut queries: Vec<RunningQuery> = self.catalog().queries().map(|q| self.running_query(q)).collect();
        for (id, push) in self.pushes.lock().iter() {
            let counts = std::collections::BTreeMap::from([("RUNNING".to_string(), 1)]);
            queries.push(RunningQuery {
                query_string: push.statement.clone(),
                sinks: Vec::new(),
                sink_kafka_topics: Vec::new(),
                id: id.0.clone(),
                state: RunningQuery::state_text(&counts),
                status_count: counts,
                query_type: match push.reach {
                    Reach::Endless => QueryKind::Push,
                    Reach::ToTheEnd => QueryKind::Pull,
                },
            });
        }
        queries
    }

    fn list_topics(&self, all: bool, extended: bool) -> Result<EntityBody, EngineError> {
        let shown = |t: &TopicFacts| all || !self.is_hidden(&t.name);
        let mut topics: Vec<TopicFacts> = self.env.topics.list()?.into_iter().filter(shown).collect();
        topics.sort_by(|a, b| a.name.cmp(&b.name));
        let replicas = |t: &TopicFacts| vec![t.replicas; usize::try_from(t.partitions).unwrap_or(0)];
        Ok(if extended {
            let one = |t: &TopicFacts| TopicInfoExtended {
                name: t.name.clone(),
                replica_info: replicas(t),
                consumer_count: 0,
                consumer_group_count: 0,
            };
            EntityBody::KafkaTopicsExtended { topics: topics.iter().map(one).collect() }
        } else {
            let one = |t: &TopicFacts| TopicInfo { name: t.name.clone(), replica_info: replicas(t) };
            EntityBody::KafkaTopics { topics: topics.iter().map(one).collect() }
        })
    }

    /// Internal topics of services, and those named by `ksql.hidden.topics`. Patterns are names that may end with `.*`.
    fn is_hidden(&self, topic: &str) -> bool {
        let matches = |pattern: &String| match pattern.strip_suffix(".*") {
            Some(prefix) => topic.starts_with(prefix),
            None => topic == pattern,
        };
        topic.starts_with("_flumen-") || self.config.hidden_topics.iter().any(matches)
    }

    fn list_functions(&self) -> Vec<FunctionName> {
        let one =
            |f: flumen_expr::function::FunctionInfo| FunctionName { r#type: function_type(f.kind), name: f.name, category: f.category };
        self.registry.list().into_iter().map(one).collect()
    }

    fn list_properties(&self, session: &Session) -> EntityBody {
        let mut properties = Vec::new();
        let (mut overwritten, mut defaults) = (Vec::new(), Vec::new());
        for entry in self.config.entries() {
            let changed = session.properties.get(&entry.name);
            if changed.is_some() {
                overwritten.push(entry.name.clone());
            } else if !entry.set {
                defaults.push(entry.name.clone());
            }
            let level = if entry.editable { "QUERY" } else { "SERVER" };
            properties.push(Property {
                value: changed.cloned().or(entry.value),
                name: entry.name,
                scope: "KSQL".to_string(),
                editable: entry.editable,
                level: level.to_string(),
            });
        }
        EntityBody::Properties { properties, overwritten_properties: overwritten, default_properties: defaults }
    }
}

/// A function's kind as the API names it.
pub(super) fn function_type(kind: FunctionKind) -> FunctionType {
    match kind {
        FunctionKind::Scalar => FunctionType::Scalar,
        FunctionKind::Table => FunctionType::Table,
        FunctionKind::Aggregate => FunctionType::Aggregate,
    }
}
