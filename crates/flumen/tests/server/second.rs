//! One server for a service id: a second one is refused, for as long as the first runs.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use crate::lost::Broker;
use crate::process::{PATIENCE, Server};

#[tokio::test]
async fn a_second_server_is_refused_while_the_first_runs() {
    let data = tempfile::tempdir().expect("a folder");
    let port = || TcpListener::bind("127.0.0.1:0").expect("a socket").local_addr().expect("its address").to_string();
    let (address, listen) = (port(), port());
    let _broker = Broker::start(&data.path().join("broker"), &address);
    let bootstrap = format!("bootstrap.servers={address}");
    let first = Server::start(&data.path().join("first"), &[&bootstrap]);
    let second = Server::spawn(&data.path().join("second"), &listen, &[&bootstrap]);
    let deadline = Instant::now() + PATIENCE;
    loop {
        let text = match reqwest::get(format!("http://{listen}/info")).await {
            Ok(answer) => answer.text().await.expect("text"),
            Err(error) => error.to_string(),
        };
        if text.contains("another server (instance ") {
            break;
        }
        assert!(Instant::now() < deadline, "{text}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(first.stop().success());
    assert!(second.ready().stop().success());
}
