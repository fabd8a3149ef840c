//! Membership of the lease group.

use crate::{
    support::{eventually, topic},
    transactions::settle,
};
use flumen_kafka::{ClientSettings, Fence, FenceLost, LeaseConsumer, LeaseEvent, LeaseOptions};
use std::time::Duration;

/// A member of the group of this lease topic.
pub fn member(settings: &ClientSettings, slots: &str, instance: &str) -> LeaseConsumer {
    LeaseConsumer::join(settings, &LeaseOptions::new(format!("{slots}-group"), slots, instance)).unwrap()
}

/// The slots of the first assignment, sorted.
pub fn assigned(lease: &mut LeaseConsumer) -> Vec<i32> {
    let mut slots = eventually("the assignment", || match lease.poll(Duration::from_millis(100)).unwrap() {
        Some(LeaseEvent::Assigned(slots)) => Some(slots),
        _ => None,
    });
    slots.sort_unstable();
    slots
}

pub fn one_member_gets_every_slot_and_keeps_them_over_a_restart(settings: &ClientSettings) {
    let slots = topic(settings, "restart-slots", 4);
    let mut lease = member(settings, &slots, "node-1");
    assert_eq!(assigned(&mut lease), [0, 1, 2, 3]);
    let generation = lease.generation();
    assert!(generation.is_some());
    drop(lease);
    let mut lease = member(settings, &slots, "node-1");
    assert_eq!(assigned(&mut lease), [0, 1, 2, 3]);
    assert_eq!(lease.held().len(), 4);
    assert!(lease.fence().snapshot().is_ok());
}

pub fn two_members_share_and_revoked_slots_wait_for_their_release(settings: &ClientSettings) {
    let slots = topic(settings, "share-slots", 4);
    let mut first = member(settings, &slots, "node-1");
    assert_eq!(assigned(&mut first).len(), 4);
    let mut second = member(settings, &slots, "node-2");
    let revoked = eventually("the revocation", || {
        assert_eq!(second.poll(Duration::from_millis(20)).unwrap(), None, "no slot may have two owners");
        match first.poll(Duration::from_millis(20)).unwrap() {
            Some(LeaseEvent::Revoked(slots)) => Some(slots),
            _ => None,
        }
    });
    assert_eq!(revoked.len(), 2);
    // The owner has not finished: the slots stay its own and its commits stay valid.
    for _ in 0..20 {
        assert_eq!(second.poll(Duration::from_millis(20)).unwrap(), None);
        first.poll(Duration::from_millis(20)).unwrap();
    }
    assert_eq!(first.held().len(), 4);
    assert!(first.fence().snapshot().is_ok());
    first.release().unwrap();
    let mut both = [first, second];
    settle(&mut both, |held| held.iter().all(|h| *h == 2));
    let [first, second] = both;
    assert!(first.held().is_disjoint(second.held()));
    assert!(revoked.iter().all(|slot| second.held().contains(slot)));
    assert_eq!(first.generation(), second.generation());
}

pub fn another_process_of_the_same_name_fences(settings: &ClientSettings) {
    let slots = topic(settings, "twin-slots", 2);
    let mut first = member(settings, &slots, "node-1");
    assigned(&mut first);
    let mut twin = member(settings, &slots, "node-1");
    assigned(&mut twin);
    let event = eventually("the fencing", || {
        twin.poll(Duration::from_millis(10)).unwrap();
        first.poll(Duration::from_millis(100)).unwrap().filter(|e| *e == LeaseEvent::Fenced)
    });
    assert_eq!(event, LeaseEvent::Fenced);
    assert_eq!(first.fence().snapshot().map(|s| s.generation()), Err(FenceLost::Fenced));
    assert!(first.held().is_empty());
    assert!(twin.fence().snapshot().is_ok());
}
