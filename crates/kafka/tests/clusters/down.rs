//! No broker there: every call comes back with a typed error, and nothing hangs or panics.

use crate::support::{batch, consumer};
use flumen_kafka::{Admin, ClientSettings, ErrorKind, Fence, FenceLost, LeaseConsumer, LeaseOptions, Producer, ProducerOptions, Start};
use std::{
    net::TcpListener,
    time::{Duration, Instant},
};

const SOON: Duration = Duration::from_millis(300);

#[test]
fn without_a_broker_calls_end_with_unavailable() {
    // Bound and never accepted from: nothing else can take the port while the test runs.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let settings = ClientSettings::new(closed.local_addr().unwrap().to_string());
    let admin = Admin::new(&settings).unwrap();
    assert_eq!(admin.check(SOON).unwrap_err().kind, ErrorKind::Unavailable);
    assert_eq!(admin.cluster_id(SOON).unwrap_err().kind, ErrorKind::Unavailable);
    assert_eq!(admin.list_topics(SOON).unwrap_err().kind, ErrorKind::Unavailable);
    assert_eq!(admin.watermarks("t", 0, SOON).unwrap_err().kind, ErrorKind::Unavailable);
    assert_eq!(admin.list_groups(SOON).unwrap_err().kind, ErrorKind::Unavailable);

    let mut reader = consumer(&settings, &[("t", 0, Start::Earliest)]);
    assert!(reader.fetch(10, SOON).unwrap().is_empty());

    let mut producer = Producer::new(&settings, &ProducerOptions::idempotent()).unwrap();
    producer.produce(&batch("t", 0, &["a"])).unwrap();
    assert_eq!(producer.await_deliveries(Instant::now() + SOON).unwrap_err().kind, ErrorKind::Unavailable);
    assert_eq!((producer.poll().enqueued, producer.poll().acked), (1, 0));

    let mut producer = Producer::new(&settings, &ProducerOptions::transactional("t")).unwrap();
    assert!(producer.init_transactions(SOON).unwrap_err().is_retriable());

    let mut lease = LeaseConsumer::join(&settings, &LeaseOptions::new("g", "t", "i")).unwrap();
    assert_eq!(lease.poll(SOON).unwrap(), None);
    assert_eq!(lease.fence().snapshot().map(|s| s.generation()), Err(FenceLost::NotMember));
    assert!(lease.committed(&[0], SOON).unwrap_err().is_retriable());
    assert_eq!(lease.fence().commit(&[(0, 1)]).unwrap_err().kind, ErrorKind::StaleMember);
}
