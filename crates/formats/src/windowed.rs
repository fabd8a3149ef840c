//! The key bytes of windowed topics: the inner key followed by big-endian window bounds, as Kafka Streams lays them out.

use flumen_types::Window;

use crate::DecodeError;

/// Appends a time window to the inner key bytes in `key`: 8 bytes of start. The end is not stored: it is start + size.
pub fn time_key(key: &mut Vec<u8>, window: Window) {
    key.extend_from_slice(&window.start.to_be_bytes());
}

/// Appends a session window to the inner key bytes in `key`: 8 bytes of end, then 8 bytes of start.
pub fn session_key(key: &mut Vec<u8>, window: Window) {
    key.extend_from_slice(&window.end.to_be_bytes());
    key.extend_from_slice(&window.start.to_be_bytes());
}

/// Takes a time-windowed key apart. `size` is the window's size in milliseconds; the end stops at the largest i64.
pub fn split_time_key(bytes: &[u8], size: i64) -> Result<(&[u8], Window), DecodeError> {
    let (inner, start) = split_last_long(bytes)?;
    Ok((inner, Window { start, end: start.saturating_add(size) }))
}

/// Takes a session-windowed key apart.
pub fn split_session_key(bytes: &[u8]) -> Result<(&[u8], Window), DecodeError> {
    let (rest, start) = split_last_long(bytes)?;
    let (inner, end) = split_last_long(rest)?;
    Ok((inner, Window { start, end }))
}

fn split_last_long(bytes: &[u8]) -> Result<(&[u8], i64), DecodeError> {
    match bytes.split_last_chunk::<8>() {
        Some((inner, last)) => Ok((inner, i64::from_be_bytes(*last))),
        None => Err(DecodeError::record(format!("a windowed key of {} bytes is too short for its window", bytes.len()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_keys_carry_the_start() {
        let mut key = b"k".to_vec();
        time_key(&mut key, Window { start: 258, end: 300 });
        assert_eq!(key, [b'k', 0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!(split_time_key(&key, 42).unwrap(), (&b"k"[..], Window { start: 258, end: 300 }));
        assert_eq!(split_time_key(&key, i64::MAX).unwrap().1.end, i64::MAX);
    }

    #[test]
    fn session_keys_carry_the_end_first() {
        let mut key = Vec::new();
        session_key(&mut key, Window { start: 1, end: 2 });
        assert_eq!(key, [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(split_session_key(&key).unwrap(), (&b""[..], Window { start: 1, end: 2 }));
        assert!(split_session_key(&key[1..]).is_err());
        assert!(split_time_key(b"short", 1).is_err());
    }
}
