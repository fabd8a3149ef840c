//! Topics in memory, and the order in which their records were written.

use std::collections::BTreeMap;
use std::sync::Arc;

use flumen_engine::{EngineError, ErrorKind, NewRecord, RawRecord, TopicFacts, TopicReader, TopicToMake, Topics};
use flumen_runtime::driver::{self, Record};
use parking_lot::Mutex;

/// All topics of a world.
#[derive(Default)]
pub(crate) struct MemoryTopics(Mutex<State>);

#[derive(Default)]
struct State {
    facts: BTreeMap<String, TopicFacts>,
    records: driver::MemoryTopics,
    /// Topic and offset of each record written by a statement or a query, in order.
    written: Vec<(String, i64)>,
    /// Headers of the records that statements write.
    headers: Vec<u8>,
}

impl MemoryTopics {
    /// Appends a record that is given, not written by a query.
    pub(crate) fn give(&self, topic: &str, record: Record) -> i64 {
        driver::Topics::append(&mut self.0.lock().records, topic, record)
    }

    /// Sets the headers, encoded, of the records that statements write from now on.
    pub(crate) fn set_headers(&self, headers: Vec<u8>) {
        self.0.lock().headers = headers;
    }

    /// Gives the records of all topics to a query and takes what it writes.
    pub(crate) fn with<T>(&self, run: impl FnOnce(&mut dyn driver::Topics) -> T) -> T {
        let mut state = self.0.lock();
        run(&mut Recorder(&mut state))
    }

    /// Topic and offset of each record written, in order.
    pub(crate) fn written_at(&self) -> Vec<(Arc<str>, i64)> {
        self.0.lock().written.iter().map(|(topic, offset)| (topic.as_str().into(), *offset)).collect()
    }

    /// All records written, in order.
    pub(crate) fn written(&self) -> Vec<(String, Record)> {
        let state = self.0.lock();
        let record = |(topic, offset): &(String, i64)| Some((topic.clone(), driver::Topics::read(&state.records, topic, *offset)?));
        state.written.iter().filter_map(record).collect()
    }
}

struct Recorder<'a>(&'a mut State);

impl driver::Topics for Recorder<'_> {
    fn read(&self, topic: &str, offset: i64) -> Option<Record> {
        self.0.records.read(topic, offset)
    }

    fn end(&self, topic: &str) -> i64 {
        self.0.records.end(topic)
    }

    fn append(&mut self, topic: &str, record: Record) -> i64 {
        let offset = self.0.records.append(topic, record);
        self.0.written.push((topic.to_string(), offset));
        offset
    }
}

impl Topics for MemoryTopics {
    fn describe(&self, topic: &str) -> Result<Option<TopicFacts>, EngineError> {
        Ok(self.0.lock().facts.get(topic).cloned())
    }

    fn list(&self) -> Result<Vec<TopicFacts>, EngineError> {
        Ok(self.0.lock().facts.values().cloned().collect())
    }

    fn create(&self, topic: &TopicToMake) -> Result<(), EngineError> {
        let retention_ms = topic.configs.get("retention.ms").and_then(|v| v.parse().ok()).filter(|ms| *ms >= 0);
        let replicas = topic.replicas.max(1);
        let facts = TopicFacts { name: topic.name.clone(), partitions: topic.partitions, replicas, retention_ms };
        self.0.lock().facts.entry(topic.name.clone()).or_insert(facts);
        Ok(())
    }

    fn delete(&self, topic: &str) -> Result<(), EngineError> {
        let mut state = self.0.lock();
        state.facts.remove(topic);
        state.records.0.remove(topic);
        Ok(())
    }

    fn produce(&self, topic: &str, _partition: i32, record: &NewRecord<'_>) -> Result<(), EngineError> {
        let mut state = self.0.lock();
        let record = Record {
            key: record.key.map(<[u8]>::to_vec),
            value: record.value.map(<[u8]>::to_vec),
            timestamp: record.timestamp,
            headers: state.headers.clone(),
        };
        driver::Topics::append(&mut Recorder(&mut state), topic, record);
        Ok(())
    }

    fn ends(&self, topic: &str) -> Result<Vec<(i64, i64)>, EngineError> {
        let state = self.0.lock();
        let partitions = state.facts.get(topic).map_or(0, |f| f.partitions);
        let end = driver::Topics::end(&state.records, topic);
        Ok((0..partitions).map(|p| (0, if p == 0 { end } else { 0 })).collect())
    }

    fn read(&self, topic: &str, from_beginning: bool) -> Result<Box<dyn TopicReader>, EngineError> {
        let state = self.0.lock();
        let all = if from_beginning { state.records.records(topic) } else { &[] };
        let record = |(offset, r): (usize, &Record)| RawRecord {
            partition: 0,
            offset: offset as i64,
            timestamp: r.timestamp,
            key: r.key.clone(),
            value: r.value.clone(),
        };
        Ok(Box::new(Once(all.iter().enumerate().map(record).collect())))
    }

    fn check(&self) -> Result<(), EngineError> {
        Ok(())
    }

    fn cluster_id(&self) -> Result<String, EngineError> {
        Err(EngineError::new(ErrorKind::Unavailable, "there is no Kafka cluster in memory"))
    }
}

struct Once(Vec<RawRecord>);

impl TopicReader for Once {
    fn read(&mut self) -> Result<Vec<RawRecord>, EngineError> {
        Ok(std::mem::take(&mut self.0))
    }
}
