//! Transactions: producer ids, and the coordinator that ends transactions in all partitions and groups, or in none.
//!
//! Every step is durable before it is acknowledged: prepare, then markers and offsets, then complete. A start finishes what was prepared.

mod end;
mod ids;
mod record;
mod recover;

pub use record::{Pending, Status, TxnRecord};

use crate::{
    clock::now_ms,
    config::TransactionSettings,
    datadir::DataDir,
    durable_map::DurableMap,
    error::BrokerError,
    groups::Groups,
    topics::{Topics, coordinator_storage},
};
use ids::ProducerIds;
use kafka_protocol::ResponseError;
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, atomic::AtomicI64},
};

/// A producer as it names itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProducerName {
    /// Its id.
    pub id: i64,
    /// Its epoch.
    pub epoch: i16,
}

/// What a transaction touches.
#[derive(Clone, Copy, Debug)]
pub struct Reach<'a> {
    /// Partitions.
    pub topics: &'a Topics,
    /// Groups.
    pub groups: &'a Groups,
}

/// The transaction coordinator.
#[derive(Debug)]
pub struct Transactions {
    settings: TransactionSettings,
    ids: Mutex<ProducerIds>,
    durable: Mutex<DurableMap<String, TxnRecord>>,
    /// One lock a transactional id: what happens to a transaction happens in one order. Taken before the locks of groups and logs.
    live: Mutex<HashMap<String, Arc<Mutex<TxnRecord>>>>,
    /// Before this time, in milliseconds since 1970, nothing is tried again that the disk has refused.
    retry_at: AtomicI64,
}

impl Transactions {
    /// Reads the transactions of a data directory. [`Transactions::recover`] has to follow.
    pub fn open(dir: &DataDir, settings: TransactionSettings) -> Result<Self, BrokerError> {
        let durable = DurableMap::<String, TxnRecord>::open(dir.map("transactions"), dir.fsync())?;
        let live = durable.live().iter().map(|(id, record)| (id.clone(), Arc::new(Mutex::new(record.clone())))).collect();
        let ids = ProducerIds::open(dir)?;
        Ok(Self { settings, ids: Mutex::new(ids), durable: Mutex::new(durable), live: Mutex::new(live), retry_at: AtomicI64::new(0) })
    }

    /// A new id for an idempotent producer without transactions.
    pub fn new_producer(&self) -> Result<ProducerName, ResponseError> {
        Ok(ProducerName { id: self.ids.lock().next()?, epoch: 0 })
    }

    /// A producer begins to use a transactional id: what an earlier one left open is aborted, and the earlier one is fenced.
    ///
    /// `known` is the name of a producer that goes on after an error.
    pub fn init(&self, reach: Reach<'_>, id: &str, timeout_ms: i32, known: Option<ProducerName>) -> Result<ProducerName, ResponseError> {
        let longest = i32::try_from(self.settings.max_timeout.as_millis()).unwrap_or(i32::MAX);
        if id.is_empty() {
            return Err(ResponseError::InvalidRequest);
        }
        if timeout_ms <= 0 || timeout_ms > longest {
            return Err(ResponseError::InvalidTransactionTimeout);
        }
        let entry = match self.find(id) {
            Some(entry) => entry,
            None if known.is_some() => return Err(ResponseError::InvalidProducerIdMapping),
            None => {
                let fresh = TxnRecord::new(self.ids.lock().next()?, now_ms());
                self.live.lock().entry(id.to_string()).or_insert_with(|| Arc::new(Mutex::new(fresh))).clone()
            }
        };
        let mut record = entry.lock();
        if let Some(known) = known {
            if known.id != record.producer_id || (known.epoch != record.epoch && known.epoch != record.last_epoch) {
                return Err(ResponseError::ProducerFenced);
            }
            if known.epoch == record.last_epoch && record.status == Status::Empty {
                // The answer to its first try was lost.
                return Ok(record.producer());
            }
        }
        if record.status == Status::Ongoing {
            self.abort_and_fence(reach, id, &mut record)?;
        }
        self.finish_if_prepared(reach, id, &mut record)?;
        let mut next = record.clone();
        if record.epoch >= i16::MAX - 1 {
            next = TxnRecord::new(self.ids.lock().next()?, now_ms());
        }
        next.last_epoch = next.epoch;
        next.epoch += 1;
        next.status = Status::Empty;
        next.timeout_ms = timeout_ms;
        self.store(id, &mut record, next)?;
        Ok(record.producer())
    }

    /// Adds partitions to a transaction, which begins if there is none.
    pub fn add_partitions(
        &self,
        reach: Reach<'_>,
        id: &str,
        producer: ProducerName,
        partitions: Vec<(String, i32)>,
    ) -> Result<(), ResponseError> {
        self.within(reach, id, producer, |next| {
            let mut known: HashSet<_> = next.partitions.iter().cloned().collect();
            next.partitions.extend(partitions.into_iter().filter(|partition| known.insert(partition.clone())));
        })
    }

