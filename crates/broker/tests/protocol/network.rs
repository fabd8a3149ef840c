//! Frames, connections, starting and stopping.

use crate::client::*;
use flumen_broker::{Broker, BrokerConfig, BrokerError, BrokerHandle, Limits};
use kafka_protocol::{ResponseError, messages::*, protocol::Decodable};
use std::{
    io::{Read, Write},
    time::{Duration, Instant},
};

#[test]
fn a_version_too_new_is_answered_in_the_oldest_form() {
    let bench = Bench::start();
    let mut client = bench.client();
    client.send_frame(&[0, 18, 0, 99, 0, 0, 0, 42, 0, 1, b'x', 0, 1, 2, 3]).unwrap();
    let mut body = client.receive_frame().unwrap();
    let header = ResponseHeader::decode(&mut body, 0).unwrap();
    let response = ApiVersionsResponse::decode(&mut body, 0).unwrap();
    assert_eq!((header.correlation_id, response.error_code), (42, ResponseError::UnsupportedVersion.code()));
    assert!(response.api_keys.iter().any(|k| k.api_key == 18 && k.max_version >= 3));
    assert_eq!(client.call(3, &ApiVersionsRequest::default()).error_code, 0, "the connection goes on");
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let bench = Bench::start();
    let mut client = bench.client();
    client.create("t", 1, &[]);
    let mut sent = Vec::new();
    for i in 0..50 {
        sent.push(client.send(12, &fetch_request("t", 0, 0, false, i % 3)).unwrap());
    }
    let received: Vec<i32> = (0..50).map(|_| client.receive::<FetchRequest>(12).unwrap().0).collect();
    assert_eq!(received, sent);
}

#[test]
fn what_is_no_request_closes_only_its_connection() {
    let bench = Bench::start();
    let mut good = bench.client();
    good.create("t", 1, &[]);
    let frame = |body: &[u8]| [&(body.len() as i32).to_be_bytes(), body].concat();
    let claims_billions = frame(&[0, 3, 0, 1, 0, 0, 0, 1, 0, 1, b'x', 0x7f, 0xff, 0xff, 0xff]);
    let cases: [(&str, Vec<u8>); 8] = [
        ("text", b"GET / HTTP/1.1\r\n\r\n".to_vec()),
        ("a negative size", vec![0xff; 40]),
        ("a size too large", vec![0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 9]),
        ("a control request too large", vec![0x01, 0, 0, 0, 0, 3, 0, 9, 0, 0, 0, 0]),
        ("an unknown API", frame(&[0x0f, 0xff, 0, 0, 0, 0, 0, 1, 0, 0])),
        ("a version not served", frame(&[0, 3, 0, 99, 0, 0, 0, 1, 0, 0])),
        ("a cut body", frame(&[0, 3, 0, 9, 0, 0, 0, 1, 0, 1, b'x', 0, 9])),
        ("an array that claims billions", claims_billions),
    ];
    for (what, bytes) in cases {
        let mut bad = bench.client();
        bad.stream.write_all(&bytes).unwrap();
        let mut rest = Vec::new();
        // Closed, perhaps by a reset: in any case no answer.
        let _ = bad.stream.read_to_end(&mut rest);
        assert!(rest.is_empty(), "{what}");
        assert_eq!(good.fetch("t", 0, 0, false, 0).error_code, 0, "{what}");
    }
}

#[test]
fn connections_beyond_the_limit_are_closed() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = BrokerConfig::new(dir.path());
    config.limits.connections = 2;
    let broker = Broker::start_in_thread(config).unwrap();
    let mut kept: Vec<Client> = (0..2).map(|_| Client::connect(broker.address()).unwrap()).collect();
    for client in &mut kept {
        client.call(3, &ApiVersionsRequest::default());
    }
    let mut refused = Client::connect(broker.address()).unwrap();
    assert!(refused.try_call(3, &ApiVersionsRequest::default()).is_err());
    assert_eq!(kept[0].call(3, &ApiVersionsRequest::default()).error_code, 0);
}

