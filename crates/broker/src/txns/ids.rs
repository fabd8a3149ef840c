//! Producer ids: never given twice, also not after a crash.

use crate::{config::Fsync, datadir::DataDir, durable_map::DurableMap, error::BrokerError, topics::coordinator_storage};
use kafka_protocol::ResponseError;

/// Ids reserved with one write.
const BLOCK: i64 = 1000;
const KEY: &str = "next";

/// The source of producer ids.
#[derive(Debug)]
pub struct ProducerIds {
    durable: DurableMap<String, i64>,
    next: i64,
    reserved: i64,
}

impl ProducerIds {
    /// Goes on after the last reserved block.
    pub fn open(dir: &DataDir) -> Result<Self, BrokerError> {
        // A loss of power must not give an id again: its new owner's records would pass for those of the old one. One write is many ids.
        let durable = DurableMap::<String, i64>::open(dir.map("producer-ids"), Fsync::Always)?;
        let next = durable.get(&KEY.to_string()).copied().unwrap_or(0);
        Ok(Self { durable, next, reserved: next })
    }

    /// The next id.
    pub fn next(&mut self) -> Result<i64, ResponseError> {
        if self.next >= self.reserved {
            let reserved = self.next.checked_add(BLOCK).ok_or(ResponseError::UnknownServerError)?;
            self.durable.commit(vec![(KEY.to_string(), Some(reserved))]).map_err(coordinator_storage)?;
            self.reserved = reserved;
        }
        self.next += 1;
        Ok(self.next - 1)
    }
}
