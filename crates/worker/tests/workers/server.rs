//! A server without SQL over HTTP: a catalog, leases and workers on a broker, enough to run statements as queries.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use flumen_catalog::{Catalog, Change};
use flumen_config::{Guarantee, ServerConfig};
use flumen_kafka::{
    Admin, ClientSettings, ConsumerOptions, LeaseConsumer, LeaseEvent, LeaseOptions, NewTopic, OffsetSpec, Producer, ProducerOptions,
    Start, Tail, TailReader,
};
use flumen_plan::{QueryId, QueryPlan, TaskId, names};
use flumen_planner::{PlanContext, TopicInfo, plan_statement, topics_needed};
use flumen_telemetry::Metrics;
use flumen_wire::RecordColumns;
use flumen_worker::{WorkerSettings, Workers};
use parking_lot::Mutex;

pub const WAIT: Duration = Duration::from_secs(60);
const SLOTS: i32 = 4;
const SERVICE: &str = "t_";

/// What outlives a restart: the catalog, and the queries in the order they were made.
pub struct World {
    pub client: ClientSettings,
    pub admin: Arc<Admin>,
    pub catalog: Catalog,
    pub queries: Vec<(QueryId, Arc<QueryPlan>)>,
    offset: i64,
    properties: BTreeMap<String, String>,
}

impl World {
    pub fn new(client: &ClientSettings) -> World {
        let admin = Arc::new(Admin::new(client).unwrap());
        let compact = vec![("cleanup.policy".to_string(), "compact".to_string())];
        for name in [names::lease_topic(SERVICE), names::positions_topic(SERVICE)] {
            let topic = NewTopic { name, partitions: SLOTS, replication: 1, configs: compact.clone() };
            admin.create_topic(&topic, WAIT).unwrap();
        }
        let properties = BTreeMap::from([("ksql.streams.auto.offset.reset".to_string(), "earliest".to_string())]);
        World { client: client.clone(), admin, catalog: Catalog::new(), queries: Vec::new(), offset: 0, properties }
    }

    pub fn topic(&self, name: &str, partitions: i32) {
        // The records of tests are old: no cleaner is to take them for that.
        let configs = vec![("retention.ms".to_string(), "-1".to_string())];
        let topic = NewTopic { name: name.to_string(), partitions, replication: 1, configs };
        self.admin.create_topic(&topic, WAIT).unwrap();
        eventually("the topic", || self.admin.describe_topic(name, WAIT).unwrap());
    }

    /// Plans and applies statements; gives back the last one's query.
    pub fn run(&mut self, sql: &str) -> Option<(QueryId, Arc<QueryPlan>)> {
        let mut last = None;
        for one in flumen_parser::split(sql).unwrap() {
            let planned = self.plan(&one.text);
            for topic in &planned.topics_to_create {
                self.topic(&topic.name, topic.partitions);
            }
            let Some(command) = planned.command(&one.text) else { continue };
            self.offset += 1;
            let (catalog, changes) = self.catalog.apply(self.offset, &command).unwrap();
            self.catalog = catalog;
            last = changes.into_iter().find_map(|c| match c {
                Change::QueryStarted(query) => Some((query.id.clone(), query.plan.clone())),
                _ => None,
            });
            self.queries.extend(last.clone());
        }
        last
    }

    /// The plan of a push query.
    pub fn push_plan(&self, sql: &str) -> Arc<QueryPlan> {
        Arc::new(self.plan(sql).query.expect("a query"))
    }

    fn plan(&self, text: &str) -> flumen_planner::Planned {
        let registry = flumen_functions::builtins();
        let parsed = flumen_parser::parse_statement(text).unwrap();
        let mut context = PlanContext { overrides: self.properties.clone(), ..PlanContext::default() };
        for name in topics_needed(&parsed.statement, &self.catalog, &context) {
            if let Some(info) = self.admin.describe_topic(&name, WAIT).unwrap() {
                context.topics.insert(name, TopicInfo { partitions: info.partitions, replicas: 1, retention_ms: None });
            }
        }
        plan_statement(&parsed.statement, &parsed.text, &self.catalog, &registry, &context).unwrap()
    }

    pub fn send(&self, topic: &str, partition: i32, records: &[(&str, &str, i64)]) {
        let mut columns = RecordColumns::new();
        for (key, value, time) in records {
            columns.push(Some(key.as_bytes()), Some(value.as_bytes()), *time, &[]).unwrap();
        }
        let mut producer = Producer::new(&self.client, &ProducerOptions::idempotent()).unwrap();
        producer.produce_columns(topic, partition, &columns).unwrap();
        producer.await_deliveries(Instant::now() + WAIT).unwrap();
    }

