//! Committed offsets: durable, and pending ones that wait for the end of a transaction.

use crate::{
    codec::{Damaged, Input, Stored},
    config::Fsync,
    durable_map::DurableMap,
    error::BrokerError,
    topics::coordinator_storage,
};
use kafka_protocol::ResponseError;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::PathBuf,
};

const VERSION: u8 = 1;

/// For what an offset is committed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OffsetKey {
    /// Group.
    pub group: String,
    /// Topic.
    pub topic: String,
    /// Partition.
    pub partition: i32,
}

/// A committed offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The next offset to read.
    pub offset: i64,
    /// The leader epoch the client knew, or -1.
    pub leader_epoch: i32,
    /// What the client wrote beside it.
    pub metadata: String,
    /// When it was committed, in milliseconds since 1970.
    pub at: i64,
}

impl Stored for OffsetKey {
    fn write(&self, out: &mut Vec<u8>) {
        self.group.write(out);
        self.topic.write(out);
        self.partition.write(out);
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        Ok(Self { group: String::read(input)?, topic: String::read(input)?, partition: i32::read(input)? })
    }
}

impl Stored for Committed {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        self.offset.write(out);
        self.leader_epoch.write(out);
        self.metadata.write(out);
        self.at.write(out);
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        input.version(VERSION)?;
        Ok(Self { offset: i64::read(input)?, leader_epoch: i32::read(input)?, metadata: String::read(input)?, at: i64::read(input)? })
    }
}

/// All committed offsets.
#[derive(Debug)]
pub struct Offsets {
    durable: DurableMap<OffsetKey, Committed>,
    /// Which producers' open transactions are about to change an offset.
    pending: HashMap<OffsetKey, HashSet<i64>>,
}

impl Offsets {
    /// Reads them.
    pub fn open(path: PathBuf, fsync: Fsync) -> Result<Self, BrokerError> {
        Ok(Self { durable: DurableMap::open(path, fsync)?, pending: HashMap::new() })
    }

    /// One of them.
    pub fn get(&self, key: &OffsetKey) -> Option<&Committed> {
        self.durable.get(key)
    }

    /// Makes offsets durable, all or none.
    pub fn commit(&mut self, offsets: Vec<(OffsetKey, Committed)>) -> Result<(), ResponseError> {
        self.durable.commit(offsets.into_iter().map(|(key, offset)| (key, Some(offset))).collect()).map_err(coordinator_storage)
    }

    /// Removes some.
    pub fn remove(&mut self, keys: Vec<OffsetKey>) -> Result<(), ResponseError> {
        let known = keys.into_iter().filter(|key| self.durable.get(key).is_some()).map(|key| (key, None)).collect();
        self.durable.commit(known).map_err(coordinator_storage)
    }

    /// What a group has committed.
    pub fn of_group(&self, group: &str) -> Vec<OffsetKey> {
        let first = OffsetKey { group: group.to_string(), topic: String::new(), partition: i32::MIN };
        self.durable.live().range(first..).map(|(key, _)| key).take_while(|key| key.group == group).cloned().collect()
    }

    /// What was committed for a topic.
    pub fn of_topic(&self, topic: &str) -> Vec<OffsetKey> {
        self.durable.live().keys().filter(|key| key.topic == topic).cloned().collect()
    }

    /// What was committed before `time` (milliseconds since 1970) and no open transaction is about to change.
    pub fn committed_before(&self, time: i64) -> Vec<OffsetKey> {
        let old = self.durable.live().iter().filter(|(key, committed)| committed.at < time && !self.is_pending(key));
        old.map(|(key, _)| key.clone()).collect()
    }

    /// The groups that have committed anything.
    pub fn groups(&self) -> BTreeSet<String> {
        self.durable.live().keys().map(|key| key.group.clone()).collect()
    }

    /// Notes that a producer's transaction is about to change offsets.
    pub fn add_pending(&mut self, producer_id: i64, keys: &[OffsetKey]) {
        for key in keys {
            self.pending.entry(key.clone()).or_default().insert(producer_id);
        }
    }

    /// Forgets what a producer's transaction was about to change.
    pub fn remove_pending(&mut self, producer_id: i64) {
        self.pending.retain(|_, producers| {
            producers.remove(&producer_id);
            !producers.is_empty()
        });
    }

    /// Whether a transaction is about to change this offset.
    pub fn is_pending(&self, key: &OffsetKey) -> bool {
        self.pending.contains_key(key)
    }
}
