//! Keys of windowed stores: a memcomparable key followed by the window's start.

use crate::StateError;

/// Width of the start at the end of a window key.
const START: usize = 8;

/// Appends `key ‖ start`, the start memcomparable (sign bit flipped, big-endian).
pub fn window_key(key: &[u8], start: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(key);
    out.extend(ordered(start));
}

/// The key and the start of a window key.
pub fn split_window_key(bytes: &[u8]) -> Result<(&[u8], i64), StateError> {
    let at = bytes.len().checked_sub(START);
    let parts = at.and_then(|at| bytes.split_at_checked(at));
    let (key, start) = parts.ok_or_else(|| damaged("it is too short"))?;
    let start: [u8; START] = start.try_into().map_err(|_| damaged("it is too short"))?;
    Ok((key, (u64::from_be_bytes(start) ^ (1 << 63)) as i64))
}

fn damaged(why: &str) -> StateError {
    StateError::Damaged { what: "window key", why: why.to_string() }
}

/// The time bucket a window start falls in.
pub fn bucket_of(start: i64, bucket_ms: i64) -> i64 {
    start.div_euclid(bucket_ms.max(1))
}

/// A signed integer as bytes that compare as it does.
pub(crate) fn ordered(n: i64) -> [u8; 8] {
    ((n as u64) ^ (1 << 63)).to_be_bytes()
}
