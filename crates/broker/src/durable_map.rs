//! A sorted map whose changes survive the process: an append file of checksummed frames, rewritten when it is mostly old.
//!
//! A frame is `length u32, crc32c u32, changes`; a change is `key, present u8, value`. All changes of a frame count, or none.

use crate::{
    codec::{Damaged, Input, Stored},
    config::Fsync,
    datadir::sync_folder,
    error::BrokerError,
};
use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::Read,
    os::unix::fs::FileExt,
    path::PathBuf,
};

const MAGIC: &[u8; 8] = b"flumenM\x01";
const FRAME_HEADER: usize = 8;
/// A file smaller than this is never rewritten.
const SMALL: u64 = 1 << 20;
/// A file this many times larger than after its last rewriting is rewritten.
const GROWTH: u64 = 4;
const CHANGES_PER_FRAME: usize = 256;

/// The map. Reads come from memory.
#[derive(Debug)]
pub struct DurableMap<K, V> {
    path: PathBuf,
    file: File,
    length: u64,
    rewritten: u64,
    live: BTreeMap<K, V>,
    fsync: Fsync,
}

impl<K: Stored + Ord + Clone, V: Stored> DurableMap<K, V> {
    /// Reads the map at `path`, or makes an empty one. A torn last frame is cut off: it was never acknowledged.
    pub fn open(path: PathBuf, fsync: Fsync) -> Result<Self, BrokerError> {
        let mut file =
            OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path).map_err(BrokerError::io("open", &path))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(BrokerError::io("read", &path))?;
        let mut live = BTreeMap::new();
        let mut length = MAGIC.len();
        match bytes.split_first_chunk::<8>() {
            Some((magic, mut rest)) if magic == MAGIC => {
                while let Some((payload, after)) = frame(rest) {
                    apply_frame(&mut live, payload).map_err(|Damaged(reason)| BrokerError::Damaged { path: path.clone(), reason })?;
                    length += rest.len() - after.len();
                    rest = after;
                }
                if !rest.is_empty() {
                    tracing::warn!(path = %path.display(), bytes = rest.len(), "cut a torn tail off");
                }
            }
            Some(_) => return Err(BrokerError::Damaged { path, reason: "it is of another kind or version" }),
            None => {
                file.write_all_at(MAGIC, 0).map_err(BrokerError::io("write", &path))?;
                if fsync == Fsync::Always {
                    // What is forced into the file later would be lost with its name.
                    let named = path.parent().map_or(Ok(()), sync_folder);
                    file.sync_all().and(named).map_err(BrokerError::io("write", &path))?;
                }
            }
        }
        let length = length as u64;
        file.set_len(length).map_err(BrokerError::io("truncate", &path))?;
        let mut map = Self { path, file, length, rewritten: 0, live, fsync };
        map.rewritten = if map.live.is_empty() { 0 } else { length };
        if length > SMALL {
            map.rewrite().map_err(BrokerError::io("rewrite", map.path.clone()))?;
        }
        Ok(map)
    }

    /// The value of `key`.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.live.get(key)
    }

    /// Everything, by key.
    pub fn live(&self) -> &BTreeMap<K, V> {
        &self.live
    }

    /// Makes changes durable, all or none, then visible. `None` removes a key.
    pub fn commit(&mut self, changes: Vec<(K, Option<V>)>) -> std::io::Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let bytes = encode_frame(changes.iter().map(|(key, value)| (key, value.as_ref())));
        // A failed write leaves a tail that the next one overwrites and a start cuts off.
        self.file.write_all_at(&bytes, self.length)?;
        if self.fsync == Fsync::Always {
            self.file.sync_data()?;
        }
        self.length += bytes.len() as u64;
        for (key, value) in changes {
            match value {
                Some(value) => drop(self.live.insert(key, value)),
                None => drop(self.live.remove(&key)),
            }
        }
        if self.length > SMALL.max(self.rewritten * GROWTH)
            && let Err(error) = self.rewrite()
        {
            // The old file is whole and stays in use.
            tracing::warn!(path = %self.path.display(), %error, "cannot rewrite");
            self.rewritten = self.length;
        }
        Ok(())
    }

    fn rewrite(&mut self) -> std::io::Result<()> {
        let temporary = self.path.with_extension("new");
        let mut bytes = MAGIC.to_vec();
        let mut entries = self.live.iter().peekable();
        while entries.peek().is_some() {
            bytes.extend(encode_frame(entries.by_ref().take(CHANGES_PER_FRAME).map(|(key, value)| (key, Some(value)))));
        }
        let file = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&temporary)?;
        file.write_all_at(&bytes, 0)?;
        file.sync_data()?;
        std::fs::rename(&temporary, &self.path)?;
        if let Some(folder) = self.path.parent() {
            // Where the file system needs this, without it a loss of power brings the old file back, which is whole.
            let _ = sync_folder(folder);
        }
        self.file = file;
        self.length = bytes.len() as u64;
        self.rewritten = self.length;
        Ok(())
    }
}

