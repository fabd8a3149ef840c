//! Malformed records are skipped and told of.

use flumen_config::Guarantee;

use crate::place::{ORDERS, Place, order};
use crate::server::{Server, records};

#[test]
fn a_malformed_record_has_an_entry_with_reason_and_place() {
    let place = Place::new();
    let mut world = place.world();
    world.topic("orders", 1);
    world.run(&format!("{ORDERS} CREATE STREAM big AS SELECT * FROM orders WHERE amount > 10;"));
    let set = [("ksql.logging.processing.topic.auto.create", "true"), ("ksql.logging.processing.topic.name", "log")];
    let server = Server::start(&world, &place.state("state"), Guarantee::ExactlyOnce, &set);
    world.send("orders", 0, &[("k", &order("a", 11), 1), ("k", "{oops", 2), ("k", &order("a", 12), 3)]);
    assert_eq!(records(&world, "BIG", 2).len(), 2);
    let read = records(&world, "log", 1);
    assert_eq!(read.len(), 1);
    for part in [r#""topic":"orders","partition":0,"offset":1"#, r#""type":0"#, r#""errorMessage":""#] {
        assert!(read[0].1.contains(part), "{part} is not in {}", read[0].1);
    }
    let id = &world.queries[0].0;
    assert!(server.metrics.text().contains(&format!("flumen_query_errors_total{{query=\"{id}\"}} 1")));
}
