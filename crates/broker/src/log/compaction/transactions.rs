//! What compaction knows of transactions: records of aborted ones go, and markers go when they mark nothing any more.

use crate::log::Aborted;
use flumen_wire::BatchHeader;
use std::collections::{BTreeMap, HashSet};

/// The transactions of a log, met in the order of offsets.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// First offset of each aborted transaction by producer and offset of the marker.
    aborted: BTreeMap<(i64, i64), i64>,
    /// Producers with records of their current transaction that stay.
    with_records: HashSet<i64>,
}

impl Ended {
    /// All that were aborted.
    pub fn new(aborted: Vec<Aborted>) -> Self {
        let aborted = aborted.into_iter().map(|a| ((a.producer_id, a.last_offset), a.first_offset)).collect();
        Self { aborted, with_records: HashSet::new() }
    }

    /// Whether a batch of records belongs to an aborted transaction.
    pub fn is_aborted(&self, header: &BatchHeader) -> bool {
        let key = (header.producer_id, header.base_offset);
        header.attributes.is_transactional()
            && self.aborted.range(key..).next().is_some_and(|((id, _), first)| *id == header.producer_id && *first <= header.base_offset)
    }

    /// Records of a transaction stay.
    pub fn kept(&mut self, header: &BatchHeader) {
        if header.attributes.is_transactional() {
            self.with_records.insert(header.producer_id);
        }
    }

    /// Whether this marker ends a transaction of which records stay.
    pub fn marks_something(&mut self, marker: &BatchHeader) -> bool {
        self.with_records.remove(&marker.producer_id)
    }
}
