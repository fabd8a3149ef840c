//! A disk that is full: clients are told to try again, and it goes on when there is room.

use crate::{client::*, crash::broker_dir_variable, transactions::Txn};
use flumen_broker::{Broker, BrokerConfig, Fsync};
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
    let again = Broker::start_in_thread(BrokerConfig::new(dir.path())).unwrap();
    let mut client = Client::connect(again.address()).unwrap();
    assert_eq!(client.read_all("t", 0, false).len() as i64, acknowledged + 1);
    let request = ListGroupsRequest::default();
    assert_eq!(client.call(4, &request).error_code, 0);
}

#[test]
fn clients_that_wait_for_the_disk_do_so_side_by_side() {
    const CLIENTS: i32 = 8;
    const BATCHES: i64 = 20;
    let dir = tempfile::tempdir().unwrap();
    let mut config = BrokerConfig::new(dir.path());
    config.log.fsync = Fsync::Always;
    let broker = Broker::start_in_thread(config).unwrap();
    let address = broker.address();
    assert_eq!(Client::connect(address).unwrap().create("t", CLIENTS, &[]), 0);
    let began = std::time::Instant::now();
    std::thread::scope(|threads| {
        for partition in 0..CLIENTS {
            threads.spawn(move || {
                let mut client = Client::connect(address).unwrap();
                for i in 0..BATCHES {
                    let done = client.produce("t", partition, batch(&[&i.to_string()]));
                    assert_eq!((done.error_code, done.base_offset), (0, i));
                }
            });
        }
    });
    println!("{} batches on the disk in {:?}", i64::from(CLIENTS) * BATCHES, began.elapsed());
    // A transaction takes the same way, and the next start finds everything.
    let mut txn = Txn::init(Client::connect(address).unwrap(), "tx", 60_000, CLIENTS as usize).unwrap();
    assert_eq!((txn.send("t", 0, "last").unwrap(), txn.offset("t", 5).unwrap(), txn.end(true).unwrap()), (0, 0, 0));
    broker.stop().unwrap();
    let again = Broker::start_in_thread(BrokerConfig::new(dir.path())).unwrap();
    let mut client = Client::connect(again.address()).unwrap();
    for partition in 0..CLIENTS {
        let read = client.read_all("t", partition, true).len() as i64;
        assert_eq!(read, BATCHES + i64::from(partition == 0));
    }
}
