//! `flumen broker` as a process: it starts, keeps others out of its directory, and stops when told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

struct Broker(Child);

impl Drop for Broker {
    fn drop(&mut self) {
        // One that has ended already cannot be killed, and need not.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn command(data: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flumen"));
    command.args(["broker", "--listen", "127.0.0.1:0", "--data-dir"]).arg(data).args(more);
    command
}

fn start(data: &Path, more: &[&str]) -> (Broker, String) {
    let mut broker = Broker(command(data, more).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let lines = BufReader::new(broker.0.stdout.take().unwrap()).lines();
    let address = lines.map_while(Result::ok).find_map(|l| l.strip_prefix("flumen: broker listening on ").map(str::to_owned));
    (broker, address.expect("the line that says where it listens"))
}

/// Asks for the versions of the APIs, as every client does first; gives the error code.
fn ask(address: &str) -> i16 {
    let mut stream = TcpStream::connect(address).unwrap();
    // Size 10; API 18, version 0, correlation id 7, no client id.
    stream.write_all(&[0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 7, 0xff, 0xff]).unwrap();
    let mut answer = [0; 10];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer[4..8], [0, 0, 0, 7], "the correlation id");
    i16::from_be_bytes([answer[8], answer[9]])
}

#[test]
fn it_serves_keeps_others_out_and_stops() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    for more in [&[][..], &["--fsync", "always", "--advertise", "localhost:9092"]] {
        let (mut broker, address) = start(&data, more);
        assert_eq!(ask(&address), 0);
        let second = command(&data, &[]).output().unwrap();
        let told = String::from_utf8_lossy(&second.stderr).into_owned();
        assert!(!second.status.success() && told.contains(&format!("process {}", broker.0.id())), "{told}");
        assert!(Command::new("kill").arg(broker.0.id().to_string()).status().unwrap().success());
        assert!(broker.0.wait().unwrap().success());
        assert!(!data.join("running").exists(), "a clean end");
    }
}

/// What is told at an address, without its header.
fn get(url: &str) -> String {
    let rest = url.strip_prefix("http://").unwrap();
    let (address, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (header, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(header.starts_with("HTTP/1.1 200"), "{header}");
    body.to_owned()
}

#[test]
fn it_tells_what_it_does_where_it_is_asked_to() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = command(dir.path(), &["--metrics-listen", "127.0.0.1:0"]);
    let mut broker = Broker(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut lines = BufReader::new(broker.0.stdout.take().unwrap()).lines().map_while(Result::ok);
    let url = lines.find_map(|l| l.strip_prefix("flumen: broker metrics on ").map(str::to_owned)).unwrap();
    let address = lines.find_map(|l| l.strip_prefix("flumen: broker listening on ").map(str::to_owned)).unwrap();
    assert!(get(&url).contains("flumen_broker_topics 0\n"));
    assert_eq!(ask(&address), 0);
    let text = get(&url);
    assert!(text.contains("flumen_broker_requests_total{api=\"ApiVersions\"} 1\n"), "{text}");
    assert!(text.ends_with("# EOF\n"), "{text}");
    assert!(Command::new("kill").arg(broker.0.id().to_string()).status().unwrap().success());
    assert!(broker.0.wait().unwrap().success());
}

#[test]
fn what_it_cannot_do_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let wrong = [["--fsync", "sometimes"], ["--advertise", "nowhere"], ["--metrics-listen", "nowhere"]];
    for (more, about) in wrong.into_iter().zip(["always", "nowhere", "nowhere"]) {
        let output = command(dir.path(), &more).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(about), "{told}");
    }
}
