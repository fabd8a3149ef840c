//! Which lease slot a task belongs to.

use flumen_plan::TaskId;

/// The slot of a task: murmur2 of its id over the number of slots. Fixed once the lease topic is made.
pub fn slot_of(task: &TaskId, slots: i32) -> i32 {
    flumen_wire::partition_for(task.to_string().as_bytes(), slots.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flumen_plan::{QueryId, SubTopologyId};

    #[test]
    fn slots_are_stable_and_in_range() {
        let task = |partition| TaskId { query: QueryId("CSAS_A_1".into()), sub_topology: SubTopologyId(0), partition };
        let slots: Vec<i32> = (0..100).map(|p| slot_of(&task(p), 64)).collect();
        assert!(slots.iter().all(|s| (0..64).contains(s)));
        assert_eq!(slots, (0..100).map(|p| slot_of(&task(p), 64)).collect::<Vec<_>>());
        assert!(slots.iter().collect::<std::collections::BTreeSet<_>>().len() > 30, "tasks spread over the slots");
    }
}
