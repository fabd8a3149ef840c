//! Records through producer and consumer, outside of transactions.

use crate::support::{WAIT, consumer, count, ended, fetch_until, send, topic, values};
use flumen_kafka::{ClientSettings, Deliveries, ErrorKind, Fetched, Producer, ProducerOptions, Start};
use flumen_wire::{BatchBuilder, encode_headers};
use std::time::Instant;

pub fn records_come_back_as_they_were_sent(settings: &ClientSettings) {
    let name = topic(settings, "as-sent", 2);
    let mut producer = Producer::new(settings, &ProducerOptions::idempotent()).unwrap();
    let mut headers = Vec::new();
    encode_headers(&mut headers, [(&b"h"[..], Some(&b"1"[..])), (b"h", None), (b"e", Some(b""))].into_iter());
    let mut out = BatchBuilder::new(name.as_str().into(), 1);
    out.push(Some(b"k"), Some(b"v"), 5, &headers).unwrap();
    out.push(Some(b"gone"), None, 6, &[]).unwrap();
    out.push(None, Some(b""), 7, &[]).unwrap();
    out.push(Some(b""), Some(&[7; 10_000]), 8, &[]).unwrap();
    producer.produce(&out).unwrap();
    out.clear();
    producer.produce(&out).unwrap();
    producer.await_deliveries(Instant::now() + WAIT).unwrap();
    assert_eq!(producer.poll(), Deliveries { enqueued: 4, acked: 4, failed: 0 });

    let mut reader = consumer(settings, &[(&name, 0, Start::Earliest), (&name, 1, Start::Earliest)]);
    let all = fetch_until(&mut reader, |f| ended(f, 0, 0) && ended(f, 1, 4));
    let chunks: Vec<_> = all.iter().filter_map(|f| if let Fetched::Chunk(chunk) = f { Some(chunk) } else { None }).collect();
    let rows: Vec<_> = chunks.iter().flat_map(|c| (0..c.len()).map(|i| (*c, i))).collect();
    assert_eq!(
        rows.iter().map(|(c, i)| (c.topic().as_ref(), c.partition(), c.offset(*i), c.timestamp(*i))).collect::<Vec<_>>(),
        [(name.as_str(), 1, 0, 5), (name.as_str(), 1, 1, 6), (name.as_str(), 1, 2, 7), (name.as_str(), 1, 3, 8),]
    );
    let fields: Vec<_> = rows.iter().map(|(c, i)| (c.key(*i), c.value(*i).map(<[u8]>::len))).collect();
    assert_eq!(fields, [(Some(&b"k"[..]), Some(1)), (Some(b"gone"), None), (None, Some(0)), (Some(b""), Some(10_000))]);
    let (first, row) = rows.first().unwrap();
    assert_eq!(first.columns().raw_headers(*row), headers);
    assert_eq!(rows.get(1).map(|(c, i)| c.headers(*i).count()), Some(0));
}

pub fn partitions_come_and_go(settings: &ClientSettings) {
    let name = topic(settings, "come-and-go", 3);
    for partition in 0..3 {
        send(settings, &name, partition, &["a", "b"]);
    }
    let mut reader = consumer(settings, &[(&name, 0, Start::Earliest)]);
    assert_eq!(values(&fetch_until(&mut reader, |f| ended(f, 0, 2)), 0), ["a", "b"]);
    reader.add(&[(&name, 1, Start::At(1)), (&name, 2, Start::Latest)]).unwrap();
    let all = fetch_until(&mut reader, |f| ended(f, 1, 2) && ended(f, 2, 2));
    assert_eq!((values(&all, 0).len(), values(&all, 1), values(&all, 2).len()), (0, vec!["b".to_string()], 0));
    reader.remove(&[(&name, 0), (&name, 1)]).unwrap();
    for partition in 0..3 {
        send(settings, &name, partition, &["c"]);
    }
    let all = fetch_until(&mut reader, |f| ended(f, 2, 3));
    assert_eq!((count(&all), values(&all, 2)), (1, vec!["c".to_string()]));
}

pub fn a_seek_replays(settings: &ClientSettings) {
    let name = topic(settings, "replay", 1);
    send(settings, &name, 0, &["a", "b", "c"]);
    let mut reader = consumer(settings, &[(&name, 0, Start::Earliest)]);
    assert_eq!(count(&fetch_until(&mut reader, |f| ended(f, 0, 3))), 3);
    for start in [Start::At(1), Start::At(2), Start::At(1)] {
        reader.seek(&name, 0, start).unwrap();
        let wanted: &[&str] = if start == Start::At(1) { &["b", "c"] } else { &["c"] };
        assert_eq!(values(&fetch_until(&mut reader, |f| ended(f, 0, 3)), 0), wanted);
    }
}

pub fn an_offset_outside_the_log_is_an_error_of_its_partition(settings: &ClientSettings) {
    let name = topic(settings, "outside", 2);
    send(settings, &name, 0, &["a"]);
    send(settings, &name, 1, &["a"]);
    let mut reader = consumer(settings, &[(&name, 0, Start::At(100)), (&name, 1, Start::Earliest)]);
    let failed = |f: &Fetched| matches!(f, Fetched::Error { partition: 0, error, .. } if error.kind == ErrorKind::OffsetOutOfRange);
    let all = fetch_until(&mut reader, |f| f.iter().any(failed) && ended(f, 1, 1));
    assert_eq!((values(&all, 0).len(), values(&all, 1).len()), (0, 1));
}
