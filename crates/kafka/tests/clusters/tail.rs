//! Reading up to an end.

use crate::support::{WAIT, batch, chunk_values, send, topic, transactional};
use flumen_kafka::{Admin, ClientSettings, ConsumerOptions, OffsetSpec, Start, Tail, TailReader};
use std::time::{Duration, Instant};

fn tail(topic: &str, partition: i32, from: Start, until: i64) -> Tail {
    Tail { topic: topic.into(), partition, from, until }
}

/// Reads until done; the values in order of arrival.
fn read_to_end(reader: &mut TailReader) -> Vec<String> {
    let deadline = Instant::now() + WAIT;
    let mut out = Vec::new();
    while !reader.done() {
        assert!(Instant::now() < deadline, "the end was not reached; so far {out:?}");
        out.extend(reader.read(Duration::from_millis(200)).unwrap().iter().flat_map(chunk_values));
    }
    out
}

pub fn a_tail_ends_at_its_end_and_goes_on(settings: &ClientSettings) {
    let name = topic(settings, "tail", 3);
    send(settings, &name, 0, &["a", "b", "c"]);
    send(settings, &name, 1, &["d"]);
    let ask: Vec<_> = (0..3).map(|p| (name.as_str(), p, OffsetSpec::Latest)).collect();
    let ends = Admin::new(settings).unwrap().offsets(&ask, WAIT).unwrap();
    assert_eq!(ends, [3, 1, 0]);
    let tails = [tail(&name, 0, Start::At(1), 3), tail(&name, 1, Start::Earliest, 1), tail(&name, 2, Start::Earliest, 0)];
    let mut reader = TailReader::open(settings, &ConsumerOptions::default(), &tails).unwrap();
    assert!(!reader.done() && reader.reached(&name, 2));
    let mut values = read_to_end(&mut reader);
    values.sort();
    assert_eq!(values, ["b", "c", "d"]);
    assert!(reader.reached(&name, 0) && reader.reached(&name, 1));
    assert_eq!((reader.position(&name, 0), reader.position(&name, 1)), (Some(3), Some(1)));

    send(settings, &name, 2, &["late"]);
    let deadline = Instant::now() + WAIT;
    let mut late = Vec::new();
    while late.is_empty() {
        assert!(Instant::now() < deadline, "the reader did not go on");
        late.extend(reader.read(Duration::from_millis(200)).unwrap().iter().flat_map(chunk_values));
    }
    assert_eq!(late, ["late"]);
}

pub fn a_tail_waits_for_a_transaction_that_was_open(settings: &ClientSettings) {
    let name = topic(settings, "tail-open", 1);
    let mut producer = transactional(settings, "tail-open");
    producer.begin().unwrap();
    producer.produce(&batch(&name, 0, &["a", "b"])).unwrap();
    producer.await_deliveries(Instant::now() + WAIT).unwrap();
    // The high watermark counts the open transaction.
    let end = Admin::new(settings).unwrap().watermarks(&name, 0, WAIT).unwrap().1;
    assert_eq!(end, 2);
    let mut reader = TailReader::open(settings, &ConsumerOptions::default(), &[tail(&name, 0, Start::Earliest, end)]).unwrap();
    assert!(reader.read(Duration::from_millis(500)).unwrap().is_empty());
    assert!(!reader.done());
    producer.commit(WAIT).unwrap();
    assert_eq!(read_to_end(&mut reader), ["a", "b"]);
    assert_eq!(reader.position(&name, 0), Some(3));
}
