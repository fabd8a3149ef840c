//! Nothing is lost and nothing counts twice, whatever ends a server.

use flumen_config::Guarantee;

use crate::place::{ORDERS, Place, order};
use crate::server::{Server, World, eventually, records};

const COUNT: &str = "CREATE TABLE counts AS SELECT item, COUNT(*) AS n, SUM(amount) AS total FROM orders GROUP BY item;";

/// Sends `count` orders of three items, each of amount 1.
fn send(world: &World, partition: i32, count: i32) {
    let values: Vec<String> = (0..count).map(|i| order(["a", "b", "c"][(i % 3) as usize], 1)).collect();
    let rows: Vec<(&str, &str, i64)> = values.iter().map(|v| ("k", v.as_str(), 1_000)).collect();
    world.send("orders", partition, &rows);
}

/// The counts of one item in the order written.
fn counts(read: &[(String, String)], item: &str) -> Vec<i64> {
    let number = |text: &str| text.split("\"N\":").nth(1)?.split([',', '}']).next()?.parse().ok();
    read.iter().filter(|(key, _)| key == item).map(|(_, value)| number(value).unwrap_or_else(|| panic!("{value}"))).collect()
}

fn last(world: &World, item: &str) -> i64 {
    counts(&world.read("COUNTS"), item).last().copied().unwrap_or(0)
}

#[test]
fn a_filter_writes_its_topic() {
    let place = Place::new();
    let mut world = place.world();
    world.topic("orders", 2);
    world.run(&format!("{ORDERS} CREATE STREAM big AS SELECT * FROM orders WHERE amount > 10;"));
    let server = Server::start(&world, &place.state("state"), Guarantee::ExactlyOnce, &[]);
    for partition in 0..2 {
        let values: Vec<String> = (0..10).map(|i| order("a", i * 2 + partition)).collect();
        let rows: Vec<(&str, &str, i64)> = values.iter().map(|v| ("k", v.as_str(), 5)).collect();
        world.send("orders", partition, &rows);
    }
    assert_eq!(records(&world, "BIG", 9).len(), 9);
    let (id, _) = &world.queries[0];
    let status = server.workers.status(id);
    assert_eq!((status.state.name(), status.faults.len(), status.tasks.len()), ("RUNNING", 0, 2));
    assert!(server.metrics.text().contains(&format!("flumen_query_records_in_total{{query=\"{id}\"}} 20")));
    eventually("the committed offsets", || {
        let committed: i64 = server.workers.status(id).tasks.iter().flat_map(|t| t.committed.values()).sum();
        (committed == 20).then_some(())
    });
}

/// Crashes a server again and again while records flow; every change of a count must be there once.
fn crashes(place: &Place, guarantee: Guarantee, caching: &str, check: impl Fn(&World)) {
    let mut world = place.world();
    world.topic("orders", 2);
    world.run(&format!("{ORDERS} {COUNT}"));
    for round in 0..4 {
        let set = [("ksql.streams.cache.max.bytes.buffering", caching)];
        let server = Server::start(&world, &place.state("state"), guarantee, &set);
        send(&world, round % 2, 300);
        // Some rounds end in the middle, some after everything was counted.
        let until = if round % 2 == 0 { i64::from(round) * 100 + 1 } else { i64::from(round + 1) * 100 };
        eventually("the counts to grow", || (last(&world, "a") >= until).then_some(()));
        server.crash();
    }
    let _server = Server::start(&world, &place.state("state"), guarantee, &[]);
    for item in ["a", "b", "c"] {
        eventually("all to be counted", || (last(&world, item) >= 400).then_some(()));
    }
    check(&world);
}

#[test]
fn exactly_once_loses_and_repeats_nothing_over_crashes() {
    exactly_once(&Place::new());
}

pub fn exactly_once(place: &Place) {
    crashes(place, Guarantee::ExactlyOnce, "0", |world| {
        let read = world.read("COUNTS");
        for item in ["a", "b", "c"] {
            assert_eq!(counts(&read, item), (1..=400).collect::<Vec<i64>>(), "every change once, in order");
        }
    });
}

#[test]
fn exactly_once_with_caching_ends_at_the_same_counts() {
    crashes(&Place::new(), Guarantee::ExactlyOnce, "1000000", |world| {
        let read = world.read("COUNTS");
        for item in ["a", "b", "c"] {
            let counts = counts(&read, item);
            assert!(counts.is_sorted_by(|a, b| a < b) && counts.last() == Some(&400), "{counts:?}");
        }
    });
}

#[test]
fn at_least_once_loses_nothing_over_crashes() {
    at_least_once(&Place::new());
}

pub fn at_least_once(place: &Place) {
    crashes(place, Guarantee::AtLeastOnce, "0", |world| {
        for item in ["a", "b", "c"] {
            assert!(last(world, item) >= 400);
        }
    });
}

#[test]
fn state_that_is_gone_is_rebuilt_from_its_changelog() {
    rebuilt(&Place::new());
}

