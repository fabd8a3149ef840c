//! Push queries: rows for one client.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use flumen_config::Guarantee;
use flumen_plan::QueryId;
use flumen_runtime::Chunk;
use flumen_worker::{Offer, PushEnd, PushSink, Reach};
use parking_lot::Mutex;

use crate::place::{ORDERS, Place, order};
use crate::server::{Server, eventually};

#[derive(Default, Clone)]
struct Client(Arc<Seen>);

#[derive(Default)]
struct Seen {
    rows: AtomicUsize,
    full: AtomicBool,
    end: Mutex<Option<PushEnd>>,
}

impl PushSink for Client {
    fn offer(&mut self, rows: Chunk) -> Offer {
        if self.0.full.load(Ordering::Acquire) {
            return Offer::Full(rows);
        }
        self.0.rows.fetch_add(rows.rows(), Ordering::AcqRel);
        Offer::Taken
    }

    fn is_closed(&self) -> bool {
        false
    }

    fn end(&mut self, end: PushEnd) {
        *self.0.end.lock() = Some(end);
    }
}

#[test]
fn rows_reach_a_client_until_it_stalls() {
    let place = Place::new();
    let mut world = place.world();
    world.topic("orders", 2);
    world.run(ORDERS);
    let server = Server::start(&world, &place.state("state"), Guarantee::ExactlyOnce, &[]);
    let plan = world.push_plan("SELECT id, amount FROM orders WHERE amount > 10 EMIT CHANGES;");
    let (client, id) = (Client::default(), QueryId("transient_1".to_string()));
    server.workers.push(&id, &plan, Reach::Endless, Box::new(client.clone())).unwrap();
    world.send("orders", 0, &[("k", &order("a", 5), 1), ("k", &order("a", 11), 2)]);
    world.send("orders", 1, &[("k", &order("a", 12), 1)]);
    eventually("two rows", || (client.0.rows.load(Ordering::Acquire) == 2).then_some(()));

    // Behind for a moment: nothing is lost.
    client.0.full.store(true, Ordering::Release);
    world.send("orders", 0, &[("k", &order("a", 13), 3)]);
    std::thread::sleep(std::time::Duration::from_millis(300));
    world.send("orders", 0, &[("k", &order("a", 14), 4)]);
    client.0.full.store(false, Ordering::Release);
    eventually("four rows", || (client.0.rows.load(Ordering::Acquire) == 4).then_some(()));

    client.0.full.store(true, Ordering::Release);
    world.send("orders", 0, &[("k", &order("a", 15), 5)]);
    let end = eventually("the end", || client.0.end.lock().clone());
    assert_eq!(end, PushEnd::Stalled);
}

#[test]
fn an_aggregate_is_pushed_through_a_topic_that_goes_with_it() {
    let place = Place::new();
    let mut world = place.world();
    world.topic("orders", 1);
    world.run(ORDERS);
    world.send("orders", 0, &[("k", &order("a", 5), 1), ("k", &order("a", 11), 2), ("k", &order("b", 11), 2)]);
    let server = Server::start(&world, &place.state("state"), Guarantee::ExactlyOnce, &[]);
    let plan = world.push_plan("SELECT item, COUNT(*) AS n FROM orders GROUP BY item EMIT CHANGES;");
    let (client, id) = (Client::default(), QueryId("transient_2".to_string()));
    server.workers.push(&id, &plan, Reach::Endless, Box::new(client.clone())).unwrap();
    eventually("rows", || (client.0.rows.load(Ordering::Acquire) >= 2).then_some(()));
    assert!(world.has_topic("transient_2"));
    server.workers.stop_push(&id);
    assert_eq!(eventually("the end", || client.0.end.lock().clone()), PushEnd::Closed);
    eventually("its topic to go", || (!world.has_topic("transient_2")).then_some(()));
}

#[test]
fn what_is_there_is_read_once_from_the_start() {
    let place = Place::new();
    let mut world = place.world();
    world.topic("orders", 2);
    world.run(ORDERS);
    let server = Server::start(&world, &place.state("state"), Guarantee::ExactlyOnce, &[]);
    let plan = world.push_plan("SELECT id, amount FROM orders WHERE amount > 10 EMIT CHANGES;");
    let read = |name: &str, sink: &Client| {
        let id = QueryId(name.to_string());
        server.workers.push(&id, &plan, Reach::ToTheEnd, Box::new(sink.clone())).unwrap();
        id
    };
    let none = Client::default();
    read("transient_1", &none);
    assert_eq!(eventually("the end of empty topics", || none.0.end.lock().clone()), PushEnd::Completed);
    assert_eq!(none.0.rows.load(Ordering::Acquire), 0);

    world.send("orders", 0, &[("k", &order("a", 5), 1), ("k", &order("a", 11), 2)]);
    world.send("orders", 1, &[("k", &order("a", 12), 1)]);
    let two = Client::default();
    read("transient_2", &two);
    assert_eq!(eventually("the end", || two.0.end.lock().clone()), PushEnd::Completed);
    assert_eq!(two.0.rows.load(Ordering::Acquire), 2);

    // A client that is behind gets the rest later; one that is told to stop gets no more.
    let slow = Client::default();
    slow.0.full.store(true, Ordering::Release);
    read("transient_3", &slow);
    let stopped = Client::default();
    stopped.0.full.store(true, Ordering::Release);
    let id = read("transient_4", &stopped);
    server.workers.stop_push(&id);
    assert_eq!(eventually("the end", || stopped.0.end.lock().clone()), PushEnd::Closed);
    slow.0.full.store(false, Ordering::Release);
    assert_eq!(eventually("the end", || slow.0.end.lock().clone()), PushEnd::Completed);
    assert_eq!((slow.0.rows.load(Ordering::Acquire), stopped.0.rows.load(Ordering::Acquire)), (2, 0));
}
