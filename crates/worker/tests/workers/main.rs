//! Queries on an embedded broker, through crashes and failures.

mod server;

use flumen_broker::{Broker, BrokerConfig, BrokerHandle};
use flumen_config::Guarantee;
use flumen_kafka::ClientSettings;
use server::{Server, World, records};
use tempfile::TempDir;

struct Place {
    dir: TempDir,
    broker: BrokerHandle,
}

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let broker = Broker::start_in_thread(BrokerConfig::new(dir.path().join("broker"))).unwrap();
        Place { dir, broker }
    }

    fn world(&self) -> World {
        World::new(&ClientSettings::new(self.broker.address().to_string()))
    }

    fn state(&self) -> std::path::PathBuf {
        self.dir.path().join("state")
    }
}

const ORDERS: &str = "CREATE STREAM orders (id VARCHAR KEY, item VARCHAR, amount INT) WITH (kafka_topic='orders', value_format='JSON');";

fn order(item: &str, amount: i32) -> String {
    format!(r#"{{"item":"{item}","amount":{amount}}}"#)
}

#[test]
fn a_filter_writes_its_topic() {
    let place = Place::new();
    let mut world = place.world();
    world.topic("orders", 2);
    world.run(&format!("{ORDERS} CREATE STREAM big AS SELECT * FROM orders WHERE amount > 10;"));
    let server = Server::start(&world, &place.state(), Guarantee::ExactlyOnce, &[]);
    for i in 0..20 {
        world.send("orders", i % 2, &[("k", &order("a", i), i64::from(i))]);
    }
    let read = records(&world, "BIG", 9);
    assert_eq!(read.len(), 9);
    let (id, _) = &world.queries[0];
    let status = server.workers.status(id);
    assert_eq!((status.state.name(), status.faults.len(), status.tasks.len()), ("RUNNING", 0, 2));
}
