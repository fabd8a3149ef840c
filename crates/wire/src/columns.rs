//! Records as columns over one buffer: the layout both directions of the data path share.

use crate::headers::HeaderIter;

/// Where a field lies in the buffer; a length of `NULL` says the field is null.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    len: u32,
}

impl Span {
    const NULL: u32 = u32::MAX;
}

/// The records do not fit: one buffer addresses less than 4 GiB. Send or process what is there first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the buffer of a record chunk is full (4 GiB)")]
pub struct ChunkFull;

/// Timestamps, keys, values and headers of records, row by row in the order pushed. Rows are addressed by index; an index beyond
/// [`len`](Self::len) reads as null.
#[derive(Clone, Debug, Default)]
pub struct RecordColumns {
    data: Vec<u8>,
    timestamps: Vec<i64>,
    keys: Vec<Span>,
    values: Vec<Span>,
    headers: Vec<Span>,
}

impl RecordColumns {
    /// No records.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for `rows` more records of `bytes` bytes in all.
    pub fn reserve(&mut self, rows: usize, bytes: usize) {
        self.data.reserve(bytes);
        self.timestamps.reserve(rows);
        self.keys.reserve(rows);
        self.values.reserve(rows);
        self.headers.reserve(rows);
    }

    /// Appends a record. `timestamp` is in milliseconds since the epoch, `headers` a raw header list (see [`crate::headers`]).
    ///
    /// # Errors
    /// [`ChunkFull`] if the buffer would pass 4 GiB; nothing is appended then.
    pub fn push(&mut self, key: Option<&[u8]>, value: Option<&[u8]>, timestamp: i64, headers: &[u8]) -> Result<(), ChunkFull> {
        let added = key.map_or(0, <[u8]>::len) + value.map_or(0, <[u8]>::len) + headers.len();
        // With the end of the buffer below u32::MAX every start and length fits, and none looks like the null marker.
        if self.data.len().saturating_add(added) >= Span::NULL as usize {
            return Err(ChunkFull);
        }
        let key = self.append(key);
        let value = self.append(value);
        let headers = self.append(Some(headers));
        self.timestamps.push(timestamp);
        self.keys.push(key);
        self.values.push(value);
        self.headers.push(headers);
        Ok(())
    }

    fn append(&mut self, field: Option<&[u8]>) -> Span {
        let start = self.data.len() as u32;
        match field {
            None => Span { start, len: Span::NULL },
            Some(bytes) => {
                self.data.extend_from_slice(bytes);
                Span { start, len: bytes.len() as u32 }
            }
        }
    }

    /// Appends row `row` of `other`.
    ///
    /// # Errors
    /// [`ChunkFull`], as [`push`](Self::push).
    pub fn push_row(&mut self, other: &Self, row: usize) -> Result<(), ChunkFull> {
        self.push(other.key(row), other.value(row), other.timestamp(row), other.raw_headers(row))
    }

    /// Forgets the records and keeps the memory.
    pub fn clear(&mut self) {
        self.data.clear();
        self.timestamps.clear();
        self.keys.clear();
        self.values.clear();
        self.headers.clear();
    }

    /// How many records.
    pub fn len(&self) -> usize {
        self.timestamps.len()
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.timestamps.is_empty()
    }

    /// Bytes of all keys, values and headers.
    pub fn bytes(&self) -> usize {
        self.data.len()
    }

    /// The key of row `row`; null is `None`.
    pub fn key(&self, row: usize) -> Option<&[u8]> {
        self.field(&self.keys, row)
    }

    /// The value of row `row`; null (a tombstone) is `None`.
    pub fn value(&self, row: usize) -> Option<&[u8]> {
        self.field(&self.values, row)
    }

    /// The headers of row `row`.
    pub fn headers(&self, row: usize) -> HeaderIter<'_> {
        HeaderIter::new(self.raw_headers(row))
    }

    /// The raw header list of row `row`; empty if it has none.
    pub fn raw_headers(&self, row: usize) -> &[u8] {
        self.field(&self.headers, row).unwrap_or_default()
    }

    /// The timestamp of row `row`, in milliseconds since the epoch; -1 if it has none.
    pub fn timestamp(&self, row: usize) -> i64 {
        self.timestamps.get(row).copied().unwrap_or(-1)
    }

    /// The timestamps of all rows, in milliseconds since the epoch.
    pub fn timestamps(&self) -> &[i64] {
        &self.timestamps
    }

    fn field(&self, spans: &[Span], row: usize) -> Option<&[u8]> {
        let span = spans.get(row).filter(|span| span.len != Span::NULL)?;
        self.data.get(span.start as usize..)?.get(..span.len as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers::encode_headers;

    #[test]
    fn keeps_null_apart_from_empty() {
        let mut headers = Vec::new();
        encode_headers(&mut headers, [(&b"h"[..], Some(&b"v"[..]))].into_iter());
        let mut columns = RecordColumns::new();
        columns.reserve(2, 64);
        columns.push(Some(b"k"), None, 5, &headers).unwrap();
        columns.push(None, Some(b""), 6, &[]).unwrap();
        assert_eq!((columns.len(), columns.bytes()), (2, 1 + headers.len()));
        assert_eq!((columns.key(0), columns.value(0), columns.timestamp(0)), (Some(&b"k"[..]), None, 5));
        assert_eq!(columns.headers(0).collect::<Vec<_>>(), [(&b"h"[..], Some(&b"v"[..]))]);
        assert_eq!((columns.key(1), columns.value(1), columns.headers(1).count()), (None, Some(&b""[..]), 0));
        assert_eq!((columns.key(2), columns.timestamp(2), columns.timestamps()), (None, -1, &[5, 6][..]));
    }

    #[test]
    fn clear_and_reuse() {
        let mut columns = RecordColumns::new();
        columns.push(Some(b"first"), Some(b"value"), 1, &[]).unwrap();
        let copy = columns.clone();
        columns.clear();
        assert!(columns.is_empty() && columns.bytes() == 0);
        columns.push_row(&copy, 0).unwrap();
        assert_eq!((columns.key(0), columns.value(0)), (Some(&b"first"[..]), Some(&b"value"[..])));
    }
}
