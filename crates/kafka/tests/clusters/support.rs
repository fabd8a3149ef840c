//! What the scenarios share: topics, senders, waiting with a deadline.

use flumen_kafka::{Admin, ClientSettings, ConsumerOptions, DataConsumer, Fetched, NewTopic, Producer, ProducerOptions, Start};
use flumen_wire::{BatchBuilder, RecordChunk};
use std::time::{Duration, Instant};

/// Enough for every call on a loaded machine.
pub const WAIT: Duration = Duration::from_secs(60);

/// Makes a topic and returns its name, made from the scenario's.
pub fn topic(settings: &ClientSettings, name: &str, partitions: i32) -> String {
    let name = format!("{name}-{}", std::process::id());
    // The records of the tests are dated 1970, which is past any retention.
    let configs = vec![("retention.ms".to_owned(), "-1".to_owned())];
    let new = NewTopic { name: name.clone(), partitions, replication: 1, configs };
    Admin::new(settings).unwrap().create_topic(&new, WAIT).unwrap();
    name
}

/// A batch of records without keys or headers.
pub fn batch(topic: &str, partition: i32, values: &[&str]) -> BatchBuilder {
    let mut batch = BatchBuilder::new(topic.into(), partition);
    for (i, value) in values.iter().enumerate() {
        batch.push(None, Some(value.as_bytes()), 1_000 + i64::try_from(i).unwrap(), &[]).unwrap();
    }
    batch
}

/// Sends values outside of transactions and waits until the broker has them.
pub fn send(settings: &ClientSettings, topic: &str, partition: i32, values: &[&str]) {
    let mut producer = Producer::new(settings, &ProducerOptions::idempotent()).unwrap();
    producer.produce(&batch(topic, partition, values)).unwrap();
    producer.await_deliveries(Instant::now() + WAIT).unwrap();
}

/// A producer of this transactional id, ready to begin.
pub fn transactional(settings: &ClientSettings, id: &str) -> Producer {
    let mut producer = Producer::new(settings, &ProducerOptions::transactional(format!("{id}-{}", std::process::id()))).unwrap();
    producer.init_transactions(WAIT).unwrap();
    producer
}

/// A consumer of these partitions.
pub fn consumer(settings: &ClientSettings, partitions: &[(&str, i32, Start)]) -> DataConsumer {
    let mut consumer = DataConsumer::new(settings, &ConsumerOptions::default()).unwrap();
    consumer.add(partitions).unwrap();
    consumer
}

/// Fetches until `enough`, and returns everything.
pub fn fetch_until(consumer: &mut DataConsumer, enough: impl Fn(&[Fetched]) -> bool) -> Vec<Fetched> {
    let deadline = Instant::now() + WAIT;
    let mut all = Vec::new();
    while !enough(&all) {
        assert!(Instant::now() < deadline, "not enough came: {all:?}");
        all.extend(consumer.fetch(1_000, Duration::from_millis(200)).unwrap());
    }
    all
}

/// How many records are in `fetched`.
pub fn count(fetched: &[Fetched]) -> usize {
    fetched.iter().map(|f| if let Fetched::Chunk(chunk) = f { chunk.len() } else { 0 }).sum()
}

/// Whether an end of this partition at `offset` or later is in `fetched`.
pub fn ended(fetched: &[Fetched], partition: i32, at: i64) -> bool {
    fetched.iter().any(|f| matches!(f, Fetched::Eof { partition: p, offset, .. } if *p == partition && *offset >= at))
}

/// The values of a partition, in order.
pub fn values(fetched: &[Fetched], partition: i32) -> Vec<String> {
    let chunks = fetched.iter().filter_map(|f| if let Fetched::Chunk(chunk) = f { Some(chunk) } else { None });
    chunks.filter(|chunk| chunk.partition() == partition).flat_map(chunk_values).collect()
}

/// The values of a chunk.
pub fn chunk_values(chunk: &RecordChunk) -> Vec<String> {
    (0..chunk.len()).map(|i| String::from_utf8_lossy(chunk.value(i).unwrap_or_default()).into_owned()).collect()
}

/// Calls `probe` until it gives something.
pub fn eventually<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + WAIT;
    loop {
        if let Some(found) = probe() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}
