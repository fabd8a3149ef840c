//! A broker killed again and again under load: what was acknowledged is there, once.

use crate::{
    client::*,
    transactions::{Txn, committed_offset},
};
use flumen_broker::{Broker, BrokerConfig};
use flumen_wire::{BatchWriter, Compression, batch::Producer};
use kafka_protocol::messages::*;
use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// The variable that makes [`broker_process`] a broker in the folder it names.
pub fn broker_dir_variable() -> &'static str {
    DIR
}

const DIR: &str = "FLUMEN_TEST_BROKER_DIR";
const KILLS: u64 = 30;
const KEYS: usize = 10;
const DEADLINE: Duration = Duration::from_secs(120);

/// The other process: this test again, told by the environment to be a broker until it is killed.
#[test]
fn broker_process() {
    let Ok(dir) = std::env::var(DIR) else { return };
    let mut config = BrokerConfig::new(dir);
    config.log.compaction_interval = Duration::from_millis(20);
    let broker = Broker::start_in_thread(config).unwrap();
    println!("address {}", broker.address());
    std::thread::sleep(DEADLINE);
}

struct Process {
    child: Child,
    address: SocketAddr,
}

impl Process {
    fn start(dir: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["crash::broker_process", "--exact", "--nocapture"])
            .env(DIR, dir)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // The test harness may have written the beginning of the line.
        let address = lines.map_while(Result::ok).find_map(|l| l.split_once("address ").and_then(|(_, a)| a.trim().parse().ok()));
        Self { address: address.expect("the broker process did not start"), child }
    }
}

impl Process {
    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Where the broker is now, and whether the load is to end.
struct Place {
    address: Mutex<SocketAddr>,
    done: AtomicBool,
    begun: Instant,
}

impl Place {
    fn client(&self) -> Option<Client> {
        assert!(self.begun.elapsed() < DEADLINE, "the broker cannot be reached");
        let address = *self.address.lock().unwrap();
        let client = Client::connect(address).ok();
        if client.is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        client
    }

