//! What a server was started with.

use crate::names::{self, STREAMS, meaning};
use crate::property::Kind;
use crate::query::QueryConfig;
use crate::reader::Reader;
use crate::{ConfigError, Property, Scope, properties_file, table};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Where values come from; a later field wins over an earlier one.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// A `.properties` file.
    pub file: Option<PathBuf>,
    /// Environment variables, as pairs; see [`ServerConfig::load`].
    pub environment: Vec<(String, String)>,
    /// `name=value` arguments.
    pub set: Vec<String>,
}

/// The kind of Kafka client that properties are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// Reads records.
    Consumer,
    /// Writes records.
    Producer,
    /// Manages topics.
    Admin,
}

/// A row of `LIST PROPERTIES`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The full name.
    pub name: String,
    /// The value in force; a secret is hidden. `None` where there is neither a value nor a default.
    pub value: Option<String>,
    /// True if a session may change it.
    pub editable: bool,
    /// True if it was set and not left at its default.
    pub set: bool,
}

/// The processing log: one entry for every record that could not be processed.
#[derive(Clone, Debug)]
pub struct ProcessingLog {
    /// The topic.
    pub topic: String,
    /// Whether the topic is made at the start.
    pub create_topic: bool,
    /// Its partitions.
    pub partitions: i32,
    /// Its replicas.
    pub replicas: i16,
    /// The stream over it.
    pub stream: String,
    /// Whether the stream is made at the start.
    pub create_stream: bool,
    /// Whether an entry holds the record itself.
    pub include_rows: bool,
}

/// The settings of a server, with types. Cheap to clone; never changes.
#[derive(Clone, Debug)]
pub struct ServerConfig(Arc<Settings>);

/// The fields of a [`ServerConfig`].
#[derive(Debug)]
pub struct Settings {
    /// Kafka's addresses; `None` starts the embedded broker.
    pub bootstrap_servers: Option<String>,
    /// Name of the service.
    pub service_id: String,
    /// URLs that the HTTP API listens on.
    pub listeners: Vec<String>,
    /// Folder of everything kept locally.
    pub data_dir: PathBuf,
    /// Slots that tasks are spread over.
    pub lease_slots: u16,
    /// Threads that run tasks.
    pub worker_threads: usize,
    /// Address of the embedded broker, host:port.
    pub broker_listen: String,
    /// Whether the embedded broker forces everything to the disk before it is acknowledged.
    pub broker_fsync_always: bool,
    /// Bytes of state that a worker keeps before it commits early.
    pub overlay_bytes: u64,
    /// Bytes that a worker fetches ahead.
    pub fetch_bytes: u64,
    /// Bytes of cached state blocks, for the process.
    pub block_cache_bytes: u64,
    /// Bytes of unwritten state, for the process.
    pub write_buffer_bytes: u64,
    /// Rows that may wait for a push client.
    pub push_queue_rows: usize,
    /// How long a push client may leave its queue full.
    pub push_stall_timeout: Duration,
    /// Largest request body, in bytes.
    pub http_max_body_bytes: usize,
    /// Most push queries at a time.
    pub max_push_queries: usize,
    /// Most persistent queries.
    pub max_persistent_queries: usize,
    /// Replicas of internal topics.
    pub internal_topic_replicas: i16,
    /// `min.insync.replicas` of internal topics.
    pub internal_topic_min_insync: i16,
    /// Put before topic names that the server chooses.
    pub output_topic_prefix: String,
    /// URLs of the Schema Registry; empty means none.
    pub schema_registry_urls: Vec<String>,
    /// Regular expressions of topics that are not listed.
    pub hidden_topics: Vec<String>,
    /// Regular expressions of topics that no statement may write.
    pub readonly_topics: Vec<String>,
    /// Pull queries are allowed.
    pub pull_queries_enabled: bool,
    /// How long an answer waits for its command.
    pub command_response_timeout: Duration,
    /// How long the answer of /healthcheck is kept.
    pub healthcheck_interval: Duration,
    /// How long a query may take to stop.
    pub shutdown_timeout: Duration,
    /// Origin, methods and headers that browsers may use; no origin, no access.
    pub cors: Option<Cors>,
    /// The processing log.
    pub processing_log: ProcessingLog,
    allow: Option<Vec<String>>,
    deny: Vec<String>,
    values: BTreeMap<String, String>,
}

