//! Frames, connections, starting and stopping.

use crate::client::*;
use flumen_broker::{Broker, BrokerConfig, BrokerError};
use kafka_protocol::{ResponseError, messages::*, protocol::Decodable};
use std::io::{Read, Write};

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