pub fn rebuilt(place: &Place) {
    let mut world = place.world();
    world.topic("orders", 1);
    world.run(&format!("{ORDERS} {COUNT}"));
    let server = Server::start(&world, &place.state("first"), Guarantee::ExactlyOnce, &[]);
    send(&world, 0, 30);
    eventually("the first counts", || (last(&world, "c") == 10).then_some(()));
    drop(server);
    let server = Server::start(&world, &place.state("second"), Guarantee::ExactlyOnce, &[]);
    send(&world, 0, 3);
    eventually("the count to go on", || (last(&world, "c") == 11).then_some(()));
    let (id, _) = &world.queries[0];
    assert!(server.metrics.text().contains(&format!("flumen_query_restored_records_total{{query=\"{id}\"}}")));
    assert!(server.workers.status(id).tasks.iter().all(|t| t.restoring == 0));
    drop(server);
    // The first disk is behind now: only the tail is read.
    let _server = Server::start(&world, &place.state("first"), Guarantee::ExactlyOnce, &[]);
    send(&world, 0, 3);
    eventually("the count to go on", || (last(&world, "c") == 12).then_some(()));
}

#[test]
fn pause_keeps_positions_and_resume_goes_on() {
    let place = Place::new();
    let mut world = place.world();
    world.topic("orders", 1);
    let (id, _) = world.run(&format!("{ORDERS} {COUNT}")).unwrap();
    let server = Server::start(&world, &place.state("state"), Guarantee::ExactlyOnce, &[]);
    send(&world, 0, 3);
    eventually("the first counts", || (last(&world, "c") == 1).then_some(()));
    server.workers.pause(&id);
    eventually("the pause", || (server.workers.status(&id).state.name() == "PAUSED").then_some(()));
    std::thread::sleep(std::time::Duration::from_millis(300));
    send(&world, 0, 3);
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(last(&world, "c"), 1);
    server.workers.resume(&id);
    eventually("the rest", || (last(&world, "c") == 2).then_some(()));
    assert_eq!(counts(&world.read("COUNTS"), "a"), [1, 2]);
}

#[test]
fn a_join_takes_its_inputs_by_time() {
    let place = Place::new();
    let mut world = place.world();
    world.topic("orders", 1);
    world.topic("items", 1);
    world.send("items", 0, &[("a", r#"{"title":"early"}"#, 10), ("a", r#"{"title":"late"}"#, 30)]);
    world.send("orders", 0, &[("a", &order("x", 1), 20), ("a", &order("x", 2), 40), ("b", &order("x", 3), 50)]);
    world.run(&format!(
        "{ORDERS} CREATE TABLE items (id VARCHAR PRIMARY KEY, title VARCHAR) WITH (kafka_topic='items', value_format='JSON');
         CREATE STREAM titled AS SELECT o.id, title, amount FROM orders o JOIN items i ON o.id = i.id;"
    ));
    let _server = Server::start(&world, &place.state("state"), Guarantee::ExactlyOnce, &[]);
    let read = records(&world, "TITLED", 2);
    assert_eq!(read.len(), 2);
    assert!(read[0].1.contains("early") && read[1].1.contains("late"), "{read:?}");
}

#[test]
fn a_join_takes_its_inputs_by_the_time_of_a_column() {
    let place = Place::new();
    let mut world = place.world();
    world.topic("orders", 1);
    world.topic("items", 1);
    let at = |ms: i64| format!(r#"{{"title":"at {ms}","moment":{ms}}}"#);
    // The records themselves come in the opposite order of time.
    world.send("items", 0, &[("a", &at(10), 900), ("a", &at(30), 1000)]);
    world.send("orders", 0, &[("a", &order("x", 1), 20), ("a", &order("x", 2), 40)]);
    world.run(&format!(
        "{ORDERS} CREATE TABLE items (id VARCHAR PRIMARY KEY, title VARCHAR, moment BIGINT) WITH (kafka_topic='items', value_format='JSON', timestamp='moment');
         CREATE STREAM titled AS SELECT o.id, title, amount FROM orders o JOIN items i ON o.id = i.id;"
    ));
    let _server = Server::start(&world, &place.state("state"), Guarantee::ExactlyOnce, &[]);
    let read = records(&world, "TITLED", 2);
    assert!(read[0].1.contains("at 10") && read[1].1.contains("at 30"), "{read:?}");
}

#[test]
fn queries_wait_for_a_broker_that_is_gone_and_go_on() {
    let mut place = Place::new();
    let mut world = place.world();
    world.topic("orders", 1);
    let (id, _) = world.run(&format!("{ORDERS} {COUNT}")).unwrap();
    let server = Server::start(&world, &place.state("state"), Guarantee::ExactlyOnce, &[("ksql.streams.cache.max.bytes.buffering", "0")]);
    for round in 1..=2 {
        send(&world, 0, 300);
        place.stop_broker();
        place.start_broker();
        eventually("the counts to go on", || (last(&world, "c") >= round * 100).then_some(()));
    }
    assert_eq!(counts(&world.read("COUNTS"), "a"), (1..=200).collect::<Vec<i64>>(), "{:?}", server.workers.status(&id));
}