/// What browsers may do from other sites.
#[derive(Clone, Debug)]
pub struct Cors {
    /// The site, or `*`.
    pub origin: String,
    /// Methods, or empty for the usual ones.
    pub methods: Vec<String>,
    /// Headers, or empty for the usual ones.
    pub headers: Vec<String>,
}

impl Deref for ServerConfig {
    type Target = Settings;
    fn deref(&self) -> &Settings {
        &self.0
    }
}

impl ServerConfig {
    /// Reads all sources. An environment variable counts if it is `FLUMEN_` or `KSQL_` and a property's name in upper case
    /// with `_` for `.`, or, for names that begin so themselves, just that: `FLUMEN_LISTENERS`, `KSQL_KSQL_SERVICE_ID`,
    /// `KSQL_SERVICE_ID`.
    ///
    /// # Errors
    /// When the file cannot be read, a name is unknown, or a value is not of its property's type.
    pub fn load(sources: &Sources) -> Result<Self, ConfigError> {
        let mut pairs = Vec::new();
        if let Some(path) = &sources.file {
            let text = std::fs::read_to_string(path).map_err(|error| ConfigError::File { path: path.clone(), error })?;
            pairs.extend(properties_file::parse(&text, &path.display().to_string())?);
        }
        pairs.extend(from_environment(&sources.environment));
        for argument in &sources.set {
            let Some((name, value)) = argument.split_once('=').filter(|(name, _)| !name.trim().is_empty()) else {
                return Err(ConfigError::Syntax { place: "--set".to_owned(), text: argument.clone() });
            };
            pairs.push((name.to_owned(), value.to_owned()));
        }
        Self::from_pairs(pairs)
    }

