//! Entries by text key in the order of first appearance, as results that are maps need them.

use ahash::HashMap;
use flumen_types::Value;

/// Entries of which each key is there once; setting a key again keeps its place.
pub(super) struct Ordered<V> {
    entries: Vec<(String, V)>,
    places: HashMap<String, usize>,
}

impl<V> Ordered<V> {
    /// No entries.
    pub fn new() -> Self {
        Ordered { entries: Vec::new(), places: HashMap::default() }
    }

    /// Sets a key.
    pub fn put(&mut self, key: &str, value: V) {
        match self.places.get(key).and_then(|place| self.entries.get_mut(*place)) {
            Some(known) => known.1 = value,
            None => {
                self.places.insert(key.to_string(), self.entries.len());
                self.entries.push((key.to_string(), value));
            }
        }
    }

    /// The entries.
    pub fn into_entries(self) -> Vec<(String, V)> {
        self.entries
    }
}

impl Ordered<Value> {
    /// The entries as a MAP.
    pub fn into_map(self) -> Value {
        Value::Map(self.entries.into_iter().map(|(k, v)| (Value::String(k), v)).collect())
    }
}
