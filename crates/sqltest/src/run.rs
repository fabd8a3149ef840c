//! Runs one case: statements, records, queries in order, what came out.

use std::collections::BTreeMap;
use std::sync::Arc;

use flumen_config::ServerConfig;
use flumen_engine::{Engine, ErrorKind, Session, TopicToMake, Topics};
use flumen_runtime::driver::Driver;
use flumen_runtime::{LogEntry, RuntimeError};
use flumen_telemetry::Metrics;
use flumen_wire::encode_headers;

use crate::actual::{Actual, ActualError, ActualSource};
use crate::case::{Case, CaseRecord};
use crate::memory::World;
use crate::options::Mode;
use crate::records;
use crate::sql_file::SqlStatement;

/// What queries see as the wall clock, which stands still: 2020-09-13T12:26:40Z. Statements see 0, so that is the timestamp of
/// rows they insert.
const WALL_CLOCK_MS: i64 = 1_600_000_000_000;

/// Runs a case in a world of its own. Expectations are not looked at, but for the topics they name, which exist beforehand.
pub(crate) fn run(case: &Case, mode: Mode) -> Actual {
    let mut actual = Actual {
        file: case.file.clone(),
        name: case.body.name.clone(),
        variant: case.variant.clone(),
        error: None,
        outputs: Vec::new(),
        sources: Vec::new(),
    };
    let internal = |message: String| ActualError { statement: None, kind: "unsupported", message };
    let config = match server_config() {
        Ok(config) => config,
        Err(message) => return Actual { error: Some(internal(message)), ..actual },
    };
    let (world, env) = World::new();
    let engine = match Engine::start(config, env, Metrics::new()) {
        Ok(engine) => engine,
        Err(error) => return Actual { error: Some(internal(error.to_string())), ..actual },
    };
    make_topics(&world, case);
    actual.error = execute(&engine, case).err();
    if actual.error.is_none() {
        actual.error = drive(&engine, &world, &case.body.inputs, mode).err();
    }
    let catalog = engine.catalog();
    actual.outputs = world.topics.written().iter().map(|(t, r)| records::decode(&catalog, t, r)).collect();
    actual.sources = catalog
        .sources()
        .map(|s| ActualSource { name: s.name.clone(), kind: s.kind_name().to_string(), schema: s.schema.to_string() })
        .collect();
    engine.close();
    actual
}

fn server_config() -> Result<ServerConfig, String> {
    let pairs = [("ksql.streams.auto.offset.reset", "earliest"), ("ksql.streams.cache.max.bytes.buffering", "0")];
    ServerConfig::from_pairs(pairs.map(|(k, v)| (k.to_string(), v.to_string()))).map_err(|e| e.to_string())
}

fn make_topics(world: &World, case: &Case) {
    let mut wanted: BTreeMap<String, (i32, i32)> = BTreeMap::new();
    for topic in &case.body.topics {
        wanted.insert(topic.name.clone(), (topic.partitions.unwrap_or(1), topic.replicas.unwrap_or(1)));
    }
    let named: Vec<NamedTopic> = case.body.statements.iter().flat_map(|s| topics_in(s)).collect();
    let records = case.body.inputs.iter().chain(&case.body.outputs).map(|r| r.topic.clone());
    let made_later = |name: &String| named.iter().any(|t| t.made_by_statement && t.name == *name);
    let expected = named.iter().filter(|t| !t.made_by_statement).map(|t| t.name.clone());
    for name in expected.chain(records.filter(|name| !made_later(name))) {
        wanted.entry(name).or_insert((1, 1));
    }
    for (name, (partitions, replicas)) in wanted {
        // Creation in memory cannot fail.
        let _ = world.topics.create(&TopicToMake { name, partitions, replicas, configs: BTreeMap::new() });
    }
}

/// A topic that a CREATE statement names with KAFKA_TOPIC.
struct NamedTopic {
    name: String,
    /// With PARTITIONS the statement makes the topic itself.
    made_by_statement: bool,
}

/// The topics that the CREATE statements of a text name.
fn topics_in(text: &str) -> Vec<NamedTopic> {
    use flumen_engine::parser::ast::{Literal, Statement};
    let mut names = Vec::new();
    for piece in flumen_engine::parser::split(text).unwrap_or_default() {
        let Ok(parsed) = flumen_engine::parser::parse_statement(&piece.text) else { continue };
        let properties = match parsed.statement {
            Statement::CreateSource(create) => create.properties,
            _ => continue,
        };
        let named = |name: &str| properties.iter().find(|p| p.name.value.eq_ignore_ascii_case(name));
        if let Some(Literal::String(topic)) = named("KAFKA_TOPIC").map(|p| &p.value) {
            names.push(NamedTopic { name: topic.clone(), made_by_statement: named("PARTITIONS").is_some() });
        }
    }
    names
}