#[test]
fn a_second_broker_on_the_same_directory_is_refused_with_the_pid() {
    let bench = Bench::start();
    match Broker::start_in_thread(BrokerConfig::new(bench.dir.path())) {
        Err(BrokerError::Locked { pid, .. }) => assert_eq!(pid, std::process::id().to_string()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_address_in_use_is_an_error() {
    let bench = Bench::start();
    let dir = tempfile::tempdir().unwrap();
    let mut config = BrokerConfig::new(dir.path());
    config.listen = bench.address();
    assert!(matches!(Broker::start_in_thread(config), Err(BrokerError::Listen { .. })));
}

#[test]
fn stopping_ends_waiting_fetches() {
    let mut bench = Bench::start();
    let mut client = bench.client();
    client.create("t", 1, &[]);
    client.send(12, &fetch_request("t", 0, 0, false, 50_000)).unwrap();
    bench.broker.take().unwrap().stop().unwrap();
    assert!(client.receive::<FetchRequest>(12).is_err());
}

#[tokio::test]
async fn a_broker_lives_in_any_runtime() {
    let dir = tempfile::tempdir().unwrap();
    let broker = Broker::start(BrokerConfig::new(dir.path())).await.unwrap();
    let address = broker.address();
    let made = tokio::task::spawn_blocking(move || Client::connect(address).unwrap().create("t", 1, &[])).await.unwrap();
    assert_eq!(made, 0);
    broker.stop().await.unwrap();
    let again = Broker::start(BrokerConfig::new(dir.path())).await.unwrap();
    drop(again);
}

fn start(limits: impl FnOnce(&mut Limits)) -> (tempfile::TempDir, BrokerHandle) {
    let dir = tempfile::tempdir().unwrap();
    let mut config = BrokerConfig::new(dir.path());
    limits(&mut config.limits);
    let broker = Broker::start_in_thread(config).unwrap();
    (dir, broker)
}

#[test]
fn who_stops_within_a_request_or_asks_nothing_is_cut_off() {
    let (_dir, broker) = start(|limits| (limits.stalled, limits.idle) = (Duration::from_millis(100), Duration::from_millis(300)));
    let mut half = Client::connect(broker.address()).unwrap();
    half.stream.write_all(&[0, 0, 0, 100, 0, 3]).unwrap();
    assert_eq!(half.stream.read(&mut [0; 10]).unwrap(), 0, "closed");
    let mut idle = Client::connect(broker.address()).unwrap();
    idle.call(4, &ApiVersionsRequest::default());
    assert_eq!(idle.stream.read(&mut [0; 10]).unwrap(), 0, "closed");
    broker.stop().unwrap();
}

#[test]
fn who_does_not_read_gets_no_more_memory_and_is_cut_off() {
    let (_dir, broker) = start(|limits| (limits.stalled, limits.inflight_fetch_bytes) = (Duration::from_millis(200), 4 << 20));
    let mut client = Client::connect(broker.address()).unwrap();
    client.create("t", 1, &[]);
    let large = "x".repeat(900_000);
    for _ in 0..8 {
        assert_eq!(client.produce("t", 0, batch(&[&large])).error_code, 0);
    }
    // Each of them asks for all there is and reads nothing: together far more than the budget.
    let mut deaf: Vec<Client> = (0..20).map(|_| Client::connect(broker.address()).unwrap()).collect();
    for client in &mut deaf {
        for _ in 0..20 {
            client.send(12, &fetch_request("t", 0, 0, false, 0)).unwrap();
        }
    }
    // The others may have to wait for the budget, but not longer than it takes to cut the deaf ones off.
    let data = client.fetch("t", 0, 7, false, 0);
    assert_eq!(data.records.unwrap().len(), batch(&[&large]).len());
    assert_eq!(client.produce("t", 0, batch(&["small"])).error_code, 0);
    let deadline = Instant::now() + Duration::from_secs(60);
    for client in &mut deaf {
        while client.send(12, &fetch_request("t", 0, 0, false, 0)).is_ok() {
            assert!(Instant::now() < deadline, "a client that reads nothing is served for ever");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    broker.stop().unwrap();
}

#[test]
fn producers_that_stop_within_a_request_hold_up_producers_only() {
    let (_dir, broker) = start(|limits| limits.inflight_request_bytes = 1 << 20);
    let mut other = Client::connect(broker.address()).unwrap();
    assert_eq!(other.create("t", 1, &[]), 0);
    // A produce request of 1 MiB, of which no more comes than what it is.
    let mut stopped: Vec<Client> = (0..3).map(|_| Client::connect(broker.address()).unwrap()).collect();
    for client in &mut stopped {
        client.stream.write_all(&[0, 16, 0, 0, 0, 0, 0, 9]).unwrap();
    }
    for _ in 0..50 {
        assert_eq!(other.fetch("t", 0, 0, false, 0).error_code, 0);
        std::thread::sleep(Duration::from_millis(1));
    }
    // With the connections their memory comes back.
    drop(stopped);
    assert_eq!(other.produce("t", 0, batch(&["v"])).error_code, 0);
    broker.stop().unwrap();
}
