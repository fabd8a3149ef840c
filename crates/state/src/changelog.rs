//! The versioned bytes of changelog records and stored values.
//!
//! Changelog key: version 1, then the store key. Stored value, also the changelog's value: version 1, the row's timestamp
//! (8 bytes big-endian, milliseconds), then the body its operator wrote. A null changelog value deletes.

use crate::StateError;

const VERSION: u8 = 1;

/// Appends a changelog record's key for a store key.
pub fn changelog_key(store_key: &[u8], out: &mut Vec<u8>) {
    out.push(VERSION);
    out.extend_from_slice(store_key);
}

/// The store key in a changelog record's key.
pub fn parse_changelog_key(bytes: &[u8]) -> Result<&[u8], StateError> {
    versioned("changelog key", bytes)
}

/// Appends a stored value.
pub fn stored_value(timestamp: i64, body: &[u8], out: &mut Vec<u8>) {
    out.push(VERSION);
    out.extend(timestamp.to_be_bytes());
    out.extend_from_slice(body);
}

/// The timestamp and the body of a stored value.
pub fn split_stored(bytes: &[u8]) -> Result<(i64, &[u8]), StateError> {
    let rest = versioned("stored value", bytes)?;
    let (timestamp, body) =
        rest.split_first_chunk::<8>().ok_or(StateError::Damaged { what: "stored value", why: "it is too short".to_string() })?;
    Ok((i64::from_be_bytes(*timestamp), body))
}

fn versioned<'a>(what: &'static str, bytes: &'a [u8]) -> Result<&'a [u8], StateError> {
    match bytes.split_first() {
        Some((&VERSION, rest)) => Ok(rest),
        Some((version, _)) => Err(StateError::Damaged { what, why: format!("its version is {version}, not {VERSION}") }),
        None => Err(StateError::Damaged { what, why: "it is empty".to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_frozen() {
        let mut key = Vec::new();
        changelog_key(b"k", &mut key);
        assert_eq!(key, [1, b'k']);
        assert_eq!(parse_changelog_key(&key).unwrap(), b"k");
        let mut value = Vec::new();
        stored_value(258, b"v", &mut value);
        assert_eq!(value, [1, 0, 0, 0, 0, 0, 0, 1, 2, b'v']);
        assert_eq!(split_stored(&value).unwrap(), (258, b"v".as_slice()));
    }

    #[test]
    fn foreign_bytes_are_refused() {
        assert!(parse_changelog_key(&[]).is_err());
        assert!(split_stored(&[2, 0, 0, 0, 0, 0, 0, 0, 0]).is_err());
        assert!(split_stored(&[1, 0]).is_err());
    }
}
