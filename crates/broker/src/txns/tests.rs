//! Transactions from beginning to end, with crashes between.

use super::*;
use crate::{
    config::{Fsync, GroupSettings, LogSettings},
    groups::{Committed, OffsetKey},
    log::Rules,
};
use flumen_wire::{BatchWriter, Compression, batch};
use std::path::Path;

pub(super) struct World {
    pub(super) topics: Topics,
    groups: Groups,
    pub(super) transactions: Transactions,
    _dir: DataDir,
}

impl World {
    pub(super) fn open(path: &Path) -> Self {
        Self::open_with(path, Fsync::System)
    }

    pub(super) fn open_with(path: &Path, fsync: Fsync) -> Self {
        let dir = DataDir::open(path, fsync).unwrap();
        let settings = LogSettings { fsync, power_lost: dir.power_lost(), ..LogSettings::default() };
        let world = Self {
            topics: Topics::open(&dir, settings).unwrap(),
            groups: Groups::open(&dir, GroupSettings::default()).unwrap(),
            transactions: Transactions::open(&dir, TransactionSettings::default()).unwrap(),
            _dir: dir,
        };
        world.transactions.recover(world.reach()).unwrap();
        world
    }

    pub(super) fn reach(&self) -> Reach<'_> {
        Reach { topics: &self.topics, groups: &self.groups }
    }

    pub(super) fn init(&self) -> ProducerName {
        self.transactions.init(self.reach(), "tx", 1000, None).unwrap()
    }

    pub(super) fn send(&self, producer: ProducerName, sequence: i32) -> Result<(), ResponseError> {
        let mut writer = BatchWriter::default();
        writer.push(1, Some(b"k"), Some(b"v"), &[]).unwrap();
        let by = batch::Producer { id: producer.id, epoch: producer.epoch, sequence, transactional: true };
        let bytes = writer.finish(Compression::None, by).unwrap();
        let topic = self.topics.get("t").unwrap();
        let rules: Rules = *topic.config().rules();
        let append = || topic.partition(0).unwrap().log().append(&bytes, &rules, now_ms()).map(drop);
        self.transactions.append("tx", producer, "t", 0, append)?.map_err(|e| panic!("{e}"))
    }

    pub(super) fn begin(&self, producer: ProducerName, sequence: i32) {
        self.transactions.add_partitions(self.reach(), "tx", producer, vec![("t".into(), 0)]).unwrap();
        self.send(producer, sequence).unwrap();
    }

    pub(super) fn offset(&self, producer: ProducerName, offset: i64) {
        self.transactions.add_group(self.reach(), "tx", producer, "g").unwrap();
        let committed = Committed { offset, leader_epoch: -1, metadata: String::new(), at: 0 };
        self.transactions.add_offsets("tx", producer, "g", vec![Pending { key: key(), committed }], || Ok(())).unwrap();
    }

    /// End, stable end, number of aborted transactions, committed offset.
    pub(super) fn seen(&self) -> (i64, i64, usize, Option<i64>) {
        let partition = self.topics.partition("t", 0).unwrap();
        let log = partition.log();
        let offset = self.groups.committed(&key(), false).unwrap().map(|c| c.offset);
        (log.end(), log.stable_end(), log.aborted_between(0, 1000).len(), offset)
    }
}

fn key() -> OffsetKey {
    OffsetKey { group: "g".into(), topic: "t".into(), partition: 0 }
}

fn fresh(path: &Path) -> World {
    let world = World::open(path);
    world.topics.create("t", 1, BTreeMap::new()).unwrap();
    world
}

#[test]
fn commit_and_abort_end_the_transaction_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    let world = fresh(dir.path());
    let producer = world.init();
    world.begin(producer, 0);
    world.offset(producer, 5);
    assert_eq!(world.seen(), (1, 0, 0, None));
    world.transactions.end(world.reach(), "tx", producer, true).unwrap();
    assert_eq!(world.seen(), (2, 2, 0, Some(5)));
    assert_eq!(world.transactions.end(world.reach(), "tx", producer, true), Ok(()), "again");
    assert_eq!(world.transactions.end(world.reach(), "tx", producer, false), Err(ResponseError::InvalidTxnState));
    world.begin(producer, 1);
    world.offset(producer, 9);
    world.transactions.end(world.reach(), "tx", producer, false).unwrap();
    assert_eq!(world.seen(), (4, 4, 1, Some(5)));
}

#[test]
fn records_outside_an_open_transaction_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let world = fresh(dir.path());
    let producer = world.init();
    assert_eq!(world.send(producer, 0), Err(ResponseError::InvalidTxnState));
    world.begin(producer, 0);
    world.transactions.end(world.reach(), "tx", producer, true).unwrap();
    assert_eq!(world.send(producer, 1), Err(ResponseError::InvalidTxnState));
}

