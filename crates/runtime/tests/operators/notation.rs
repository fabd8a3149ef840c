//! Records as text: `key:value@timestamp`, `-` for null; several value columns are a DELIMITED line.

use flumen_formats::{split_session_key, split_time_key};
use flumen_plan::{QueryId, QueryPlan};
use flumen_runtime::driver::{Driver, MemoryTopics, Mode, Ran, Record, Topics};
use std::sync::Arc;

/// Reads one record, such as `a:1,x@5`.
pub fn record(text: &str) -> Record {
    let (rest, time) = text.rsplit_once('@').expect("a timestamp");
    let (key, value) = rest.split_once(':').expect("a key");
    let part = |t: &str| (t != "-").then(|| t.as_bytes().to_vec());
    Record { key: part(key), value: part(value), timestamp: time.parse().expect("a number"), headers: Vec::new() }
}

/// Stands for a window size where keys carry sessions.
pub const SESSION: Option<i64> = Some(-1);

/// Writes a record; with a window size the key is a windowed one and shown as `key[start]`, with [`SESSION`] as
/// `key[start-end]`.
pub fn show(record: &Record, window: Option<i64>) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let key = match (&record.key, window) {
        (None, _) => "-".to_string(),
        (Some(key), None) => text(key),
        (Some(key), SESSION) => {
            let (inner, bounds) = split_session_key(key).expect("a session key");
            format!("{}[{}-{}]", text(inner), bounds.start, bounds.end)
        }
        (Some(key), Some(size)) => {
            let (inner, bounds) = split_time_key(key, size).expect("a windowed key");
            format!("{}[{}]", text(inner), bounds.start)
        }
    };
    let value = record.value.as_deref().map_or("-".to_string(), text);
    format!("{key}:{value}@{}", record.timestamp)
}

/// A query over topics in memory.
pub struct Bench {
    pub topics: MemoryTopics,
    inputs: Vec<(Arc<str>, i64)>,
    plan: Arc<QueryPlan>,
}

impl Bench {
    pub fn new(plan: QueryPlan) -> Self {
        // Through its bytes, as a plan reaches a task.
        let plan = QueryPlan::decode(&plan.encode().expect("encodes")).expect("decodes");
        Bench { topics: MemoryTopics::default(), inputs: Vec::new(), plan: Arc::new(plan) }
    }

    /// Adds records to a topic, behind those added before.
    pub fn input(mut self, topic: &str, records: &[&str]) -> Self {
        for text in records {
            let offset = self.topics.append(topic, record(text));
            self.inputs.push((topic.into(), offset));
        }
        self
    }

    pub fn run(&self, mode: Mode) -> (MemoryTopics, Ran) {
        let mut topics = self.topics.clone();
        let query = QueryId("TEST_1".to_string());
        let mut driver = Driver::new(self.plan.clone(), query, super::functions::registry(), mode).expect("a task");
        let ran = driver.run(&self.inputs, &mut topics, 1_000).expect("runs");
        (topics, ran)
    }

    /// The records of the topic `out` after a straight run, the other modes having given the same.
    pub fn out(&self, window: Option<i64>) -> Vec<String> {
        let (straight, _) = self.run(Mode::Straight);
        for mode in [Mode::Chunk, Mode::Crash] {
            assert_eq!(straight.0, self.run(mode).0.0, "{mode:?}");
        }
        straight.records("out").iter().map(|r| show(r, window)).collect()
    }

    /// Reasons in the processing log of a straight run.
    pub fn reasons(&self) -> Vec<String> {
        self.run(Mode::Straight).1.log.into_iter().map(|e| e.reason).collect()
    }
}
