//! Produce, Fetch, ListOffsets, DeleteRecords.

use crate::client::*;
use flumen_wire::batch::Producer;
use kafka_protocol::{ResponseError, messages::*};

fn list_offset(client: &mut Client, name: &str, timestamp: i64) -> (i64, i64) {
    let partition = list_offsets_request::ListOffsetsPartition::default().with_timestamp(timestamp);
    let wanted = list_offsets_request::ListOffsetsTopic::default().with_name(topic(name)).with_partitions(vec![partition]);
    let response = client.call(7, &ListOffsetsRequest::default().with_topics(vec![wanted]));
    let found = &response.topics[0].partitions[0];
    assert_eq!(found.error_code, 0);
    (found.offset, found.timestamp)
}

#[test]
fn records_come_back_also_after_a_restart() {
    let mut bench = Bench::start();
    let mut client = bench.client();
    assert_eq!(client.create("t", 2, &[]), 0);
    assert_eq!(client.produce("t", 0, batch(&["a", "b"])).base_offset, 0);
    assert_eq!(client.produce("t", 0, batch(&["c"])).base_offset, 2);
    assert_eq!(client.produce("t", 1, batch(&["d"])).base_offset, 0);
    let expected = [(0, "a".to_string()), (1, "b".to_string()), (2, "c".to_string())];
    assert_eq!(client.read_all("t", 0, false), expected);
    bench.restart();
    let mut client = bench.client();
    assert_eq!(client.read_all("t", 0, true), expected);
    assert_eq!(client.produce("t", 0, batch(&["e"])).base_offset, 3);
}

#[test]
fn a_waiting_fetch_is_woken_by_new_records() {
    let bench = Bench::start();
    let mut client = bench.client();
    client.create("t", 1, &[]);
    client.send(12, &fetch_request("t", 0, 0, false, 50_000)).unwrap();
    bench.client().produce("t", 0, batch(&["a"]));
    let (_, response) = client.receive::<FetchRequest>(12).unwrap();
    let data = &response.responses[0].partitions[0];
    assert!(!data.records.as_ref().unwrap().is_empty());
    assert_eq!((data.high_watermark, data.last_stable_offset, data.log_start_offset), (1, 1, 0));
}

#[test]
fn bad_batches_are_refused_each_with_its_code() {
    let bench = Bench::start();
    let mut client = bench.client();
    client.create("t", 1, &[("max.message.bytes", "200")]);
    client.create("c", 1, &[("cleanup.policy", "compact")]);
    let mut damaged = batch(&["a"]);
    *damaged.last_mut().unwrap() ^= 1;
    let long = "x".repeat(300);
    let mut keyless = flumen_wire::BatchWriter::default();
    keyless.push(1, None, Some(b"v"), &[]).unwrap();
    let keyless = keyless.finish(flumen_wire::Compression::None, Producer::PLAIN).unwrap();
    for (name, partition, bytes, expected) in [
        ("t", 0, damaged, ResponseError::CorruptMessage),
        ("t", 0, batch(&[&long]), ResponseError::MessageTooLarge),
        ("t", 0, Vec::new(), ResponseError::CorruptMessage),
        ("c", 0, keyless, ResponseError::InvalidRecord),
        ("t", 7, batch(&["a"]), ResponseError::UnknownTopicOrPartition),
        ("none", 0, batch(&["a"]), ResponseError::UnknownTopicOrPartition),
    ] {
        let response = client.produce(name, partition, bytes);
        assert_eq!((response.error_code, response.base_offset), (expected.code(), -1), "{expected:?}");
    }
    assert!(client.read_all("t", 0, false).is_empty());
}

#[test]
fn an_idempotent_producer_can_repeat_itself_but_leave_no_gap() {
    let bench = Bench::start();
    let mut client = bench.client();
    client.create("t", 1, &[]);
    let given =
        client.call(4, &InitProducerIdRequest::default().with_transactional_id(None).with_producer_id((-1).into()).with_producer_epoch(-1));
    let send = |client: &mut Client, sequence, values: &[&str]| {
        let by = Producer { id: given.producer_id.0, epoch: given.producer_epoch, sequence, transactional: false };
        let response = client.produce("t", 0, batch_by(values, 1, by));
        (response.error_code, response.base_offset)
    };
    assert_eq!(send(&mut client, 0, &["a", "b"]), (0, 0));
    assert_eq!(send(&mut client, 2, &["c"]), (0, 2));
    assert_eq!(send(&mut client, 0, &["a", "b"]), (0, 0));
    assert_eq!(send(&mut client, 9, &["x"]), (ResponseError::OutOfOrderSequenceNumber.code(), -1));
    assert_eq!(client.read_all("t", 0, false).len(), 3);
}

#[test]
fn the_broker_stamps_records_where_the_topic_says_so() {
    let bench = Bench::start();
    let mut client = bench.client();
    client.create("t", 1, &[("message.timestamp.type", "LogAppendTime")]);
    let response = client.produce("t", 0, batch(&["a"]));
    assert!(response.log_append_time_ms > 1_600_000_000_000);
    assert_eq!(list_offset(&mut client, "t", 2000), (0, response.log_append_time_ms));
}

#[test]
fn offsets_are_listed_and_records_deleted() {
    let bench = Bench::start();
    let mut client = bench.client();
    client.create("t", 1, &[]);
    for i in 0..10i64 {
        client.produce("t", 0, batch_by(&["a", "b"], i * 1000, Producer::PLAIN));
    }
    assert_eq!(list_offset(&mut client, "t", -2), (0, -1));
    assert_eq!(list_offset(&mut client, "t", -1), (20, -1));
    assert_eq!(list_offset(&mut client, "t", -3), (18, 9000));
    assert_eq!(list_offset(&mut client, "t", 4500), (10, 5000));
    assert_eq!(list_offset(&mut client, "t", 9001), (-1, -1));
    let mut delete = |offset| {
        let partition = delete_records_request::DeleteRecordsPartition::default().with_offset(offset);
        let wanted = delete_records_request::DeleteRecordsTopic::default().with_name(topic("t")).with_partitions(vec![partition]);
        let response = client.call(2, &DeleteRecordsRequest::default().with_topics(vec![wanted]));
        let result = response.topics[0].partitions[0].clone();
        (result.error_code, result.low_watermark)
    };
    assert_eq!(delete(13), (0, 13));
    assert_eq!(delete(5), (0, 13), "the beginning never moves back");
    assert_eq!(delete(21), (ResponseError::OffsetOutOfRange.code(), -1));
    assert_eq!(client.fetch("t", 0, 12, false, 0).error_code, ResponseError::OffsetOutOfRange.code());
    assert_eq!(client.fetch("t", 0, 21, false, 0).error_code, ResponseError::OffsetOutOfRange.code());
    assert_eq!(list_offset(&mut client, "t", -2), (13, -1));
}

#[test]
fn a_fetch_session_is_never_opened() {
    let bench = Bench::start();
    let mut client = bench.client();
    client.create("t", 1, &[]);
    let opened = client.call(12, &fetch_request("t", 0, 0, false, 0).with_session_epoch(0));
    assert_eq!(opened.session_id, 0);
    let unknown = client.call(12, &fetch_request("t", 0, 0, false, 0).with_session_id(5).with_session_epoch(1));
    assert_eq!(unknown.error_code, ResponseError::FetchSessionIdNotFound.code());
}