fn encode_frame<'a, K: Stored + 'a, V: Stored + 'a>(changes: impl Iterator<Item = (&'a K, Option<&'a V>)>) -> Vec<u8> {
    let mut bytes = vec![0; FRAME_HEADER];
    for (key, value) in changes {
        key.write(&mut bytes);
        match value {
            None => bytes.push(0),
            Some(value) => {
                bytes.push(1);
                value.write(&mut bytes);
            }
        }
    }
    let (header, payload) = bytes.split_at_mut(FRAME_HEADER);
    let mut front = Vec::with_capacity(FRAME_HEADER);
    (payload.len() as u32).write(&mut front);
    crc32c::crc32c(payload).write(&mut front);
    header.copy_from_slice(&front);
    bytes
}

/// The payload of the frame at the front, and what follows; `None` if there is no whole, sound frame.
fn frame(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut input = Input(bytes);
    let length = u32::read(&mut input).ok()?;
    let crc = u32::read(&mut input).ok()?;
    let payload = input.take(usize::try_from(length).ok()?).ok()?;
    (!payload.is_empty() && crc32c::crc32c(payload) == crc).then_some((payload, input.0))
}

fn apply_frame<K: Stored + Ord, V: Stored>(live: &mut BTreeMap<K, V>, payload: &[u8]) -> Result<(), Damaged> {
    let mut input = Input(payload);
    while !input.0.is_empty() {
        let key = K::read(&mut input)?;
        match Option::<V>::read(&mut input)? {
            Some(value) => drop(live.insert(key, value)),
            None => drop(live.remove(&key)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Map = DurableMap<String, i64>;

    fn put(map: &mut Map, key: &str, value: i64) {
        map.commit(vec![(key.to_string(), Some(value))]).unwrap();
    }

    #[test]
    fn changes_survive_reopening() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.map");
        let mut map = Map::open(path.clone(), Fsync::System).unwrap();
        put(&mut map, "a", 1);
        put(&mut map, "b", 2);
        map.commit(vec![("a".into(), Some(3)), ("b".into(), None), ("c".into(), Some(4))]).unwrap();
        let expected = BTreeMap::from([("a".to_string(), 3), ("c".to_string(), 4)]);
        assert_eq!(map.live(), &expected);
        drop(map);
        assert_eq!(Map::open(path, Fsync::System).unwrap().live(), &expected);
    }

    #[test]
    fn a_file_cut_anywhere_gives_a_state_that_once_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.map");
        let mut map = Map::open(path.clone(), Fsync::System).unwrap();
        put(&mut map, "a", 1);
        map.commit(vec![("a".into(), Some(2)), ("b".into(), Some(2))]).unwrap();
        drop(map);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let mut map = Map::open(path.clone(), Fsync::System).unwrap();
            assert!(map.get(&"b".to_string()).is_none());
            assert!(matches!(map.get(&"a".to_string()), None | Some(1)));
            put(&mut map, "z", 9);
            drop(map);
            assert_eq!(Map::open(path.clone(), Fsync::System).unwrap().get(&"z".to_string()), Some(&9));
        }
        for flip in 8..whole.len() {
            let mut bytes = whole.clone();
            bytes[flip] ^= 1;
            std::fs::write(&path, &bytes).unwrap();
            assert!(Map::open(path.clone(), Fsync::System).unwrap().get(&"b".to_string()).is_none(), "byte {flip}");
        }
    }

    #[test]
    fn the_file_does_not_grow_with_the_number_of_changes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.map");
        let mut map = Map::open(path.clone(), Fsync::System).unwrap();
        for i in 0..100_000 {
            put(&mut map, "some key that takes a few bytes", i);
        }
        assert!(std::fs::metadata(&path).unwrap().len() <= SMALL + 100);
        drop(map);
        assert_eq!(Map::open(path, Fsync::System).unwrap().live().values().copied().collect::<Vec<_>>(), [99_999]);
    }

    #[test]
    fn a_file_of_another_kind_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.map");
        std::fs::write(&path, b"something else entirely").unwrap();
        assert!(matches!(Map::open(path, Fsync::System), Err(BrokerError::Damaged { .. })));
    }
}