    /// Makes a configuration of names and values; of two values for one property the later counts.
    ///
    /// # Errors
    /// When a name is unknown or a value is not of its property's type.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (String, String)>) -> Result<Self, ConfigError> {
        let mut values = BTreeMap::new();
        for (name, value) in pairs {
            let meaning = meaning(&name)?;
            values.insert(meaning.name().to_owned(), meaning.check(&value)?);
        }
        let settings = Settings::read(&Reader::new(vec![&values]), values.clone())?;
        let config = Self(Arc::new(settings));
        // So that a value that no query could take is found at the start and not by the first query.
        QueryConfig::resolve(&config, &BTreeMap::new())?;
        Ok(config)
    }

    /// Checks an override of a session or request, and gives its full name and value.
    ///
    /// # Errors
    /// When the name is unknown or may not be overridden, or the value is not of its type.
    pub fn check_override(&self, name: &str, value: &str) -> Result<(String, String), ConfigError> {
        let meaning = meaning(name)?;
        let refused = |reason: &str| ConfigError::NotOverridable { name: name.to_owned(), reason: reason.to_owned() };
        if meaning.scope() == Scope::Server {
            return Err(refused("it belongs to the whole server; set it in the server's properties"));
        }
        if self.deny.iter().any(|denied| denied == meaning.name()) {
            return Err(refused("this server's ksql.properties.overrides.denylist names it"));
        }
        if self.allow.as_ref().is_some_and(|allowed| !allowed.iter().any(|a| a == meaning.name())) {
            return Err(refused("this server's ksql.properties.overrides.allowlist does not name it"));
        }
        Ok((meaning.name().to_owned(), meaning.check(value)?))
    }

    /// The Kafka client properties that were set, without prefixes and in Java's names; those for this kind of client win.
    pub fn client_properties(&self, client: Client) -> BTreeMap<String, String> {
        let prefix = match client {
            Client::Consumer => "consumer.",
            Client::Producer => "producer.",
            Client::Admin => "admin.",
        };
        let mut found = BTreeMap::new();
        for name in table::CLIENT_NAMES {
            for full in [format!("{STREAMS}{name}"), format!("{STREAMS}{prefix}{name}"), format!("{STREAMS}main.{prefix}{name}")] {
                if let Some(value) = self.values.get(&full) {
                    found.insert((*name).to_owned(), value.clone());
                }
            }
        }
        found
    }

    /// What was set below a prefix, such as `ksql.schema.registry.`, with the prefix taken off.
    pub fn below(&self, prefix: &str) -> BTreeMap<String, String> {
        self.values.iter().filter_map(|(name, value)| Some((name.strip_prefix(prefix)?.to_owned(), value.clone()))).collect()
    }

    /// Every property with its value, sorted by name.
    pub fn entries(&self) -> Vec<Entry> {
        let mut entries: BTreeMap<&str, Entry> = table::all().map(|p| (p.name, self.entry(p))).collect();
        for (name, value) in &self.values {
            entries.entry(name).or_insert_with(|| Entry {
                name: name.clone(),
                value: Some(if is_secret(name) { HIDDEN.to_owned() } else { value.clone() }),
                editable: meaning(name).is_ok_and(|m| m.scope() == Scope::Query),
                set: true,
            });
        }
        entries.into_values().collect()
    }

    fn entry(&self, property: &Property) -> Entry {
        let set = self.values.get(property.name);
        let value = set.map(String::as_str).or(property.default);
        let hide = property.kind == Kind::Secret && value.is_some_and(|v| !v.is_empty());
        Entry {
            name: property.name.to_owned(),
            value: value.map(|v| if hide { HIDDEN.to_owned() } else { v.to_owned() }),
            editable: property.scope == Scope::Query,
            set: set.is_some(),
        }
    }

    /// The values that were set, by full name.
    pub fn values(&self) -> &BTreeMap<String, String> {
        &self.0.values
    }
}

/// What is shown of a secret.
const HIDDEN: &str = "[hidden]";

fn is_secret(name: &str) -> bool {
    ["password", "secret", "credential", "jaas", "token", "user.info", "keystore.key", "api.key"].iter().any(|word| name.contains(word))
}

fn from_environment(variables: &[(String, String)]) -> Vec<(String, String)> {
    let known: BTreeMap<String, &str> =
        table::all().map(|p| p.name).chain(table::CLIENT_NAMES.iter().copied()).map(|n| (variable(n), n)).collect();
    let name_of = |variable: &str| {
        let rest = variable.strip_prefix("FLUMEN_").or_else(|| variable.strip_prefix("KSQL_"))?;
        known.get(rest).or_else(|| known.get(variable)).map(|name| (*name).to_owned())
    };
    variables.iter().filter_map(|(variable, value)| Some((name_of(variable)?, value.clone()))).collect()
}

fn variable(name: &str) -> String {
    name.to_uppercase().replace('.', "_")
}