/// Executes the statements as one text's, one after another.
fn execute(engine: &Engine, case: &Case) -> Result<(), ActualError> {
    let refused = |statement: Option<usize>, error: flumen_engine::EngineError| {
        let kind = match error.kind {
            ErrorKind::Unsupported | ErrorKind::Internal | ErrorKind::Unavailable | ErrorKind::NotReady | ErrorKind::NotApplied => {
                "unsupported"
            }
            _ => "user",
        };
        ActualError { statement, kind, message: error.message }
    };
    let text = |v: &serde_json::Value| v.as_str().map_or_else(|| v.to_string(), str::to_string);
    let known = case.body.properties.iter().filter(|(name, _)| flumen_config::is_valid(name));
    let properties: BTreeMap<String, String> = known.map(|(k, v)| (k.clone(), text(v))).collect();
    let mut session = Session { properties, ..Session::default() };
    for (number, statement) in case.body.statements.iter().enumerate() {
        let executed = engine.execute_in(statement, &mut session);
        if let Some(error) = executed.error {
            return Err(refused(Some(number), error));
        }
    }
    Ok(())
}

/// Writes the case's records, then drives query by query, in order of creation.
fn drive(engine: &Engine, world: &World, inputs: &[CaseRecord], mode: Mode) -> Result<(), ActualError> {
    let failed = |kind: &'static str, message: String| ActualError { statement: None, kind, message };
    let catalog = engine.catalog();
    let mut given: Vec<(Arc<str>, i64)> = Vec::new();
    for input in inputs {
        let record = records::encode(&catalog, input).map_err(|e| failed("user", e))?;
        given.push((input.topic.as_str().into(), world.topics.give(&input.topic, record)));
    }
    drive_over(engine, world, &given, mode).map(|_| ())
}

/// Drives query by query, in order of creation, over the records given and over what earlier queries wrote. Gives the texts
/// of the processing log.
fn drive_over(engine: &Engine, world: &World, given: &[(Arc<str>, i64)], mode: Mode) -> Result<Vec<String>, ActualError> {
    let failed = |kind: &'static str, message: String| ActualError { statement: None, kind, message };
    let mut log = Vec::new();
    for query in world.tasks.queries() {
        let kind = |error: RuntimeError| match &error {
            RuntimeError::Unsupported(_) | RuntimeError::Internal(_) => failed("unsupported", error.to_string()),
            _ => failed("user", error.to_string()),
        };
        let mut driver = Driver::new(query.plan.clone(), query.id.clone(), engine.registry().clone(), mode.into()).map_err(kind)?;
        let ran = world.topics.with(|topics| driver.run(given, topics, WALL_CLOCK_MS)).map_err(kind)?;
        log.extend(ran.log.into_iter().map(log_text));
    }
    Ok(log)
}

/// Runs the statements of a section of a `.sql` file: all before the first ASSERT, then every query, then the ASSERTs.
///
/// # Errors
/// What failed, and where.
pub(crate) fn run_sql(statements: &[SqlStatement], expected_log: &[String], mode: Mode) -> Result<(), String> {
    use crate::sql_file::{Checker, assertion};
    let (world, env) = World::new();
    let engine = Engine::start(server_config()?, env, Metrics::new()).map_err(|e| e.to_string())?;
    let mut session = Session::default();
    let mut assertions = Vec::new();
    for SqlStatement { text, headers } in statements {
        // What does not parse yet may do so when its variables are replaced.
        match flumen_engine::parser::parse_statement(text).ok().and_then(|parsed| assertion(&parsed.statement)) {
            Some(assertion) => assertions.push((assertion, text)),
            None if !assertions.is_empty() => return Err(format!("a statement follows the first ASSERT:\n    {text}")),
            None => {
                // Topics that no statement makes have one partition.
                for topic in topics_in(text).into_iter().filter(|t| !t.made_by_statement) {
                    let one = TopicToMake { name: topic.name, partitions: 1, replicas: 1, configs: BTreeMap::new() };
                    world.topics.create(&one).map_err(|e| e.to_string())?;
                }
                let mut encoded = Vec::new();
                encode_headers(&mut encoded, headers.iter().map(|(name, value)| (name.as_bytes(), Some(value.as_bytes()))));
                world.topics.set_headers(encoded);
                if let Some(error) = engine.execute_in(text, &mut session).error {
                    return Err(error.message);
                }
            }
        }
    }
    let log = drive_over(&engine, &world, &world.topics.written_at(), mode).map_err(|e| e.message)?;
    let mut checker = Checker::new(&engine, world.topics.written());
    for (assertion, text) in &assertions {
        checker.check(assertion, text)?;
    }
    checker.finish()?;
    check_log(&log, expected_log)?;
    engine.close();
    Ok(())
}

/// An entry's reason, behind the topic and offset of its record where they are known.
fn log_text(entry: LogEntry) -> String {
    match entry.record {
        Some(at) => format!("{} {}: {}", at.topic, at.offset, entry.reason),
        None => entry.reason,
    }
}

/// Every expected text is in some entry of the processing log, and every entry has one.
fn check_log(log: &[String], expected: &[String]) -> Result<(), String> {
    if let Some(missing) = expected.iter().find(|text| !log.iter().any(|entry| entry.contains(text.as_str()))) {
        return Err(format!("no entry of the processing log says '{missing}'; there are: {log:?}"));
    }
    match log.iter().find(|entry| !expected.iter().any(|text| entry.contains(text.as_str()))) {
        Some(entry) => Err(format!("the processing log says: {entry}")),
        None => Ok(()),
    }
}
