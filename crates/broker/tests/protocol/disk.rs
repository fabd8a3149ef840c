//! A disk that is full: clients are told to try again, and it goes on when there is room.

use crate::{client::*, crash::broker_dir_variable};
use kafka_protocol::{ResponseError, messages::*};
use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

/// Largest file at first, in blocks of 1024 bytes.
const BLOCKS: &str = "96";

#[test]
fn a_full_disk_is_told_and_survived() {
    let dir = tempfile::tempdir().unwrap();
    // A limit on the size of files fails the same calls as a disk without room. The signal has to be ignored, or it would end the process.
    let script = format!("trap '' XFSZ; ulimit -S -f {BLOCKS}; exec \"$0\" crash::broker_process --exact --nocapture");
    let mut broker = Command::new("bash")
        .args(["-c", &script])
        .arg(std::env::current_exe().unwrap())
        .env(broker_dir_variable(), dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(broker.stdout.take().unwrap()).lines();
    let address = lines.map_while(Result::ok).find_map(|l| l.split_once("address ").and_then(|(_, a)| a.trim().parse().ok())).unwrap();
    let mut client = Client::connect(address).unwrap();
    assert_eq!(client.create("t", 2, &[]), 0);
    let large = "x".repeat(4000);
    let mut acknowledged = 0;
    let refused = loop {
        let response = client.produce("t", 0, batch(&[&large]));
        if response.error_code != 0 {
            break response.error_code;
        }
        assert_eq!(response.base_offset, acknowledged);
        acknowledged += 1;
        assert!(acknowledged < 100, "the limit has no effect");
    };
    assert_eq!(refused, ResponseError::KafkaStorageError.code());
    assert!(ResponseError::KafkaStorageError.is_retriable() && acknowledged > 10);
    assert_eq!(client.produce("t", 0, batch(&[&large])).error_code, refused, "again");
    // What is there can be read, and other partitions can be written.
    assert_eq!(client.read_all("t", 0, false).len() as i64, acknowledged);
    assert_eq!(client.produce("t", 1, batch(&["small"])).error_code, 0);
    let raised = Command::new("prlimit").args(["--pid", &broker.id().to_string(), "--fsize=unlimited"]).status().unwrap();
    assert!(raised.success());
    let after = client.produce("t", 0, batch(&[&large]));
    assert_eq!((after.error_code, after.base_offset), (0, acknowledged));
    broker.kill().unwrap();
    broker.wait().unwrap();
    // Nothing of what was refused comes back.
    let again = flumen_broker::Broker::start_in_thread(flumen_broker::BrokerConfig::new(dir.path())).unwrap();
    let mut client = Client::connect(again.address()).unwrap();
    assert_eq!(client.read_all("t", 0, false).len() as i64, acknowledged + 1);
    let request = ListGroupsRequest::default();
    assert_eq!(client.call(4, &request).error_code, 0);
}
