//! The changes of one commit, copied out of the overlay.

/// Changes of one generation in the order their keys were first changed, in one buffer.
#[derive(Debug, Default)]
pub struct Frozen {
    bytes: Vec<u8>,
    entries: Vec<(u32, u32, Option<u32>)>,
    pub(super) generation: u64,
}

impl Frozen {
    /// No changes yet, with room for this many keys of this many bytes with their values.
    pub(super) fn with_room(generation: u64, keys: usize, bytes: usize) -> Frozen {
        Frozen { bytes: Vec::with_capacity(bytes), entries: Vec::with_capacity(keys), generation }
    }

    /// Number of changed keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True without changes.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Each key with its new value, `None` when it was deleted.
    pub fn changes(&self) -> impl ExactSizeIterator<Item = (&[u8], Option<&[u8]>)> {
        self.entries.iter().map(|&(start, key_end, value_end)| {
            let key = &self.bytes[start as usize..key_end as usize];
            (key, value_end.map(|end| &self.bytes[key_end as usize..end as usize]))
        })
    }

    /// Adds a change, for restoring from a changelog.
    pub fn push(&mut self, key: &[u8], value: Option<&[u8]>) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(key);
        let key_end = self.bytes.len() as u32;
        let value_end = value.map(|v| {
            self.bytes.extend_from_slice(v);
            self.bytes.len() as u32
        });
        self.entries.push((start, key_end, value_end));
    }

    /// Bytes held.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }
}
