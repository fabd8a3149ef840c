//! Record headers in Kafka's own encoding: walked where they lie, copied as they are.
//!
//! A raw header list is what stands at the end of a record of format v2: the number of headers as a zigzag varint, then of each the length
//! and bytes of its name and of its value (length -1: null). No bytes at all also mean no headers.

use crate::varint::{put_signed, take_nullable, take_signed};

/// Walks a raw header list. Ends at its end, or where it is malformed.
#[derive(Clone, Debug)]
pub struct HeaderIter<'a> {
    left: i64,
    rest: &'a [u8],
}

impl<'a> HeaderIter<'a> {
    /// The headers of `raw`.
    pub fn new(raw: &'a [u8]) -> Self {
        let mut rest = raw;
        let left = take_signed(&mut rest).unwrap_or(0);
        Self { left, rest }
    }
}

impl<'a> Iterator for HeaderIter<'a> {
    /// Name (UTF-8 by Kafka's rule, not checked here) and value.
    type Item = (&'a [u8], Option<&'a [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.left <= 0 {
            return None;
        }
        self.left -= 1;
        let name = take_nullable(&mut self.rest).ok().flatten();
        let header = name.and_then(|name| Some((name, take_nullable(&mut self.rest).ok()?)));
        if header.is_none() {
            self.left = 0;
        }
        header
    }
}

/// Appends `headers` to `out` as one raw header list.
pub fn encode_headers<'a>(out: &mut Vec<u8>, headers: impl Iterator<Item = (&'a [u8], Option<&'a [u8]>)> + Clone) {
    put_signed(out, headers.clone().count() as i64);
    for (name, value) in headers {
        put_signed(out, name.len() as i64);
        out.extend_from_slice(name);
        match value {
            None => put_signed(out, -1),
            Some(value) => {
                put_signed(out, value.len() as i64);
                out.extend_from_slice(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_with_null_empty_and_long_values() {
        let long = vec![7u8; 1000];
        let headers: [(&[u8], Option<&[u8]>); 4] = [(b"a", Some(b"1")), (b"", None), (b"n", Some(b"")), (b"long", Some(&long))];
        let mut raw = Vec::new();
        encode_headers(&mut raw, headers.into_iter());
        assert_eq!(HeaderIter::new(&raw).collect::<Vec<_>>(), headers);
        assert_eq!(HeaderIter::new(&[]).count(), 0);
    }

    /// Two headers in the bytes of record format v2.
    #[test]
    fn bytes_are_kafkas() {
        let mut raw = Vec::new();
        encode_headers(&mut raw, [(&b"a"[..], Some(&b"bc"[..])), (b"a", None)].into_iter());
        assert_eq!(raw, [4, 2, b'a', 4, b'b', b'c', 2, b'a', 1]);
    }

    #[test]
    fn every_prefix_ends_without_a_panic() {
        let mut raw = Vec::new();
        encode_headers(&mut raw, [(&b"name"[..], Some(&[1; 200][..]))].into_iter());
        for end in 0..raw.len() {
            assert_eq!(HeaderIter::new(&raw[..end]).count(), 0);
        }
        assert_eq!(HeaderIter::new(&[0xff; 20]).count(), 0);
    }
}