    fn done(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }
}

/// Sends numbers in order, repeating what was not acknowledged. Gives how many were acknowledged.
fn idempotent_load(place: &Place) -> i64 {
    let init = InitProducerIdRequest::default().with_transactional_id(None).with_producer_id((-1).into()).with_producer_epoch(-1);
    let (mut client, given) = loop {
        if let Some(mut client) = place.client()
            && let Ok(given) = client.try_call(4, &init)
        {
            assert_eq!(given.error_code, 0);
            break (client, given);
        }
    };
    let mut acknowledged = 0i64;
    while !place.done() {
        let numbers: Vec<String> = (acknowledged..acknowledged + 3).map(|n| n.to_string()).collect();
        let values: Vec<&str> = numbers.iter().map(String::as_str).collect();
        let by = Producer { id: given.producer_id.0, epoch: 0, sequence: acknowledged as i32, transactional: false };
        match client.try_produce("idempotent", 0, batch_by(&values, 1, by), None) {
            Ok(response) => {
                assert_eq!((response.error_code, response.base_offset), (0, acknowledged));
                acknowledged += 3;
            }
            Err(_) => {
                if let Some(again) = place.client() {
                    client = again;
                }
            }
        }
    }
    acknowledged
}

/// Writes each number to two partitions and commits the next one as offset, all in one transaction; every fifth is aborted first.
fn transactional_load(place: &Place) -> i64 {
    let mut acknowledged = 0;
    let mut round = 0;
    while !place.done() {
        let Some(client) = place.client() else { continue };
        let _ = transactions_until_lost(place, client, &mut acknowledged, &mut round);
    }
    acknowledged
}

fn transactions_until_lost(place: &Place, client: Client, acknowledged: &mut i64, round: &mut u64) -> std::io::Result<()> {
    let mut txn = Txn::init(client, "tx", 60_000, 2)?;
    let mut next = committed_offset(&mut txn.client, "source")?.max(0);
    assert!(next >= *acknowledged, "the acknowledged transaction {acknowledged} is lost, {next} is next");
    while !place.done() {
        *round += 1;
        let number = next.to_string();
        let abort = round.is_multiple_of(5);
        let value = if abort { "aborted" } else { &number };
        assert_eq!(txn.send("out", 0, value)?, 0);
        assert_eq!(txn.send("out", 1, value)?, 0);
        assert_eq!(txn.offset("source", if abort { 1_000_000_000 } else { next + 1 })?, 0);
        assert_eq!(txn.end(!abort)?, 0);
        if !abort {
            next += 1;
            *acknowledged = next;
        }
    }
    Ok(())
}

/// Writes ever greater numbers under a few keys to a compacted topic. Gives the last acknowledged one of each key.
fn compacted_load(place: &Place) -> Vec<i64> {
    let mut acknowledged = vec![-1; KEYS];
    let mut number = 0;
    while !place.done() {
        let Some(mut client) = place.client() else { continue };
        while !place.done() {
            let key = number as usize % KEYS;
            let mut writer = BatchWriter::default();
            writer.push(1000, Some(format!("k{key}").as_bytes()), Some(number.to_string().as_bytes()), &[]).unwrap();
            let batch = writer.finish(Compression::Lz4, Producer::PLAIN).unwrap();
            let Ok(response) = client.try_produce("compacted", 0, batch, None) else { break };
            assert_eq!(response.error_code, 0);
            acknowledged[key] = number;
            number += 1;
        }
    }
    acknowledged
}

/// What was acknowledged last under each key is the last there, and little else is there.
fn check_compacted(client: &mut Client, acknowledged: &[i64]) {
    let records = client.read_all("compacted", 0, true);
    assert!(records.is_sorted_by(|a, b| a.0 < b.0), "offsets out of order");
    let written: i64 = acknowledged.iter().max().unwrap() + 1;
    assert!((records.len() as i64) < written / 2, "{} of {written} records left: nothing was compacted", records.len());
    let mut last = [-1; KEYS];
    for (_, value) in &records {
        let number: i64 = value.parse().unwrap();
        let key = number as usize % KEYS;
        assert!(number >= last[key], "{number} after {}", last[key]);
        last[key] = number;
    }
    for (key, (last, acknowledged)) in last.iter().zip(acknowledged).enumerate() {
        assert!(last >= acknowledged, "key {key}: {acknowledged} was acknowledged, {last} is there");
    }
}

#[test]
fn nothing_acknowledged_is_lost_or_doubled_by_kill_9() {
    let dir = tempfile::tempdir().unwrap();
    let mut process = Process::start(dir.path());
    let mut client = Client::connect(process.address).unwrap();
    for (name, partitions) in [("idempotent", 1), ("out", 2), ("source", 1)] {
        // Small segments, so that they roll between the kills.
        assert_eq!(client.create(name, partitions, &[("segment.ms", "30")]), 0);
    }
    let compacting = [("cleanup.policy", "compact"), ("segment.ms", "30"), ("min.cleanable.dirty.ratio", "0.01")];
    assert_eq!(client.create("compacted", 1, &compacting), 0);
    let place = Place { address: Mutex::new(process.address), done: AtomicBool::new(false), begun: Instant::now() };
    let (sent, committed, latest) = std::thread::scope(|scope| {
        let plain = scope.spawn(|| idempotent_load(&place));
        let transactional = scope.spawn(|| transactional_load(&place));
        let compacted = scope.spawn(|| compacted_load(&place));
        for kill in 0..KILLS {
            std::thread::sleep(Duration::from_millis(40 + kill * 37 % 160));
            process.kill();
            process = Process::start(dir.path());
            *place.address.lock().unwrap() = process.address;
        }
        std::thread::sleep(Duration::from_millis(200));
        place.done.store(true, Ordering::Relaxed);
        (plain.join().unwrap(), transactional.join().unwrap(), compacted.join().unwrap())
    });
    assert!(sent > 100 && committed > 10, "too little load: {sent} records, {committed} transactions");

    let mut client = Client::connect(process.address).unwrap();
    // The last attempts may have counted without an acknowledgement. Whatever is open is aborted by a new producer.
    Txn::init(Client::connect(process.address).unwrap(), "tx", 60_000, 2).unwrap();
    let numbers = |records: Vec<(i64, String)>| records.into_iter().map(|(_, v)| v.parse().unwrap()).collect::<Vec<i64>>();
    let seen = numbers(client.read_all("idempotent", 0, false));
    assert!(seen.len() as i64 >= sent && seen.len() as i64 <= sent + 3, "{} records, {sent} acknowledged", seen.len());
    assert_eq!(seen, (0..seen.len() as i64).collect::<Vec<_>>());

    check_compacted(&mut client, &latest);

    let offset = committed_offset(&mut client, "source").unwrap();
    assert!(offset == committed || offset == committed + 1, "offset {offset}, {committed} acknowledged");
    for partition in 0..2 {
        assert_eq!(numbers(client.read_all("out", partition, true)), (0..offset).collect::<Vec<_>>(), "partition {partition}");
    }
}
