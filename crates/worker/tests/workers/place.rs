//! A broker and a folder for a test.

use std::path::PathBuf;

use flumen_broker::{Broker, BrokerConfig, BrokerHandle};
use flumen_kafka::ClientSettings;
use flumen_testing::Kafka;
use tempfile::TempDir;

use crate::server::{World, eventually};

pub struct Place {
    dir: TempDir,
    address: String,
    broker: Option<BrokerHandle>,
    /// Apache Kafka, when that is the broker; it runs as long as the place is there.
    _kafka: Option<Kafka>,
}

impl Place {
    /// With an embedded broker.
    pub fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let broker = Broker::start_in_thread(BrokerConfig::new(dir.path().join("broker"))).unwrap();
        Place { address: broker.address().to_string(), dir, broker: Some(broker), _kafka: None }
    }

    /// With Apache Kafka; `None`, said in a line, where it cannot be started.
    pub fn kafka() -> Option<Place> {
        let kafka = Kafka::start()?;
        Some(Place { address: kafka.address().to_owned(), dir: tempfile::tempdir().unwrap(), broker: None, _kafka: Some(kafka) })
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

pub const ORDERS: &str =
    "CREATE STREAM orders (id VARCHAR KEY, item VARCHAR, amount INT) WITH (kafka_topic='orders', value_format='JSON');";

pub fn order(item: &str, amount: i32) -> String {
    format!(r#"{{"item":"{item}","amount":{amount}}}"#)
}
