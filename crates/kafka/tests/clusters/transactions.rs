//! Transactions, their visibility, and their fences.

use crate::{
    lease::{assigned, member},
    support::{WAIT, batch, consumer, count, ended, eventually, fetch_until, topic, transactional, values},
};
use flumen_kafka::{Admin, ClientSettings, ErrorKind, Fence, LeaseConsumer, LeaseEvent, OffsetSpec, Start};
use std::time::{Duration, Instant};

pub fn only_committed_records_are_read(settings: &ClientSettings) {
    let name = topic(settings, "committed", 1);
    let mut producer = transactional(settings, "committed");
    for (value, commit) in [("yes", true), ("no", false), ("again", true)] {
        producer.begin().unwrap();
        producer.produce(&batch(&name, 0, &[value])).unwrap();
        producer.await_deliveries(Instant::now() + WAIT).unwrap();
        if commit { producer.commit(WAIT).unwrap() } else { producer.abort(WAIT).unwrap() }
    }
    // Three records and three markers.
    let mut reader = consumer(settings, &[(&name, 0, Start::Earliest)]);
    assert_eq!(values(&fetch_until(&mut reader, |f| ended(f, 0, 6)), 0), ["yes", "again"]);
}

pub fn offsets_are_fenced_by_the_membership(settings: &ClientSettings) {
    let name = topic(settings, "fenced-out", 1);
    let slots = topic(settings, "fenced-slots", 2);
    let mut lease = member(settings, &slots, "node-1");
    assert!(lease.fence().snapshot().is_err(), "there is no fence before the group has answered");
    assert_eq!(assigned(&mut lease), [0, 1]);
    let fence = lease.fence();
    assert_eq!(fence.committed(&[0, 1], WAIT).unwrap().into_iter().collect::<Vec<_>>(), [(0, None), (1, None)]);

    let mut producer = transactional(settings, "fenced");
    producer.begin().unwrap();
    producer.produce(&batch(&name, 0, &["a"])).unwrap();
    producer.await_deliveries(Instant::now() + WAIT).unwrap();
    let old = fence.snapshot().unwrap();
    assert!(old.generation() >= 0 && !old.member_id().is_empty());
    producer.send_offsets(&[(&slots, 0, 7)], &old, WAIT).unwrap();
    producer.commit(WAIT).unwrap();
    assert_eq!(fence.committed(&[0, 1], WAIT).unwrap().into_iter().collect::<Vec<_>>(), [(0, Some(7)), (1, None)]);

    // Another member comes: the old snapshot is of a generation that has ended.
    let second = member(settings, &slots, "node-2");
    let mut both = [lease, second];
    settle(&mut both, |held| held.iter().all(|h| *h == 1));
    producer.begin().unwrap();
    producer.produce(&batch(&name, 0, &["b"])).unwrap();
    producer.await_deliveries(Instant::now() + WAIT).unwrap();
    let refused = producer.send_offsets(&[(&slots, 0, 8)], &old, WAIT).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Abortable, "{refused}");
    producer.abort(WAIT).unwrap();
    let fence = both.first().unwrap().fence();
    assert_eq!(fence.committed(&[0], WAIT).unwrap().get(&0), Some(&Some(7)));

    // A live snapshot works, and so does a plain commit.
    producer.begin().unwrap();
    producer.send_offsets(&[(&slots, 0, 9)], &fence.snapshot().unwrap(), WAIT).unwrap();
    producer.commit(WAIT).unwrap();
    assert_eq!(fence.committed(&[0], WAIT).unwrap().get(&0), Some(&Some(9)));
    fence.commit(&[(0, 10)]).unwrap();
    assert_eq!(fence.committed(&[0], WAIT).unwrap().get(&0), Some(&Some(10)));
}

/// Polls members, releasing at once, until `done` of how many slots each holds.
pub fn settle(members: &mut [LeaseConsumer], done: impl Fn(&[usize]) -> bool) {
    eventually("the rebalance", || {
        for member in members.iter_mut() {
            if let Some(LeaseEvent::Revoked(_) | LeaseEvent::Lost(_)) = member.poll(Duration::from_millis(20)).unwrap() {
                member.release().unwrap();
            }
        }
        done(&members.iter().map(|m| m.held().len()).collect::<Vec<_>>()).then_some(())
    });
}

pub fn committed_waits_for_an_open_transaction(settings: &ClientSettings) {
    let slots = topic(settings, "stable-slots", 1);
    let mut lease = member(settings, &slots, "node-1");
    assert_eq!(assigned(&mut lease), [0]);
    let fence = lease.fence();
    let mut producer = transactional(settings, "stable");
    producer.begin().unwrap();
    producer.send_offsets(&[(&slots, 0, 5)], &fence.snapshot().unwrap(), WAIT).unwrap();
    let early = fence.committed(&[0], Duration::from_millis(300)).unwrap_err();
    assert!(early.is_retriable(), "{early}");
    producer.commit(WAIT).unwrap();
    assert_eq!(fence.committed(&[0], WAIT).unwrap().get(&0), Some(&Some(5)));
}

pub fn a_second_producer_of_the_id_fences_the_first(settings: &ClientSettings) {
    let name = topic(settings, "takeover", 1);
    let mut first = transactional(settings, "takeover");
    first.begin().unwrap();
    first.produce(&batch(&name, 0, &["lost"])).unwrap();
    first.await_deliveries(Instant::now() + WAIT).unwrap();
    let mut second = transactional(settings, "takeover");
    let fenced = first.commit(WAIT).unwrap_err();
    assert_eq!(fenced.kind, ErrorKind::Fenced, "{fenced:?}");
    second.begin().unwrap();
    second.produce(&batch(&name, 0, &["kept"])).unwrap();
    second.commit(WAIT).unwrap();
    let end = Admin::new(settings).unwrap().offsets(&[(&name, 0, OffsetSpec::Latest)], WAIT).unwrap();
    let mut reader = consumer(settings, &[(&name, 0, Start::Earliest)]);
    let all = fetch_until(&mut reader, |f| ended(f, 0, *end.first().unwrap()));
    assert_eq!(values(&all, 0), ["kept"]);
}

pub fn an_abort_with_records_still_queued_leaves_the_producer_usable(settings: &ClientSettings) {
    let name = topic(settings, "purged", 1);
    let mut producer = transactional(settings, "purged");
    let many: Vec<&str> = vec!["x"; 20_000];
    for _ in 0..2 {
        producer.begin().unwrap();
        producer.produce(&batch(&name, 0, &many)).unwrap();
        producer.abort(WAIT).unwrap();
        assert_eq!(producer.poll().enqueued, 0);
    }
    producer.begin().unwrap();
    producer.produce(&batch(&name, 0, &["kept"])).unwrap();
    producer.commit(WAIT).unwrap();
    let mut reader = consumer(settings, &[(&name, 0, Start::Earliest)]);
    let all = fetch_until(&mut reader, |f| count(f) > 0);
    assert_eq!(values(&all, 0), ["kept"]);
}
