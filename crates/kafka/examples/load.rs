//! Puts load on a broker and says how it did: a line of JSON. For `cargo xtask bench broker`.
//!
//! ```text
//! load ADDRESS throughput TOPIC PARTITIONS CODEC RECORDS BYTES     produced and consumed records per second
//! load ADDRESS latency TOPIC RECORDS                               from produce to consume: p50 and p99 in milliseconds
//! load ADDRESS transactions TOPIC SECONDS                          transactions per second, a record in each
//! load ADDRESS first TOPIC PARTITIONS                              reads the oldest record of each partition
//! ```

use std::time::{Duration, Instant};

use flumen_kafka::{Admin, ClientSettings, ConsumerOptions, DataConsumer, Fetched, NewTopic, Producer, ProducerOptions, Start};
use flumen_wire::BatchBuilder;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// How long one answer may take.
const CALL: Duration = Duration::from_secs(60);
/// How long all of a load may take.
const ALL: Duration = Duration::from_secs(600);
/// Records handed to the client at a time.
const BATCH: u64 = 10_000;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        [address, "throughput", topic, partitions, codec, records, bytes] => {
            let (partitions, records, bytes) = (partitions.parse()?, records.parse()?, bytes.parse()?);
            let produced = produce(address, topic, partitions, codec, records, bytes)?;
            let consumed = consume(address, topic, partitions, records)?;
            println!(r#"{{"produced_per_s":{produced:.0},"consumed_per_s":{consumed:.0}}}"#);
        }
        [address, "latency", topic, records] => {
            let (p50, p99) = latency(address, topic, records.parse()?)?;
            println!(r#"{{"p50_ms":{p50:.4},"p99_ms":{p99:.4}}}"#);
        }
        [address, "transactions", topic, seconds] => {
            let rate = transactions(address, topic, Duration::from_secs(seconds.parse()?))?;
            println!(r#"{{"transactions_per_s":{rate:.1}}}"#);
        }
        [address, "first", topic, partitions] => {
            first(address, topic, partitions.parse()?)?;
            println!("{{}}");
        }
        _ => return Err("see the head of the source for what can be asked".into()),
    }
    Ok(())
}

fn create(address: &str, topic: &str, partitions: i32) -> Outcome<()> {
    let admin = Admin::new(&ClientSettings::new(address))?;
    let configs = vec![("retention.ms".to_owned(), "-1".to_owned())];
    admin.create_topic(&NewTopic { name: topic.to_owned(), partitions, replication: 1, configs }, CALL)?;
    Ok(())
}

/// Sends records round the partitions until all are acknowledged by all replicas. The client's own waiting and batching.
fn produce(address: &str, topic: &str, partitions: i32, codec: &str, records: u64, bytes: usize) -> Outcome<f64> {
    create(address, topic, partitions)?;
    let settings = ClientSettings::new(address).with_property("linger.ms", "5").with_property("compression.type", codec);
    let mut producer = Producer::new(&settings, &ProducerOptions::idempotent())?;
    let mut batches: Vec<BatchBuilder> = (0..partitions).map(|p| BatchBuilder::new(topic.into(), p)).collect();
    let begun = Instant::now();
    let mut sent = 0;
    let mut value = vec![b'.'; bytes];
    while sent < records {
        let now = BATCH.min(records - sent);
        for i in sent..sent + now {
            // Text that differs from record to record, as far as records of one kind do.
            let number = format!("{{\"id\":{i},\"price\":{}}}", i * 7919 % 100_000);
            let shown = number.len().min(bytes);
            value[..shown].copy_from_slice(&number.as_bytes()[..shown]);
            batches[(i % partitions as u64) as usize].push(None, Some(&value), -1, &[])?;
        }
        for batch in &mut batches {
            producer.produce(batch)?;
            batch.clear();
        }
        sent += now;
    }
    producer.await_deliveries(Instant::now() + ALL)?;
    Ok(records as f64 / begun.elapsed().as_secs_f64())
}

/// Reads a topic from its beginning.
fn consume(address: &str, topic: &str, partitions: i32, records: u64) -> Outcome<f64> {
    let mut consumer = DataConsumer::new(&ClientSettings::new(address), &ConsumerOptions::default())?;
    let begun = Instant::now();
    consumer.add(&(0..partitions).map(|p| (topic, p, Start::Earliest)).collect::<Vec<_>>())?;
    let mut seen = 0;
    while seen < records {
        for fetched in consumer.fetch(BATCH as usize, Duration::from_secs(1))? {
            match fetched {
                Fetched::Chunk(chunk) => seen += chunk.len() as u64,
                Fetched::Eof { .. } => {}
                Fetched::Error { error, .. } => return Err(error.into()),
            }
        }
        if begun.elapsed() > ALL {
            return Err(format!("{seen} of {records} records were read").into());
        }
    }
    Ok(records as f64 / begun.elapsed().as_secs_f64())
}

/// Sends records one at a time to a reader that waits for them.
fn latency(address: &str, topic: &str, records: usize) -> Outcome<(f64, f64)> {
    create(address, topic, 1)?;
    let eager = ClientSettings::new(address).with_property("linger.ms", "0");
    let mut producer = Producer::new(&eager, &ProducerOptions::idempotent())?;
    let mut consumer = DataConsumer::new(&ClientSettings::new(address), &ConsumerOptions::default())?;
    consumer.add(&[(topic, 0, Start::Earliest)])?;
    let (mut taken, mut batch) = (Vec::with_capacity(records), BatchBuilder::new(topic.into(), 0));
    // The first tenth warms both sides up.
    for round in 0..records + records / 10 {
        batch.clear();
        batch.push(None, Some(&[b'x'; 100]), -1, &[])?;
        let begun = Instant::now();
        producer.produce(&batch)?;
        let mut seen = false;
        while !seen {
            for fetched in consumer.fetch(1, Duration::from_secs(1))? {
                match fetched {
                    Fetched::Chunk(chunk) => seen |= !chunk.is_empty(),
                    Fetched::Eof { .. } => {}
                    Fetched::Error { error, .. } => return Err(error.into()),
                }
            }
            if begun.elapsed() > CALL {
                return Err("a record did not come".into());
            }
        }
        if round >= records / 10 {
            taken.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
        producer.await_deliveries(Instant::now() + CALL)?;
    }
    taken.sort_by(f64::total_cmp);
    let at = |share: f64| taken.get(((taken.len() as f64 * share) as usize).min(taken.len() - 1)).copied().unwrap_or(f64::NAN);
    Ok((at(0.5), at(0.99)))
}

/// One transaction after the other, a record in each.
fn transactions(address: &str, topic: &str, time: Duration) -> Outcome<f64> {
    create(address, topic, 1)?;
    let eager = ClientSettings::new(address).with_property("linger.ms", "0");
    let mut producer = Producer::new(&eager, &ProducerOptions::transactional(format!("{topic}-writer")))?;
    producer.init_transactions(CALL)?;
    let mut batch = BatchBuilder::new(topic.into(), 0);
    batch.push(None, Some(&[b'x'; 100]), -1, &[])?;
    let mut one = || -> Outcome<()> {
        producer.begin()?;
        producer.produce(&batch)?;
        Ok(producer.commit(CALL)?)
    };
    one()?;
    let (begun, mut done) = (Instant::now(), 0u32);
    while begun.elapsed() < time {
        one()?;
        done += 1;
    }
    Ok(f64::from(done) / begun.elapsed().as_secs_f64())
}

fn first(address: &str, topic: &str, partitions: i32) -> Outcome<()> {
    let mut consumer = DataConsumer::new(&ClientSettings::new(address), &ConsumerOptions::default())?;
    consumer.add(&(0..partitions).map(|p| (topic, p, Start::Earliest)).collect::<Vec<_>>())?;
    let begun = Instant::now();
    let mut seen = std::collections::BTreeSet::new();
    while seen.len() < partitions as usize {
        for fetched in consumer.fetch(1, Duration::from_secs(1))? {
            match fetched {
                Fetched::Chunk(chunk) => {
                    seen.insert(chunk.partition());
                }
                Fetched::Eof { .. } => {}
                Fetched::Error { error, .. } => return Err(error.into()),
            }
        }
        if begun.elapsed() > CALL {
            return Err(format!("{} of {partitions} partitions answered", seen.len()).into());
        }
    }
    Ok(())
}
