//! Servers killed under load, again and again: each record counts exactly once, in order, and every store can be rebuilt.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use flumen_kafka::{ClientSettings, ConsumerOptions, Producer, ProducerOptions, Start, Tail, TailReader};
use flumen_wire::{BatchBuilder, partition_for};
use serde_json::Value;

use crate::http::{LINES, ksql, query, until};
use crate::lost::Broker;
use crate::process::{PATIENCE, Server};

const PARTITIONS: i32 = 4;
const KEYS: usize = 16;
const KILLS: u64 = 10;

/// Writes 1, 2, 3, … to every key until told to stop; gives the last number of each key, all of them acknowledged.
fn feed(address: &str, stop: Arc<AtomicBool>) -> JoinHandle<u64> {
    let mut producer = Producer::new(&ClientSettings::new(address), &ProducerOptions::idempotent()).expect("a producer");
    std::thread::spawn(move || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as i64;
        let mut batches: Vec<BatchBuilder> = (0..PARTITIONS).map(|p| BatchBuilder::new("s".into(), p)).collect();
        let mut last = 0;
        while !stop.load(Ordering::Relaxed) {
            last += 1;
            for key in (0..KEYS).map(|k| format!("k{k:02}")) {
                let batch = &mut batches[partition_for(key.as_bytes(), PARTITIONS) as usize];
                batch.push(Some(key.as_bytes()), Some(format!("{{\"v\":{last}}}").as_bytes()), now, &[]).expect("room");
            }
            for batch in &mut batches {
                if !batch.columns().is_empty() {
                    producer.produce(batch).expect("room");
                    batch.clear();
                }
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        producer.await_deliveries(Instant::now() + PATIENCE).expect("every record acknowledged");
        last
    })
}

/// Follows the committed records of the two output topics and checks each against the one before it.
struct Audit {
    reader: TailReader,
    /// The number of changes of each key of the table, and the last value of each key of the stream.
    changes: BTreeMap<String, u64>,
    odd: BTreeMap<String, u64>,
}

impl Audit {
    fn new(address: &str) -> Audit {
        let tail = |topic: &str, partition| Tail { topic: topic.into(), partition, from: Start::Earliest, until: 0 };
        let tails: Vec<Tail> = (0..PARTITIONS).flat_map(|p| [tail("T", p), tail("ODD", p)]).collect();
        let reader = TailReader::open(&ClientSettings::new(address), &ConsumerOptions::default(), &tails).expect("a reader");
        Audit { reader, changes: BTreeMap::new(), odd: BTreeMap::new() }
    }

    fn read(&mut self) {
        for chunk in self.reader.read(Duration::from_millis(50)).expect("records") {
            for row in 0..chunk.columns().len() {
                let key = String::from_utf8(chunk.key(row).expect("a key").to_vec()).expect("text");
                let value: Value = serde_json::from_slice(chunk.value(row).expect("a value")).expect("JSON");
                let place = format!("{}-{} offset {}: {key} {value}", chunk.topic(), chunk.partition(), chunk.offset(row));
                if &**chunk.topic() == "T" {
                    let n = self.changes.entry(key).or_default();
                    *n += 1;
                    assert_eq!((value["N"].as_u64(), value["TOTAL"].as_u64()), (Some(*n), Some(*n * (*n + 1) / 2)), "{place}");
                } else {
                    let next = self.odd.get(&key).map_or(1, |last| last + 2);
                    assert_eq!(value["V"].as_u64(), Some(next), "{place}");
                    self.odd.insert(key, next);
                }
            }
        }
    }

    fn seen(&self) -> (u64, u64) {
        (self.changes.values().sum(), self.odd.values().sum())
    }

    /// Reads on until this holds.
    fn read_until(&mut self, what: &str, holds: impl Fn(&Audit) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds(self) {
            assert!(Instant::now() < deadline, "{what}: {:?} {:?}", self.changes, self.odd);
            self.read();
        }
    }
}

#[tokio::test]
async fn ten_kills_under_load_neither_lose_nor_double() {
    let data = tempfile::tempdir().expect("a folder");
    let address = TcpListener::bind("127.0.0.1:0").expect("a socket").local_addr().expect("its address").to_string();
    let _broker = Broker::start(&data.path().join("broker"), &address);
    let bootstrap = format!("bootstrap.servers={address}");
    let settings = [
        bootstrap.as_str(),
        "processing.guarantee=exactly_once_v2",
        "commit.interval.ms=100",
        "cache.max.bytes.buffering=0",
        "auto.offset.reset=earliest",
    ];
    let home = data.path().join("server");
    let mut server = Server::start(&home, &settings);
    let made = "CREATE STREAM s (id STRING KEY, v BIGINT) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 4);
                CREATE TABLE t AS SELECT id, COUNT(*) AS n, SUM(v) AS total FROM s GROUP BY id EMIT CHANGES;
                CREATE STREAM odd AS SELECT id, v FROM s WHERE v % 2 = 1 EMIT CHANGES;";
    let (status, answer) = ksql(&server.url, made).await;
    assert_eq!(status, 200, "{answer}");

    let stop = Arc::new(AtomicBool::new(false));
    let feeder = feed(&address, Arc::clone(&stop));
    let mut audit = Audit::new(&address);
    for round in 0..KILLS {
        let (changes, odd) = audit.seen();
        audit.read_until("both outputs go on", |audit| audit.seen().0 > changes && audit.seen().1 > odd);
        std::thread::sleep(Duration::from_millis(round * 37 % 130));
        // Dropped, it is killed; what it had committed unseen so far is read before the next one starts.
        drop(server);
        audit.read();
        server = Server::start(&home, &settings);
    }
    stop.store(true, Ordering::Relaxed);
    let last = feeder.join().expect("the feeder");
    let odd = last - (last + 1) % 2;
    audit.read_until("every record has its results", |audit| {
        audit.changes.len() == KEYS && audit.changes.values().all(|n| *n == last) && audit.odd.values().all(|v| *v == odd)
    });
    assert_eq!(audit.odd.len(), KEYS);

    let rows: Vec<String> = (0..KEYS).map(|k| format!("[\"k{k:02}\",{last},{}]", last * (last + 1) / 2)).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    until(&server.url, "SELECT * FROM t;", &rows).await;
    assert!(server.stop().success());
    std::fs::remove_dir_all(home.join("state")).expect("the stores");
    let server = Server::start(&home, &settings);
    until(&server.url, "SELECT * FROM t;", &rows).await;
    audit.read();
    assert_eq!(audit.changes.values().sum::<u64>(), last * KEYS as u64, "a rebuilt store writes nothing");
    assert!(server.stop().success());
}

/// Inserts numbers from `next` on until the server is gone; gives those acknowledged and the first one not tried. `count`
/// follows how many are acknowledged.
async fn insert(url: String, mut next: u64, count: Arc<AtomicUsize>) -> (Vec<u64>, u64) {
    let client = reqwest::Client::builder().timeout(PATIENCE).build().expect("a client");
    let mut acknowledged = Vec::new();
    loop {
        let body = serde_json::json!({"ksql": format!("INSERT INTO s (id, v) VALUES ('k{}', {next});", next % 3)});
        let answer = client.post(format!("{url}/ksql")).body(body.to_string()).send().await;
        next += 1;
        match answer {
            Ok(answer) if answer.status() == 200 => {
                acknowledged.push(next - 1);
                count.fetch_add(1, Ordering::Relaxed);
            }
            // Started a moment ago, it does not take statements yet.
            Ok(_) if acknowledged.is_empty() => tokio::time::sleep(Duration::from_millis(50)).await,
            // Killed meanwhile: this one may have been written or not.
            _ => return (acknowledged, next),
        }
    }
}

/// The numbers a pull query on a stream gives, in order; nothing if it is refused.
async fn numbers(url: &str, stream: &str) -> Vec<u64> {
    let text = query(url, LINES, &format!("SELECT v FROM {stream};")).await.1;
    let rows = text.lines().skip(1).filter_map(|line| serde_json::from_str::<[u64; 1]>(line).ok());
    let mut numbers: Vec<u64> = rows.map(|[v]| v).collect();
    numbers.sort_unstable();
    numbers
}

#[tokio::test]
async fn a_killed_server_with_its_own_broker_keeps_what_it_acknowledged() {
    let data = tempfile::tempdir().expect("a folder");
    let settings = ["processing.guarantee=exactly_once_v2", "commit.interval.ms=100", "auto.offset.reset=earliest"];
    let mut server = Server::start(data.path(), &settings);
    let made = "CREATE STREAM s (id STRING KEY, v BIGINT) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 4);
                CREATE TABLE t AS SELECT id, COUNT(*) AS n FROM s GROUP BY id EMIT CHANGES;
                CREATE STREAM kept AS SELECT id, v FROM s WHERE v > 0 EMIT CHANGES;";
    let (status, answer) = ksql(&server.url, made).await;
    assert_eq!(status, 200, "{answer}");
    let (mut acknowledged, mut next) = (Vec::new(), 1);
    for _ in 0..3 {
        let count = Arc::new(AtomicUsize::new(0));
        let inserting = tokio::spawn(insert(server.url.clone(), next, count.clone()));
        let deadline = Instant::now() + PATIENCE;
        while count.load(Ordering::Relaxed) < 50 {
            assert!(Instant::now() < deadline, "too little is acknowledged");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        drop(server);
        let (more, first) = inserting.await.expect("the inserts");
        acknowledged.extend(more);
        next = first;
        server = Server::start(data.path(), &settings);
    }
    let written = numbers(&server.url, "s").await;
    assert!(written.windows(2).all(|pair| pair[0] < pair[1]), "doubled: {written:?}");
    assert!(acknowledged.iter().all(|v| written.binary_search(v).is_ok()), "acknowledged {acknowledged:?}, written {written:?}");
    let deadline = Instant::now() + PATIENCE;
    loop {
        let kept = numbers(&server.url, "kept").await;
        if kept == written {
            break;
        }
        assert!(Instant::now() < deadline, "written {written:?}, kept {kept:?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let counts: Vec<String> = (0..3).map(|k| format!("[\"k{k}\",{}]", written.iter().filter(|v| *v % 3 == k).count())).collect();
    until(&server.url, "SELECT * FROM t;", &counts.iter().map(String::as_str).collect::<Vec<_>>()).await;
    assert!(server.stop().success());
}
