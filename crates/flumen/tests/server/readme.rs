//! The README's curl commands, run as they stand but for the port.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::process::Server;

/// The commands of the blocks that start with one.
fn commands() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = std::fs::read_to_string(path).expect("the README");
    let blocks = text.split("```\n").skip(1).step_by(2).filter(|block| block.starts_with("curl"));
    blocks.flat_map(|block| block.split("\n\n").map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Runs a command until its answer holds the part.
fn until(url: &str, command: &str, part: &str) {
    let host = url.strip_prefix("http://").expect("a URL");
    // A push query does not end by itself.
    let command = command.replace("localhost:8088", host).replace("curl ", "curl --max-time 5 ");
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let output = Command::new("sh").args(["-c", &command]).output().expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout);
        if text.contains(part) {
            return;
        }
        assert!(Instant::now() < deadline, "{command}\ngives\n{text}{}", String::from_utf8_lossy(&output.stderr));
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn its_commands_work() {
    if Command::new("curl").arg("--version").output().is_err() {
        return println!("skipped: curl is not installed");
    }
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &[]);
    let [stream, table, insert, pull, push] = &commands()[..] else { panic!("other commands: {:?}", commands()) };
    until(&server.url, stream, "Stream created");
    until(&server.url, table, "Created query with ID CTAS_BY_SENSOR_");
    until(&server.url, insert, "[]");
    until(&server.url, pull, "[\"roof\",1,31.5]");
    until(&server.url, push, "[\"roof\",31.5]");
    assert!(server.stop().success());
}
