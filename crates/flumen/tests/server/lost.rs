//! A broker that is not there at the start, and one that is lost later: the server says so, waits, and loses nothing.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::http::{ksql, until};
use crate::process::{PATIENCE, Server};

/// `flumen broker` on an address; killed when dropped, as by a loss of power.
pub struct Broker(Child);

impl Broker {
    pub fn start(data: &Path, address: &str) -> Broker {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flumen"));
        command.args(["broker", "--listen", address, "--data-dir"]).arg(data);
        let mut broker = Broker(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a process"));
        let output = BufReader::new(broker.0.stdout.take().expect("its output"));
        let ready = output.lines().map_while(Result::ok).any(|line| line.starts_with("flumen: broker listening on "));
        assert!(ready, "the broker does not start on {address}");
        broker
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        // One that has ended already cannot be killed, and need not.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The health check until it says this.
async fn until_healthy(url: &str, well: bool) -> Value {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = reqwest::get(format!("{url}/healthcheck")).await.expect("an answer");
        assert_eq!(answer.status(), 200);
        let health: Value = answer.json().await.expect("JSON");
        if health["isHealthy"] == well {
            return health;
        }
        assert!(Instant::now() < deadline, "{health}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn queries_wait_for_a_broker_and_go_on() {
    let data = tempfile::tempdir().expect("a folder");
    // The ports are free again when the listeners are dropped.
    let port = || TcpListener::bind("127.0.0.1:0").expect("a socket").local_addr().expect("its address").to_string();
    let (address, listen) = (port(), port());
    let bootstrap = format!("bootstrap.servers={address}");
    let url = format!("http://{listen}");
    let settings = [&bootstrap, "ksql.healthcheck.interval.ms=100"];

    let starting = Server::spawn(&data.path().join("server"), &listen, &settings);
    let health = until_healthy(&url, false).await;
    assert_eq!(health["serverState"], "INITIALIZING");
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = reqwest::get(format!("{url}/info")).await.expect("an answer");
        assert_eq!(answer.status(), 503);
        let text = answer.text().await.expect("text");
        assert!(text.contains("50302"), "{text}");
        if text.contains("Kafka does not answer") {
            break;
        }
        assert!(Instant::now() < deadline, "{text}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let mut broker = Broker::start(&data.path().join("broker"), &address);
    let server = starting.ready();
    until_healthy(&url, true).await;
    let made = "CREATE STREAM s (id STRING KEY, v INT) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 2);
                CREATE TABLE t AS SELECT id, MAX(v) AS top, COUNT(*) AS n FROM s GROUP BY id EMIT CHANGES;";
    assert_eq!(ksql(&url, made).await.0, 200);

    let insert = async |v: i32| ksql(&url, &format!("INSERT INTO s (id, v) VALUES ('a', {v});")).await.0;
    for round in [10, 20] {
        assert_eq!(insert(round).await, 200);
        until(&url, "SELECT top FROM t WHERE id = 'a';", &[&format!("[{round}]")]).await;
        drop(broker);
        let health = until_healthy(&url, false).await;
        assert_eq!(health["details"]["kafka"]["isHealthy"], false);
        // A row that waits for the broker keeps nobody else waiting.
        let waiting = tokio::spawn({
            let (url, row) = (url.clone(), format!("INSERT INTO s (id, v) VALUES ('a', {round});"));
            async move { ksql(&url, &row).await }
        });
        let (status, listed) = ksql(&url, "LIST STREAMS; LIST QUERIES;").await;
        assert!(status == 200 && !waiting.is_finished(), "{status} {listed}");
        broker = Broker::start(&data.path().join("broker"), &address);
        until_healthy(&url, true).await;
        let deadline = Instant::now() + PATIENCE;
        while insert(round + 1).await != 200 {
            assert!(Instant::now() < deadline, "rows cannot be inserted");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        until(&url, "SELECT top FROM t WHERE id = 'a';", &[&format!("[{}]", round + 1)]).await;
        waiting.await.expect("an answer");
    }
    // None that was acknowledged is missing; one whose answer the loss cut off may count too.
    until(&url, "SELECT n >= 4 AS enough FROM t WHERE id = 'a';", &["[true]"]).await;
    assert!(server.stop().success());
}
