//! Record headers in Kafka's own encoding: walked where they lie, built by appending.
//!
//! A raw header list is the headers of a record as the record format v2 writes them, one after the other, without the count before them:
//! zigzag varint length and bytes of the name, zigzag varint length (-1: null) and bytes of the value. No headers: no bytes.

/// Walks a raw header list. Ends at its end, or where it is malformed.
#[derive(Clone, Debug)]
pub struct HeaderIter<'a> {
    rest: &'a [u8],
}

impl<'a> HeaderIter<'a> {
    /// The headers of `raw`.
    pub fn new(raw: &'a [u8]) -> Self {
        Self { rest: raw }
    }

    fn field(&mut self) -> Option<Option<&'a [u8]>> {
        let len = take_varint(&mut self.rest)?;
        if len < 0 {
            return Some(None);
        }
        let (bytes, rest) = self.rest.split_at_checked(usize::try_from(len).ok()?)?;
        self.rest = rest;
        Some(Some(bytes))
    }
}

impl<'a> Iterator for HeaderIter<'a> {
    /// Name (UTF-8 by Kafka's rule, not checked here) and value.
    type Item = (&'a [u8], Option<&'a [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let header = self.field().and_then(|name| Some((name?, self.field()?)));
        if header.is_none() {
            self.rest = &[];
        }
        header
    }
}

/// Appends one header to the raw header list `raw`.
pub fn push_header(raw: &mut Vec<u8>, name: &[u8], value: Option<&[u8]>) {
    put_varint(raw, name.len() as i64);
    raw.extend_from_slice(name);
    match value {
        None => put_varint(raw, -1),
        Some(value) => {
            put_varint(raw, value.len() as i64);
            raw.extend_from_slice(value);
        }
    }
}

fn put_varint(out: &mut Vec<u8>, value: i64) {
    let mut bits = ((value << 1) ^ (value >> 63)).cast_unsigned();
    while bits >= 0x80 {
        out.push((bits as u8) | 0x80);
        bits >>= 7;
    }
    out.push(bits as u8);
}

fn take_varint(input: &mut &[u8]) -> Option<i64> {
    let mut bits = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = input.split_first()?;
        *input = rest;
        bits |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((bits >> 1).cast_signed() ^ -((bits & 1).cast_signed()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_with_null_empty_and_long_values() {
        let long = vec![7u8; 1000];
        let headers: [(&[u8], Option<&[u8]>); 4] = [(b"a", Some(b"1")), (b"", None), (b"n", Some(b"")), (b"long", Some(&long))];
        let mut raw = Vec::new();
        for (name, value) in headers {
            push_header(&mut raw, name, value);
        }
        assert_eq!(HeaderIter::new(&raw).collect::<Vec<_>>(), headers);
        assert_eq!(HeaderIter::new(&[]).count(), 0);
    }

    /// Name "a" and value "bc" in the bytes of record format v2.
    #[test]
    fn bytes_are_kafkas() {
        let mut raw = Vec::new();
        push_header(&mut raw, b"a", Some(b"bc"));
        push_header(&mut raw, b"a", None);
        assert_eq!(raw, [2, b'a', 4, b'b', b'c', 2, b'a', 1]);
    }

    #[test]
    fn every_prefix_ends_without_a_panic() {
        let mut raw = Vec::new();
        push_header(&mut raw, b"name", Some(&[1; 200]));
        for end in 0..raw.len() {
            assert_eq!(HeaderIter::new(&raw[..end]).count(), 0);
        }
        assert_eq!(HeaderIter::new(&[0xff; 20]).count(), 0);
    }
}
