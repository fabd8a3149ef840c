//! Physical keys: store prefix, time bucket, and the end of a prefix.

use crate::StoreRef;
use crate::window::ordered;

/// Bytes of store id and partition.
pub(super) const PREFIX: usize = 6;
/// Bytes of a time bucket.
pub(super) const BUCKET: usize = 8;

/// The prefix of a store partition.
pub(super) fn prefix(store: StoreRef) -> [u8; PREFIX] {
    let id = store.id.to_be_bytes();
    let partition = store.partition.to_be_bytes();
    [id[0], id[1], id[2], id[3], partition[0], partition[1]]
}

/// The prefix of a time bucket of a store partition.
pub(super) fn bucket_prefix(store: StoreRef, bucket: i64) -> [u8; PREFIX + BUCKET] {
    let mut out = [0; PREFIX + BUCKET];
    out[..PREFIX].copy_from_slice(&prefix(store));
    out[PREFIX..].copy_from_slice(&ordered(bucket));
    out
}

/// The first key after all that begin with this prefix; empty prefixes and those of 0xFF alone end at nothing, which
/// store ids never reach.
pub(super) fn next_prefix(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < 0xFF {
            end.push(last + 1);
            break;
        }
    }
    end
}

/// A physical key without what stands before the store's own key.
pub(super) fn strip(key: &[u8], skip: usize) -> &[u8] {
    key.get(skip..).unwrap_or_default()
}
