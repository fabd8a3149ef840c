//! Rows in memory: keys and values one behind the other in one buffer, found by hash.

use hashbrown::HashTable;

/// What a row costs beyond its key and value, in bytes.
pub(super) const ROW_BYTES: usize = std::mem::size_of::<Row>() + 8;
/// Marks a row that [`Rows::retain`] dropped.
pub(super) const GONE: u32 = u32::MAX;

/// A row. Rows are numbered in the order they came.
pub(super) struct Row {
    hash: u64,
    start: usize,
    key_len: u32,
    value_len: u32,
    /// Bytes kept for the value.
    room: u32,
    /// The step in which the row was last given a slot, and which.
    pub step: u32,
    pub slot: u32,
    present: bool,
    /// Used since the last sweep.
    pub used: bool,
    /// The generation of the last change, 0 when the backend has it.
    pub generation: u64,
}

/// The rows of an overlay.
#[derive(Default)]
pub(super) struct Rows {
    table: HashTable<u32>,
    rows: Vec<Row>,
    bytes: Vec<u8>,
}

impl Rows {
    /// The number of the row of a key.
    pub fn find(&self, key: &[u8], hash: u64) -> Option<u32> {
        let same = |id: &u32| self.rows[*id as usize].hash == hash && self.key(*id) == key;
        self.table.find(hash, same).copied()
    }

    /// Adds a row for a key that has none; the backend has it like this.
    pub fn insert(&mut self, key: &[u8], hash: u64, value: Option<&[u8]>) -> u32 {
        let id = self.rows.len() as u32;
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        let (key_len, value_len) = (key.len() as u32, value.map_or(0, <[u8]>::len) as u32);
        self.bytes.extend_from_slice(value.unwrap_or_default());
        let present = value.is_some();
        let row = Row { hash, start, key_len, value_len, room: value_len, step: 0, slot: 0, present, used: true, generation: 0 };
        self.rows.push(row);
        self.table.insert_unique(hash, id, |id| self.rows[*id as usize].hash);
        id
    }

    pub fn row(&mut self, id: u32) -> &mut Row {
        &mut self.rows[id as usize]
    }

    pub fn hash(&self, id: u32) -> u64 {
        self.rows[id as usize].hash
    }

    pub fn generation(&self, id: u32) -> u64 {
        self.rows[id as usize].generation
    }

    pub fn key(&self, id: u32) -> &[u8] {
        let row = &self.rows[id as usize];
        &self.bytes[row.start..row.start + row.key_len as usize]
    }

    /// The value of a row; `None` when there is no row of this key.
    pub fn value(&self, id: u32) -> Option<&[u8]> {
        let row = &self.rows[id as usize];
        let start = row.start + row.key_len as usize;
        row.present.then(|| &self.bytes[start..start + row.value_len as usize])
    }

    /// Sets the value of a row. One that has outgrown its room moves to the end of the buffer, to a place with half as much
    /// room again; the old place is won back by [`Rows::retain`].
    pub fn set(&mut self, id: u32, value: Option<&[u8]>) {
        let row = &mut self.rows[id as usize];
        row.present = value.is_some();
        let value = value.unwrap_or_default();
        row.value_len = value.len() as u32;
        let key = row.start..row.start + row.key_len as usize;
        if row.value_len <= row.room {
            self.bytes[key.end..key.end + value.len()].copy_from_slice(value);
            return;
        }
        // The last row of the buffer grows where it is.
        if key.end + row.room as usize == self.bytes.len() {
            self.bytes.truncate(key.end);
        } else {
            row.start = self.bytes.len();
            self.bytes.extend_from_within(key);
        }
        let first = row.room == 0;
        row.room = if first { row.value_len } else { row.value_len.saturating_add(row.value_len / 2) };
        self.bytes.extend_from_slice(value);
        self.bytes.resize(row.start + row.key_len as usize + row.room as usize, 0);
    }

    /// Bytes of memory, approximately.
    pub fn cost(&self) -> usize {
        self.bytes.len() + self.rows.len() * ROW_BYTES
    }

    /// Keeps the rows of which `keep` says so, and gives each old number its new one, or [`GONE`].
    pub fn retain(&mut self, mut keep: impl FnMut(&mut Row) -> bool) -> Vec<u32> {
        let mut old = std::mem::take(self);
        let mut moved = Vec::with_capacity(old.rows.len());
        for id in 0..old.rows.len() as u32 {
            if !keep(old.row(id)) {
                moved.push(GONE);
                continue;
            }
            let (hash, generation, used) = (old.row(id).hash, old.row(id).generation, old.row(id).used);
            let new = self.insert(old.key(id), hash, old.value(id));
            (self.row(new).generation, self.row(new).used) = (generation, used);
            moved.push(new);
        }
        moved
    }

    pub fn clear(&mut self) {
        *self = Rows::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_grow_shrink_and_vanish_in_place_and_elsewhere() {
        let mut rows = Rows::default();
        let a = rows.insert(b"a", 7, Some(b"1"));
        let b = rows.insert(b"b", 7, None);
        assert_eq!((rows.find(b"a", 7), rows.find(b"b", 7), rows.find(b"c", 7)), (Some(a), Some(b), None));
        rows.set(a, Some(b"twelve bytes"));
        rows.set(b, Some(b"b's"));
        rows.set(a, Some(b""));
        assert_eq!((rows.value(a), rows.value(b)), (Some(&b""[..]), Some(&b"b's"[..])));
        rows.set(a, Some(b"a longer one than before"));
        rows.set(b, None);
        assert_eq!((rows.key(a), rows.value(a), rows.value(b)), (&b"a"[..], Some(&b"a longer one than before"[..]), None));
        rows.row(a).generation = 3;
        let moved = rows.retain(|row| row.generation == 3);
        assert_eq!(moved, [0, GONE]);
        assert_eq!((rows.find(b"a", 7), rows.find(b"b", 7), rows.generation(0)), (Some(0), None, 3));
        assert_eq!(rows.value(0), Some(&b"a longer one than before"[..]));
        assert!(rows.cost() > 24);
    }
}