    /// Adds a group whose offsets the transaction will commit.
    pub fn add_group(&self, reach: Reach<'_>, id: &str, producer: ProducerName, group: &str) -> Result<(), ResponseError> {
        self.within(reach, id, producer, |next| {
            if !next.groups.iter().any(|g| g == group) {
                next.groups.push(group.to_string());
            }
        })
    }

    /// Keeps offsets that count if the transaction is committed. `check` asks the group whether they may.
    pub fn add_offsets(
        &self,
        id: &str,
        producer: ProducerName,
        group: &str,
        offsets: Vec<Pending>,
        check: impl FnOnce() -> Result<(), ResponseError>,
    ) -> Result<(), ResponseError> {
        let entry = self.find(id).ok_or(ResponseError::InvalidProducerIdMapping)?;
        let mut record = entry.lock();
        record.check(producer)?;
        if record.status != Status::Ongoing || !record.groups.iter().any(|g| g == group) {
            return Err(ResponseError::InvalidTxnState);
        }
        check()?;
        let mut next = record.clone();
        let latest: BTreeMap<_, _> = offsets.into_iter().map(|pending| (pending.key.clone(), pending)).collect();
        next.offsets.retain(|old| !latest.contains_key(&old.key));
        next.offsets.extend(latest.into_values());
        self.store(id, &mut record, next)
    }

    /// Runs `append` while the transaction is surely open in this partition: it cannot end meanwhile.
    pub fn append<T>(
        &self,
        id: &str,
        producer: ProducerName,
        topic: &str,
        partition: i32,
        append: impl FnOnce() -> T,
    ) -> Result<T, ResponseError> {
        let entry = self.find(id).ok_or(ResponseError::InvalidProducerIdMapping)?;
        let record = entry.lock();
        match record.check(producer) {
            Err(ResponseError::ProducerFenced) => return Err(ResponseError::InvalidProducerEpoch),
            checked => checked?,
        }
        if record.status != Status::Ongoing || !record.partitions.iter().any(|(t, p)| t == topic && *p == partition) {
            return Err(ResponseError::InvalidTxnState);
        }
        Ok(append())
    }

    fn within(&self, reach: Reach<'_>, id: &str, producer: ProducerName, change: impl FnOnce(&mut TxnRecord)) -> Result<(), ResponseError> {
        let entry = self.find(id).ok_or(ResponseError::InvalidProducerIdMapping)?;
        let mut record = entry.lock();
        record.check(producer)?;
        self.finish_if_prepared(reach, id, &mut record)?;
        let mut next = record.clone();
        if next.status != Status::Ongoing {
            next.begin(now_ms());
        }
        change(&mut next);
        if next == *record { Ok(()) } else { self.store(id, &mut record, next) }
    }

    fn find(&self, id: &str) -> Option<Arc<Mutex<TxnRecord>>> {
        self.live.lock().get(id).cloned()
    }

    fn entries(&self) -> Vec<(String, Arc<Mutex<TxnRecord>>)> {
        self.live.lock().iter().map(|(id, entry)| (id.clone(), entry.clone())).collect()
    }

    /// How many transactions are open or being ended.
    pub fn open_count(&self) -> usize {
        // Who holds the lock of one is at work on it.
        self.live.lock().values().filter(|entry| entry.try_lock().is_none_or(|record| !record.is_settled())).count()
    }

    /// Makes `next` durable, then current.
    fn store(&self, id: &str, record: &mut TxnRecord, mut next: TxnRecord) -> Result<(), ResponseError> {
        next.changed = now_ms();
        self.durable.lock().commit(vec![(id.to_string(), Some(next.clone()))]).map_err(coordinator_storage)?;
        *record = next;
        Ok(())
    }

    /// Forgets transactional ids that have long not been used.
    pub fn expire(&self, now: i64) {
        let kept = i64::try_from(self.settings.id_expiration.as_millis()).unwrap_or(i64::MAX);
        let mut live = self.live.lock();
        let old = |entry: &Arc<Mutex<TxnRecord>>| {
            Arc::strong_count(entry) == 1 && entry.try_lock().is_some_and(|r| r.is_settled() && now.saturating_sub(r.changed) > kept)
        };
        let gone: Vec<String> = live.iter().filter(|(_, entry)| old(entry)).map(|(id, _)| id.clone()).collect();
        let removals = gone.iter().map(|id| (id.clone(), None)).collect();
        if self.durable.lock().commit(removals).is_ok() {
            live.retain(|id, _| !gone.contains(id));
        }
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod torn;
