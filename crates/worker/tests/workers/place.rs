//! A broker and a folder for a test.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flumen_broker::{Broker, BrokerConfig, BrokerHandle};
use flumen_kafka::ClientSettings;
use tempfile::TempDir;

use crate::server::{World, eventually};

pub struct Place {
    dir: TempDir,
    address: String,
    broker: Option<BrokerHandle>,
    /// The script that runs Apache Kafka, when that is the broker.
    script: Option<PathBuf>,
}

impl Place {
    /// With an embedded broker.
    pub fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let broker = Broker::start_in_thread(BrokerConfig::new(dir.path().join("broker"))).unwrap();
        Place { address: broker.address().to_string(), dir, broker: Some(broker), script: None }
    }

    /// With Apache Kafka; `None`, said in a line, where it cannot be started.
    pub fn kafka() -> Option<Place> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let tools = std::env::var_os("FLUMEN_TOOLS").map_or_else(|| workspace.join("../shared/tools"), PathBuf::from);
        let script = tools.join("kafka.sh");
        if !script.exists() {
            println!("skipped: no Apache Kafka, {} does not exist (set FLUMEN_TOOLS)", script.display());
            return None;
        }
        if Command::new("java").arg("-version").stderr(Stdio::null()).status().is_err() {
            println!("skipped: no Apache Kafka, java is not installed");
            return None;
        }
        // The port is free when the listener is dropped, but another process may take it, or one beside it that the script
        // needs, before Kafka does: then with another one.
        for _ in 0..4 {
            let dir = tempfile::tempdir().unwrap();
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let address = format!("127.0.0.1:{port}");
            let place = Place { dir, address, broker: None, script: Some(script.clone()) };
            if place.runs("start", &[&port.to_string()]) {
                return Some(place);
            }
        }
        panic!("{} start failed on four ports", script.display());
    }

    fn runs(&self, command: &str, more: &[&str]) -> bool {
        let Some(script) = &self.script else { return true };
        let dir = self.dir.path().join("kafka");
        Command::new(script).arg(command).arg(dir).args(more).stdout(Stdio::null()).status().unwrap().success()
    }

    pub fn world(&self) -> World {
        World::new(&ClientSettings::new(&self.address))
    }

    /// The embedded broker ends.
    pub fn stop_broker(&mut self) {
        self.broker.take().unwrap().stop().unwrap();
    }

    /// The embedded broker comes back where it was.
    pub fn start_broker(&mut self) {
        let mut config = BrokerConfig::new(self.dir.path().join("broker"));
        config.listen = self.address.parse().unwrap();
        self.broker = Some(eventually("the port", || Broker::start_in_thread(config.clone()).ok()));
    }

    /// Where a server keeps its state; another `name`, another disk.
    pub fn state(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A broker that never started has nothing to stop.
        let _ = self.runs("stop", &[]);
    }
}

pub const ORDERS: &str =
    "CREATE STREAM orders (id VARCHAR KEY, item VARCHAR, amount INT) WITH (kafka_topic='orders', value_format='JSON');";

pub fn order(item: &str, amount: i32) -> String {
    format!(r#"{{"item":"{item}","amount":{amount}}}"#)
}
