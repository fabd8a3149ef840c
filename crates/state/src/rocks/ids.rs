//! Store ids of one data directory: allocated in order, never reused, mapped from full store names in the default family.

use std::collections::HashMap;

use rocksdb::{DB, Direction, IteratorMode};

use super::fault;
use crate::StateError;

const NAME: u8 = b'N';
const META: u8 = b'M';
const NEXT: &[u8] = b"next-store-id";

/// The key of a meta entry in the default family.
pub(super) fn meta_key(key: &[u8]) -> Vec<u8> {
    [&[META], key].concat()
}

/// The names in memory; written through.
pub(super) struct Ids {
    names: HashMap<String, (u32, i64)>,
    next: u32,
}

impl Ids {
    pub(super) fn load(db: &DB) -> Result<Self, StateError> {
        let mut names = HashMap::new();
        for row in db.iterator(IteratorMode::From(&[NAME], Direction::Forward)) {
            let (key, value) = row.map_err(fault)?;
            let Some((&NAME, name)) = key.split_first() else { break };
            let name = String::from_utf8(name.to_vec()).map_err(|_| damaged("a store name"))?;
            names.insert(name, decode(&value)?);
        }
        let next = match db.get(NEXT).map_err(fault)? {
            Some(bytes) => u32::from_be_bytes(bytes.as_slice().try_into().map_err(|_| damaged("the next store id"))?),
            None => 1,
        };
        Ok(Ids { names, next })
    }

    pub(super) fn find(&self, name: &str) -> Option<(u32, i64)> {
        self.names.get(name).copied()
    }

    pub(super) fn open(&mut self, db: &DB, name: &str, bucket_ms: i64) -> Result<(u32, i64), StateError> {
        if let Some(found) = self.find(name) {
            return Ok(found);
        }
        let entry = (self.next, bucket_ms);
        let mut batch = rocksdb::WriteBatch::default();
        batch.put(NEXT, (self.next + 1).to_be_bytes());
        batch.put([&[NAME], name.as_bytes()].concat(), encode(entry));
        db.write(batch).map_err(fault)?;
        self.next += 1;
        self.names.insert(name.to_string(), entry);
        Ok(entry)
    }

    pub(super) fn remove(&mut self, db: &DB, name: &str) -> Result<Option<(u32, i64)>, StateError> {
        db.delete([&[NAME], name.as_bytes()].concat()).map_err(fault)?;
        Ok(self.names.remove(name))
    }
}

fn damaged(what: &str) -> StateError {
    StateError::Corrupt(format!("{what} does not read"))
}

fn encode((id, bucket_ms): (u32, i64)) -> Vec<u8> {
    [id.to_be_bytes().as_slice(), &bucket_ms.to_be_bytes()].concat()
}

fn decode(bytes: &[u8]) -> Result<(u32, i64), StateError> {
    let (id, bucket) = bytes.split_first_chunk::<4>().ok_or_else(|| damaged("a store id"))?;
    let bucket: [u8; 8] = bucket.try_into().map_err(|_| damaged("a store id"))?;
    Ok((u32::from_be_bytes(*id), i64::from_be_bytes(bucket)))
}
