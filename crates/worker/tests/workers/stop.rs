//! One query's failures and end are its own.

use flumen_config::Guarantee;

use crate::place::{ORDERS, Place, order};
use crate::server::{Server, eventually, records};

#[test]
fn a_query_that_fails_does_not_stop_another() {
    let place = Place::new();
    let mut world = place.world();
    world.topic("orders", 1);
    let sql = "CREATE STREAM strict AS SELECT * FROM picky; CREATE STREAM big AS SELECT * FROM orders WHERE amount > 10;";
    let picky = "CREATE STREAM picky (id VARCHAR KEY, item VARCHAR) WITH (kafka_topic='orders', value_format='JSON');";
    world.run(&format!("{ORDERS} {picky} {sql}"));
    world.send("orders", 0, &[("k", "{oops", 1), ("k", &order("a", 11), 2)]);
    let mut plan = (*world.queries[0].1).clone();
    for node in plan.sub_topologies.iter_mut().flat_map(|s| &mut s.nodes) {
        if let flumen_plan::Operator::Source(source) = &mut node.op {
            source.on_error = flumen_plan::OnError::Fail;
        }
    }
    world.queries[0].1 = std::sync::Arc::new(plan);
    let server = Server::start(&world, &place.state("state"), Guarantee::ExactlyOnce, &[]);
    let failing = world.queries[0].0.clone();
    let fault = eventually("the fault", || server.workers.status(&failing).faults.last().cloned());
    assert!(fault.message.contains("offset 0 of partition 0 of topic orders"), "{}", fault.message);
    assert_eq!(fault.class, "USER");
    assert_eq!(records(&world, "BIG", 1).len(), 1);
    // It fails again and again, and the other goes on.
    let restarts = format!("flumen_query_restarts_total{{query=\"{failing}\"}} 2");
    eventually("a second retry", || server.metrics.text().contains(&restarts).then_some(()));
    world.send("orders", 0, &[("k", &order("b", 12), 3)]);
    assert_eq!(records(&world, "BIG", 2).len(), 2);
    assert_eq!(world.read("STRICT").len(), 0);
    let healthy = &world.queries[1].0;
    assert!(server.workers.status(healthy).faults.is_empty(), "{:?}", server.workers.status(healthy));
}

#[test]
fn a_query_waits_for_a_topic_that_is_missing() {
    let place = Place::new();
    let mut world = place.world();
    world.topic("orders", 1);
    let (id, _) = world.run(&format!("{ORDERS} CREATE STREAM big AS SELECT * FROM orders WHERE amount > 10;")).unwrap();
    world.admin.delete_topics(&["orders"], crate::server::WAIT).unwrap();
    let server = Server::start(&world, &place.state("state"), Guarantee::ExactlyOnce, &[]);
    let fault = eventually("the fault", || server.workers.status(&id).faults.last().cloned());
    assert!(fault.message.contains("topic 'orders' does not exist"), "{}", fault.message);
    world.topic("orders", 1);
    world.send("orders", 0, &[("k", &order("a", 11), 2)]);
    assert_eq!(records(&world, "BIG", 1).len(), 1);
}

#[test]
fn a_stopped_query_leaves_nothing_behind() {
    stopped(&Place::new());
}

pub fn stopped(place: &Place) {
    let mut world = place.world();
    world.topic("orders", 1);
    let (id, plan) = world.run(&format!("{ORDERS} CREATE TABLE counts AS SELECT item, COUNT(*) AS n FROM orders GROUP BY item;")).unwrap();
    let server = Server::start(&world, &place.state("state"), Guarantee::ExactlyOnce, &[]);
    world.send("orders", 0, &[("k", &order("a", 1), 1)]);
    records(&world, "COUNTS", 1);
    assert!(world.has_topic(&format!("{id}-")));
    server.workers.stop_query(&id, &plan);
    eventually("the internal topics to go", || (!world.has_topic(&format!("{id}-"))).then_some(()));
    let positions = world.read(&flumen_plan::names::positions_topic("t_"));
    for task in [format!("{id}/0_0"), format!("{id}/1_0")] {
        assert_eq!(positions.iter().rev().find(|(key, _)| *key == task).map(|(_, value)| value.as_str()), Some(""), "{task}");
    }
    eventually("the metrics to go", || (!server.metrics.text().contains(&id.0)).then_some(()));
}
