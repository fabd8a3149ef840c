//! A start: prepared transactions are finished, open ones go on, and what belongs to none is aborted.

use super::{Reach, Status, Transactions};
use crate::clock::now_ms;
use flumen_wire::batch::Marker;
use kafka_protocol::ResponseError;
use std::collections::{HashMap, HashSet};

impl Transactions {
    /// Brings transactions, logs and groups in line.
    pub fn recover(&self, reach: Reach<'_>) -> Result<(), ResponseError> {
        let mut owners = HashMap::new();
        for (id, entry) in self.entries() {
            let mut record = entry.lock();
            match record.status {
                Status::PrepareCommit | Status::PrepareAbort => self.finish(reach, &id, &mut record)?,
                Status::Ongoing => {
                    let keys: Vec<_> = record.offsets.iter().map(|p| p.key.clone()).collect();
                    reach.groups.restore_pending(record.producer_id, &keys);
                    owners.insert(record.producer_id, record.partitions.iter().cloned().collect::<HashSet<_>>());
                }
                Status::Empty | Status::Committed | Status::Aborted => {}
            }
        }
        for topic in reach.topics.all() {
            for (index, partition) in (0i32..).zip(topic.partitions()) {
                let mut log = partition.log();
                for (producer_id, epoch) in log.open_transactions() {
                    let owned = owners.get(&producer_id).is_some_and(|p| p.contains(&(topic.name().to_string(), index)));
                    if owned {
                        continue;
                    }
                    // Only a power loss can part the log from its transaction. Nobody will end this one.
                    tracing::warn!(topic = topic.name(), partition = index, producer_id, "aborting records of an unknown transaction");
                    let _ = log.append_marker(Marker::Abort, producer_id, epoch, now_ms());
                }
            }
        }
        Ok(())
    }
}
