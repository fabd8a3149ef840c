//! What the backend surely lacks, so that nothing is read for a key that is new.
//!
//! A store, or a bucket of a windowed one, that is empty when it is first asked for holds from then on only what its task
//! puts there. A Bloom filter of these keys answers for all others. What was not empty is not known, and is read.

use crate::{Backend, StateError, StoreRef, bucket_of, split_window_key};

/// Buckets that are watched at once; older ones are read.
const BUCKETS: usize = 64;
/// Keys of the first layer of a filter.
const FIRST: usize = 1024;
/// Layers of a filter, each twice as large as the one before: 1M keys in 2 MB.
const LAYERS: usize = 10;
/// Bits of a filter a key: about 1 % of the keys that are not there are read in vain.
const BITS_PER_KEY: usize = 16;

/// The filters of a store.
pub(super) struct Absent {
    /// By bucket; none where what is there is not known.
    buckets: Vec<(i64, Option<Filter>)>,
    /// Buckets before this are not watched.
    floor: i64,
}

impl Absent {
    pub fn new() -> Absent {
        Absent { buckets: Vec::new(), floor: i64::MIN }
    }

    /// Forgets everything: the backend has changed.
    pub fn clear(&mut self) {
        *self = Absent::new();
    }

    /// True when neither the backend nor an earlier change has this key.
    pub fn lacks(&mut self, backend: &dyn Backend, store: StoreRef, key: &[u8], hash: u64) -> Result<bool, StateError> {
        let Some(bucket) = bucket(store, key).filter(|b| *b >= self.floor) else { return Ok(false) };
        let at = match self.at(bucket) {
            Some(at) => at,
            None => {
                let filter = backend.is_vacant(store, bucket)?.then(Filter::default);
                self.watch(bucket, filter);
                return Ok(self.at(bucket).and_then(|at| self.buckets.get(at)).is_some_and(|(_, filter)| filter.is_some()));
            }
        };
        Ok(self.buckets.get(at).and_then(|(_, filter)| filter.as_ref()).is_some_and(|filter| !filter.may_have(hash)))
    }

    /// A key is given a value.
    pub fn note(&mut self, store: StoreRef, key: &[u8], hash: u64) {
        let Some(bucket) = bucket(store, key).filter(|b| *b >= self.floor) else { return };
        match self.at(bucket).and_then(|at| self.buckets.get_mut(at)) {
            Some((_, filter)) => {
                if filter.as_mut().is_some_and(|f| !f.add(hash)) {
                    *filter = None;
                }
            }
            // Written before it was asked for: what the backend has is not known.
            None => self.watch(bucket, None),
        }
    }

    fn at(&self, bucket: i64) -> Option<usize> {
        self.buckets.iter().rposition(|(b, _)| *b == bucket)
    }

    fn watch(&mut self, bucket: i64, filter: Option<Filter>) {
        if self.buckets.len() >= BUCKETS {
            let oldest = self.buckets.iter().map(|(b, _)| *b).min().unwrap_or(bucket).min(bucket);
            self.floor = oldest.saturating_add(1);
            self.buckets.retain(|(b, _)| *b > oldest);
        }
        if bucket >= self.floor {
            self.buckets.push((bucket, filter));
        }
    }
}

/// The bucket of a key; a key-value store is one bucket.
fn bucket(store: StoreRef, key: &[u8]) -> Option<i64> {
    if store.bucket_ms == 0 {
        return Some(0);
    }
    split_window_key(key).ok().map(|(_, start)| bucket_of(start, store.bucket_ms))
}

/// A Bloom filter that grows by layers.
#[derive(Default)]
struct Filter {
    layers: Vec<Layer>,
}

/// A Bloom filter whose bits of one key lie in one block, that is in one cache line.
struct Layer {
    blocks: Vec<[u64; 8]>,
    left: usize,
}

impl Filter {
    /// Adds a key. False when there is no room left: the filter is of no more use.
    fn add(&mut self, hash: u64) -> bool {
        if self.may_have(hash) {
            return true;
        }
        if self.layers.last().is_none_or(|l| l.left == 0) {
            if self.layers.len() == LAYERS {
                return false;
            }
            let keys = FIRST << self.layers.len();
            self.layers.push(Layer { blocks: vec![[0; 8]; keys * BITS_PER_KEY / 512], left: keys });
        }
        if let Some(layer) = self.layers.last_mut() {
            layer.left -= 1;
            let block = layer.block(hash);
            for (word, bit) in places(hash) {
                layer.blocks[block][word] |= bit;
            }
        }
        true
    }

    fn may_have(&self, hash: u64) -> bool {
        let has = |layer: &Layer| {
            let block = &layer.blocks[layer.block(hash)];
            places(hash).all(|(word, bit)| block[word] & bit != 0)
        };
        self.layers.iter().rev().any(has)
    }
}

impl Layer {
    fn block(&self, hash: u64) -> usize {
        ((hash >> 32) as usize * self.blocks.len()) >> 32
    }
}

/// Six bits of a block of 512.
fn places(hash: u64) -> impl Iterator<Item = (usize, u64)> {
    let mut bits = (hash & 0xFFFF_FFFF).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (0..6).map(move |_| {
        let place = bits >> 55;
        bits <<= 9;
        ((place >> 6) as usize, 1 << (place & 63))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(n: u64) -> u64 {
        ahash::RandomState::with_seeds(1, 2, 3, 4).hash_one(n)
    }

    #[test]
    fn no_key_is_denied_and_few_others_are_held_possible() {
        let mut filter = Filter::default();
        let wrong = (0..200_000).filter(|n| {
            let possible = filter.may_have(hash(*n));
            assert!(filter.add(hash(*n)));
            possible
        });
        let wrong = wrong.count();
        assert!((0..200_000).all(|n| filter.may_have(hash(n))));
        assert!(wrong < 10_000, "{wrong} of 200,000 new keys would be read");
    }

    #[test]
    fn a_filter_ends_where_it_would_grow_too_large() {
        let mut filter = Filter::default();
        assert!(!(0..2_000_000).all(|n| filter.add(hash(n))));
    }
}