#[test]
fn a_new_producer_fences_the_old_one_and_aborts_its_transaction() {
    let dir = tempfile::tempdir().unwrap();
    let world = fresh(dir.path());
    let old = world.init();
    world.begin(old, 0);
    let new = world.init();
    assert!(new.id == old.id && new.epoch > old.epoch);
    assert_eq!(world.seen(), (2, 2, 1, None));
    assert_eq!(world.transactions.end(world.reach(), "tx", old, true), Err(ResponseError::ProducerFenced));
    assert_eq!(world.send(old, 1), Err(ResponseError::InvalidProducerEpoch));
    let known = |p| world.transactions.init(world.reach(), "tx", 1000, Some(p));
    assert_eq!(known(old), Err(ResponseError::ProducerFenced));
    let bumped = known(new).unwrap();
    assert_eq!(bumped.epoch, new.epoch + 1);
    assert_eq!(known(new), Ok(bumped), "a lost answer is given again");
}

#[test]
fn an_open_transaction_goes_on_after_a_crash() {
    let dir = tempfile::tempdir().unwrap();
    let world = fresh(dir.path());
    let producer = world.init();
    world.begin(producer, 0);
    world.offset(producer, 5);
    drop(world);
    let world = World::open(dir.path());
    assert_eq!(world.seen(), (1, 0, 0, None));
    assert_eq!(world.groups.committed(&key(), true), Err(ResponseError::UnstableOffsetCommit));
    world.send(producer, 1).unwrap();
    world.transactions.end(world.reach(), "tx", producer, true).unwrap();
    assert_eq!(world.seen(), (3, 3, 0, Some(5)));
}

#[test]
fn what_was_prepared_is_finished_after_a_crash_at_any_point() {
    for (marker, offsets) in [(false, false), (true, false), (true, true)] {
        let dir = tempfile::tempdir().unwrap();
        let world = fresh(dir.path());
        let producer = world.init();
        world.begin(producer, 0);
        world.offset(producer, 5);
        let entry = world.transactions.find("tx").unwrap();
        let mut record = entry.lock();
        let next = TxnRecord { status: Status::PrepareCommit, ..record.clone() };
        let prepared = next.clone();
        world.transactions.store("tx", &mut record, next).unwrap();
        if marker {
            let partition = world.topics.partition("t", 0).unwrap();
            partition.log().append_marker(batch::Marker::Commit, producer.id, producer.epoch, 1).unwrap();
        }
        if offsets {
            let all = prepared.offsets.iter().map(|p| (p.key.clone(), p.committed.clone())).collect();
            world.groups.end_pending(producer.id, all).unwrap();
        }
        drop(record);
        drop(world);
        let world = World::open(dir.path());
        assert_eq!(world.seen(), (2, 2, 0, Some(5)), "marker {marker}, offsets {offsets}");
        assert_eq!(world.transactions.end(world.reach(), "tx", producer, true), Ok(()));
    }
}

#[test]
fn an_overdue_transaction_is_aborted_and_its_producer_fenced() {
    let dir = tempfile::tempdir().unwrap();
    let world = fresh(dir.path());
    let producer = world.init();
    world.begin(producer, 0);
    world.transactions.tick(world.reach(), now_ms());
    assert_eq!(world.seen(), (1, 0, 0, None));
    world.transactions.tick(world.reach(), now_ms() + 5000);
    assert_eq!(world.seen(), (2, 2, 1, None));
    assert_eq!(world.transactions.end(world.reach(), "tx", producer, true), Err(ResponseError::ProducerFenced));
}

#[test]
fn records_of_no_transaction_are_aborted_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let world = fresh(dir.path());
    let producer = world.init();
    world.begin(producer, 0);
    drop(world);
    std::fs::remove_file(dir.path().join("transactions.map")).unwrap();
    assert_eq!(World::open(dir.path()).seen(), (2, 2, 1, None));
}

#[test]
fn producer_ids_are_never_given_twice() {
    let dir = tempfile::tempdir().unwrap();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..3 {
        let world = World::open(dir.path());
        for _ in 0..1500 {
            assert!(seen.insert(world.transactions.new_producer().unwrap().id));
        }
    }
}

#[test]
fn a_timeout_beyond_bounds_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::open(dir.path());
    for timeout in [0, -5, i32::MAX] {
        let refused = world.transactions.init(world.reach(), "tx", timeout, None);
        assert_eq!(refused, Err(ResponseError::InvalidTransactionTimeout));
    }
}

#[test]
fn long_unused_ids_are_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::open(dir.path());
    let producer = world.init();
    world.transactions.expire(now_ms());
    assert!(world.transactions.find("tx").is_some());
    world.transactions.expire(now_ms() + 8 * 24 * 3600 * 1000);
    assert!(world.transactions.find("tx").is_none());
    assert_eq!(world.transactions.end(world.reach(), "tx", producer, true), Err(ResponseError::InvalidProducerIdMapping));
}
