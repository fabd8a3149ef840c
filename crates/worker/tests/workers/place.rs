//! A broker and a folder for a test.

use std::path::PathBuf;

use flumen_broker::{Broker, BrokerConfig, BrokerHandle};
use flumen_kafka::ClientSettings;
use tempfile::TempDir;

use crate::server::World;

pub struct Place {
    dir: TempDir,
    broker: BrokerHandle,
}

impl Place {
    pub fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let broker = Broker::start_in_thread(BrokerConfig::new(dir.path().join("broker"))).unwrap();
        Place { dir, broker }
    }

    pub fn world(&self) -> World {
        World::new(&ClientSettings::new(self.broker.address().to_string()))
    }

    /// Where a server keeps its state; another `name`, another disk.
    pub fn state(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

pub const ORDERS: &str =
    "CREATE STREAM orders (id VARCHAR KEY, item VARCHAR, amount INT) WITH (kafka_topic='orders', value_format='JSON');";

pub fn order(item: &str, amount: i32) -> String {
    format!(r#"{{"item":"{item}","amount":{amount}}}"#)
}
