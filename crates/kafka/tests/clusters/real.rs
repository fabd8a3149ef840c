//! Apache Kafka for the tests: started from the tools folder, stopped when the test ends.

use crate::SCENARIOS;
use flumen_kafka::ClientSettings;
use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

struct Kafka<'a> {
    script: &'a Path,
    dir: tempfile::TempDir,
    port: u16,
}

impl<'a> Kafka<'a> {
    fn start(script: &'a Path) -> Self {
        let dir = tempfile::tempdir().unwrap();
        // The port is free again when the listener is dropped, and taken by the broker right after.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let kafka = Self { script, dir, port };
        kafka.run("start", &[&port.to_string()]);
        kafka
    }

    fn run(&self, command: &str, more: &[&str]) {
        let status = Command::new(self.script).arg(command).arg(self.dir.path()).args(more).stdout(Stdio::null()).status().unwrap();
        assert!(status.success(), "{} {command} failed", self.script.display());
    }
}

impl Drop for Kafka<'_> {
    fn drop(&mut self) {
        self.run("stop", &[]);
    }
}

fn script() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tools = std::env::var_os("FLUMEN_TOOLS").map_or_else(|| workspace.join("../shared/tools"), PathBuf::from);
    tools.join("kafka.sh")
}

#[test]
fn every_scenario_on_apache_kafka() {
    let script = script();
    if !script.exists() {
        return println!("skipped: no Apache Kafka, {} does not exist (set FLUMEN_TOOLS)", script.display());
    }
    if Command::new("java").arg("-version").stderr(Stdio::null()).status().is_err() {
        return println!("skipped: no Apache Kafka, java is not installed");
    }
    let kafka = Kafka::start(&script);
    let settings = ClientSettings::new(format!("127.0.0.1:{}", kafka.port));
    for (name, scenario) in SCENARIOS {
        println!("on Apache Kafka: {name}");
        scenario(&settings);
    }
}