impl Settings {
    pub(crate) fn read(values: &Reader<'_>, set: BTreeMap<String, String>) -> Result<Self, ConfigError> {
        let service_id = values.string("ksql.service.id");
        let threads: usize = values.number("flumen.worker.threads")?;
        let full = |names: Vec<String>| names.into_iter().map(|n| names::canonical(&n)).collect::<Result<Vec<_>, _>>();
        let allowed = full(values.list("ksql.properties.overrides.allowlist"))?;
        let by_list = values.text("ksql.properties.overrides.validation.mode") == Some("allowlist");
        Ok(Self {
            bootstrap_servers: values.text("bootstrap.servers").map(str::to_owned),
            listeners: values.list("listeners"),
            data_dir: PathBuf::from(values.string("flumen.data.dir")),
            lease_slots: values.number("flumen.lease.slots")?,
            worker_threads: if threads == 0 { std::thread::available_parallelism().map_or(1, |n| n.get()) } else { threads },
            broker_listen: values.string("flumen.broker.listen"),
            broker_fsync_always: values.text("flumen.broker.fsync") == Some("always"),
            overlay_bytes: values.number("flumen.overlay.bytes")?,
            fetch_bytes: values.number("flumen.fetch.bytes")?,
            block_cache_bytes: values.number("flumen.state.block.cache.bytes")?,
            write_buffer_bytes: values.number("flumen.state.write.buffer.bytes")?,
            push_queue_rows: values.number("flumen.push.queue.rows")?,
            push_stall_timeout: values.millis("flumen.push.stall.timeout.ms")?,
            http_max_body_bytes: values.number("flumen.http.max.body.bytes")?,
            max_push_queries: values.number("ksql.max.push.queries")?,
            max_persistent_queries: values.number("ksql.query.persistent.active.limit")?,
            internal_topic_replicas: values.number("ksql.internal.topic.replicas")?,
            internal_topic_min_insync: values.number("ksql.internal.topic.min.insync.replicas")?,
            output_topic_prefix: values.string("ksql.output.topic.name.prefix"),
            schema_registry_urls: values.list("ksql.schema.registry.url"),
            hidden_topics: values.list("ksql.hidden.topics"),
            readonly_topics: values.list("ksql.readonly.topics"),
            pull_queries_enabled: values.flag("ksql.pull.queries.enable"),
            command_response_timeout: values.millis("ksql.server.command.response.timeout.ms")?,
            healthcheck_interval: values.millis("ksql.healthcheck.interval.ms")?,
            shutdown_timeout: values.millis("ksql.streams.shutdown.timeout.ms")?,
            cors: cors(values),
            processing_log: processing_log(values, &service_id)?,
            allow: by_list.then_some(allowed),
            deny: full(values.list("ksql.properties.overrides.denylist"))?,
            service_id,
            values: set,
        })
    }
}

fn cors(values: &Reader<'_>) -> Option<Cors> {
    let (methods, headers) = (values.list("access.control.allow.methods"), values.list("access.control.allow.headers"));
    values.text("access.control.allow.origin").map(|origin| Cors { origin: origin.to_owned(), methods, headers })
}

fn processing_log(values: &Reader<'_>, service_id: &str) -> Result<ProcessingLog, ConfigError> {
    let named = values.text("ksql.logging.processing.topic.name").map(str::to_owned);
    Ok(ProcessingLog {
        topic: named.unwrap_or_else(|| format!("{service_id}ksql_processing_log")),
        create_topic: values.flag("ksql.logging.processing.topic.auto.create"),
        partitions: values.number("ksql.logging.processing.topic.partitions")?,
        replicas: values.number("ksql.logging.processing.topic.replication.factor")?,
        stream: values.string("ksql.logging.processing.stream.name"),
        create_stream: values.flag("ksql.logging.processing.stream.auto.create"),
        include_rows: values.flag("ksql.logging.processing.rows.include"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Effect;

    /// What planner, engine and server look up by name, in the values of a request over those of the server.
    const BY_NAME: [&str; 9] = [
        "ksql.assert.topic.default.timeout.ms",
        "ksql.create.or.replace.enabled",
        "ksql.headers.columns.enabled",
        "ksql.query.pull.limit.clause.enabled",
        "ksql.query.pull.range.scan.enabled",
        "ksql.query.pull.stream.enabled",
        "ksql.source.table.materialization.enabled",
        "ksql.suppress.enabled",
        "ksql.websocket.connection.max.timeout.ms",
    ];

    #[test]
    fn the_table_marks_as_used_exactly_what_is_read() {
        let reader = Reader::new(Vec::new());
        Settings::read(&reader, BTreeMap::new()).expect("defaults");
        QueryConfig::read(&reader, BTreeMap::new()).expect("defaults");
        for property in table::all() {
            let read = reader.read.borrow().contains(property.name) || BY_NAME.contains(&property.name);
            assert_eq!(property.effect == Effect::Used, read, "{}", property.name);
        }
    }
}
