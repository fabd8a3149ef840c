//! Push queries: rows for one client.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use flumen_config::Guarantee;
use flumen_plan::QueryId;
use flumen_runtime::Chunk;
use flumen_worker::{Offer, PushEnd, PushSink};
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
    server.workers.push(&id, &plan, Box::new(client.clone())).unwrap();
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
    server.workers.push(&id, &plan, Box::new(client.clone())).unwrap();
    eventually("rows", || (client.0.rows.load(Ordering::Acquire) >= 2).then_some(()));
    assert!(world.has_topic("transient_2"));
    server.workers.stop_push(&id);
    assert_eq!(eventually("the end", || client.0.end.lock().clone()), PushEnd::Closed);
    eventually("its topic to go", || (!world.has_topic("transient_2")).then_some(()));
}