    /// The committed records of a topic as key and value, partition by partition.
    pub fn read(&self, topic: &str) -> Vec<(String, String)> {
        let partitions = self.admin.describe_topic(topic, WAIT).unwrap().map_or(0, |t| t.partitions);
        let mut out = Vec::new();
        for partition in 0..partitions {
            let until = self.admin.offsets(&[(topic, partition, OffsetSpec::Latest)], WAIT).unwrap()[0];
            let tail = Tail { topic: topic.into(), partition, from: Start::Earliest, until };
            let mut reader = TailReader::open(&self.client, &ConsumerOptions::default(), &[tail]).unwrap();
            let deadline = Instant::now() + WAIT;
            while !reader.done() {
                assert!(Instant::now() < deadline, "{topic} does not end");
                for chunk in reader.read(Duration::from_millis(200)).unwrap() {
                    let text = |field: Option<&[u8]>| String::from_utf8_lossy(field.unwrap_or_default()).into_owned();
                    out.extend((0..chunk.len()).map(|row| (text(chunk.key(row)), text(chunk.value(row)))));
                }
            }
        }
        out
    }

    pub fn has_topic(&self, part: &str) -> bool {
        self.admin.list_topics(WAIT).unwrap().iter().any(|t| t.name.contains(part))
    }
}

/// The part that a crash ends.
pub struct Server {
    pub workers: Arc<Workers>,
    pub metrics: Metrics,
    stop: Arc<AtomicBool>,
    leases: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts the world's queries, with state below `dir`.
    pub fn start(world: &World, dir: &Path, guarantee: Guarantee, set: &[(&str, &str)]) -> Server {
        let pairs = set.iter().map(|(k, v)| (k.to_string(), v.to_string()));
        let fixed = [("ksql.internal.topic.replicas", "1"), ("ksql.query.retry.backoff.initial.ms", "300")];
        let config = ServerConfig::from_pairs(fixed.map(|(k, v)| (k.to_string(), v.to_string())).into_iter().chain(pairs)).unwrap();
        let options = LeaseOptions::new(names::lease_group(SERVICE), names::lease_topic(SERVICE), "node");
        let mut leases = LeaseConsumer::join(&world.client, &options).unwrap();
        let fence = leases.fence();
        let mut held = BTreeSet::new();
        eventually("the leases", || {
            if let Some(LeaseEvent::Assigned(slots)) = leases.poll(Duration::from_millis(100)).unwrap() {
                held.extend(slots);
            }
            (held.len() == SLOTS as usize).then_some(())
        });
        let stop = Arc::new(AtomicBool::new(false));
        let ended = stop.clone();
        let told: Arc<Mutex<Weak<Workers>>> = Arc::default();
        let running = told.clone();
        let leases = std::thread::spawn(move || {
            while !ended.load(Ordering::Acquire) {
                if let Ok(Some(LeaseEvent::Revoked(slots) | LeaseEvent::Lost(slots))) = leases.poll(Duration::from_millis(50)) {
                    let workers = running.lock().upgrade();
                    workers.iter().for_each(|w| w.leases_gone(&slots));
                    leases.release().unwrap();
                }
            }
        });
        let settings = WorkerSettings {
            service_id: SERVICE.to_string(),
            client: world.client.clone(),
            instance_id: "node".to_string(),
            threads: 2,
            guarantee,
            commit_interval: Duration::from_millis(100),
            push_stall: Duration::from_secs(3),
            slots: SLOTS,
            config,
        };
        let budget = flumen_state::Budget { block_cache: 8 << 20, write_buffers: 8 << 20 };
        let backend = flumen_state::open_rocksdb(dir, &budget).unwrap();
        let metrics = Metrics::new();
        let registry = Arc::new(flumen_functions::builtins());
        let slot = |task: &TaskId, slots: i32| flumen_wire::partition_for(task.to_string().as_bytes(), slots);
        let workers = Workers::start(settings, world.admin.clone(), fence, slot, backend, registry, metrics.clone()).unwrap();
        let workers = Arc::new(workers);
        *told.lock() = Arc::downgrade(&workers);
        for (id, plan) in &world.queries {
            workers.start_query(id, plan, false);
        }
        Server { workers, metrics, stop, leases: Some(leases) }
    }

    /// Ends as a crash would.
    pub fn crash(self) {
        self.workers.abandon();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.workers.close();
        self.stop.store(true, Ordering::Release);
        if let Some(leases) = self.leases.take() {
            let _ = leases.join();
        }
    }
}

/// Calls `probe` until it gives something.
pub fn eventually<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + WAIT;
    loop {
        if let Some(found) = probe() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what} did not come");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Waits until a topic has so many committed records, and gives them.
pub fn records(world: &World, topic: &str, count: usize) -> Vec<(String, String)> {
    eventually(&format!("{count} records of {topic}"), || {
        let read = world.read(topic);
        (read.len() >= count).then_some(read)
    })
}
