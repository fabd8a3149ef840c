//! What a broker tells of itself.

use crate::{client::*, transactions::Txn};
use flumen_broker::{Broker, BrokerConfig, Statistics};
use kafka_protocol::messages::*;
use std::time::{Duration, Instant};

/// Waits until a reading passes a check.
fn until(bench: &Bench, right: impl Fn(&Statistics) -> bool) -> Statistics {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let read = bench.broker.as_ref().unwrap().monitor().read().unwrap();
        if right(&read) {
            return read;
        }
        assert!(Instant::now() < deadline, "{read:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn of(read: &Statistics, api: &str) -> (u64, u64) {
    read.apis.iter().find(|a| a.api == api).map_or((0, 0), |a| (a.requests, a.failed))
}

#[test]
fn requests_records_and_what_is_there_are_counted() {
    let bench = Bench::start();
    assert_eq!(until(&bench, |_| true), Statistics::default(), "nothing has happened");
    let mut client = bench.client();
    client.create("t", 3, &[]);
    let first = batch(&["a", "b"]);
    let more = batch(&["c"]);
    assert_eq!(client.produce("t", 0, first.clone()).error_code, 0);
    assert_eq!(client.produce("t", 1, more.clone()).error_code, 0);
    assert_ne!(client.produce("t", 9, more.clone()).error_code, 0, "no such partition");
    client.fetch("t", 0, 0, false, 0);
    client.fetch("t", 0, 0, false, 0);
    let bytes = (first.len() + more.len()) as u64;
    let read = until(&bench, |read| of(read, "Fetch").0 == 2);
    assert_eq!((of(&read, "Produce"), of(&read, "Fetch"), of(&read, "CreateTopics")), ((3, 1), (2, 0), (1, 0)));
    assert_eq!((read.appended_records, read.appended_bytes), (3, bytes));
    assert_eq!((read.fetched_records, read.fetched_bytes), (4, 2 * first.len() as u64));
    assert_eq!((read.topics, read.partitions, read.segments, read.log_bytes), (1, 3, 2, bytes));
    assert_eq!((read.connections, read.disk_errors, read.disk_refuses), (1, 0, false));
    assert!(read.request_bytes > bytes + 100 && read.response_bytes > read.fetched_bytes + 100, "{read:?}");
    // A batch that is sent again adds nothing.
    let by = flumen_wire::batch::Producer { id: 5, epoch: 0, sequence: 0, transactional: false };
    for _ in 0..2 {
        assert_eq!(client.produce("t", 2, batch_by(&["d"], 1, by)).error_code, 0);
    }
    assert_eq!(until(&bench, |read| of(read, "Produce").0 == 5).appended_records, 4);
    drop(client);
    until(&bench, |read| read.connections == 0);
}

#[test]
fn groups_and_transactions_are_counted_while_they_last() {
    let bench = Bench::start();
    bench.client().create("t", 1, &[]);
    let mut txn = Txn::init(bench.client(), "tx", 60_000, 1).unwrap();
    assert_eq!(txn.send("t", 0, "v").unwrap(), 0);
    until(&bench, |read| read.open_transactions == 1);
    assert_eq!(txn.end(true).unwrap(), 0);
    until(&bench, |read| read.open_transactions == 0);
    let mut client = bench.client();
    let protocol = join_group_request::JoinGroupRequestProtocol::default().with_name(text("range")).with_metadata(vec![1].into());
    let request = JoinGroupRequest::default().with_group_id(GroupId(text("g"))).with_session_timeout_ms(30_000);
    let request = request.with_protocol_type(text("consumer")).with_protocols(vec![protocol]);
    let joined = client.call(3, &request);
    assert_eq!(joined.error_code, 0);
    until(&bench, |read| (read.groups, read.group_members) == (1, 1));
    let leaving = LeaveGroupRequest::default().with_group_id(GroupId(text("g"))).with_member_id(joined.member_id);
    assert_eq!(client.call(1, &leaving).error_code, 0);
    until(&bench, |read| (read.groups, read.group_members) == (0, 0));
}

#[test]
fn compaction_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = BrokerConfig::new(dir.path());
    config.log.compaction_interval = Duration::from_millis(20);
    let broker = Some(Broker::start_in_thread(config).unwrap());
    let bench = Bench { dir, broker };
    let mut client = bench.client();
    assert_eq!(client.create("t", 1, &[("cleanup.policy", "compact"), ("segment.ms", "10"), ("min.cleanable.dirty.ratio", "0")]), 0);
    let deadline = Instant::now() + Duration::from_secs(60);
    let monitor = bench.broker.as_ref().unwrap().monitor();
    while monitor.read().unwrap().compactions == 0 {
        assert_eq!(client.produce("t", 0, batch(&["some value", "and another one"])).error_code, 0);
        assert!(Instant::now() < deadline, "{:?}", monitor.read());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(monitor.read().unwrap().compacted_bytes > 100);
}

#[test]
fn a_disk_that_refuses_is_told_until_it_takes_records_again() {
    let bench = Bench::start();
    let mut client = bench.client();
    client.create("t", 1, &[]);
    let wanted = metadata_request::MetadataRequestTopic::default().with_name(Some(topic("t")));
    let id = client.call(12, &MetadataRequest::default().with_topics(Some(vec![wanted]))).topics[0].topic_id;
    // A file where the topic's folder has to be: nothing can be written.
    let folder = bench.dir.path().join("logs").join(id.to_string());
    std::fs::write(&folder, "in the way").unwrap();
    let refused = client.produce("t", 0, batch(&["v"])).error_code;
    assert_eq!(refused, kafka_protocol::ResponseError::KafkaStorageError.code());
    let read = until(&bench, |read| of(read, "Produce") == (1, 1));
    assert_eq!((read.disk_refuses, read.disk_errors, read.appended_records), (true, 1, 0));
    std::fs::remove_file(&folder).unwrap();
    assert_eq!(client.produce("t", 0, batch(&["v"])).error_code, 0);
    let read = until(&bench, |read| of(read, "Produce") == (2, 1));
    assert_eq!((read.disk_refuses, read.disk_errors, read.appended_records), (false, 1, 1));
}

#[test]
fn a_monitor_of_a_broker_that_stopped_reads_nothing() {
    let mut bench = Bench::start();
    let broker = bench.broker.take().unwrap();
    let monitor = broker.monitor();
    assert!(monitor.read().is_some());
    broker.stop().unwrap();
    assert_eq!(monitor.read(), None);
}

#[test]
fn who_wants_no_answer_learns_of_an_error_by_the_end_of_the_connection() {
    let bench = Bench::start();
    let mut client = bench.client();
    client.create("t", 1, &[]);
    let send = |client: &mut Client, partition: i32| {
        let data = produce_request::PartitionProduceData::default().with_index(partition).with_records(Some(batch(&["v"]).into()));
        let data = produce_request::TopicProduceData::default().with_name(topic("t")).with_partition_data(vec![data]);
        client.send(9, &ProduceRequest::default().with_acks(0).with_topic_data(vec![data])).unwrap();
    };
    send(&mut client, 0);
    assert_eq!(client.call(4, &ApiVersionsRequest::default()).error_code, 0, "the connection goes on, and there was no answer");
    send(&mut client, 7);
    assert!(client.receive_frame().is_err());
    let read = until(&bench, |read| of(read, "Produce") == (2, 1));
    assert_eq!(read.appended_records, 1);
}
