//! What a partition remembers of its producers: sequence numbers against duplicates and gaps, open and aborted transactions.

use crate::codec::{Damaged, Input, Stored};
use flumen_wire::{BatchHeader, batch::Marker};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// Batches remembered of a producer: as many as a client may have in flight.
const WINDOW: usize = 5;

/// One batch of an idempotent producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sent {
    first: i32,
    last: i32,
    base_offset: i64,
    timestamp: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Producer {
    epoch: i16,
    /// Last batches of this epoch, oldest first.
    sent: VecDeque<Sent>,
    /// First offset of its open transaction.
    open: Option<i64>,
    /// When it wrote last, in milliseconds since 1970.
    seen: i64,
}

/// A transaction that was aborted, as fetch responses name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aborted {
    /// Whose it was.
    pub producer_id: i64,
    /// Its first offset.
    pub first_offset: i64,
    /// Offset of its marker.
    pub last_offset: i64,
}

/// Why a batch of an idempotent producer is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Its sequence number is not the next one.
    OutOfOrder {
        /// Expected next.
        expected: i32,
        /// As sent.
        found: i32,
    },
    /// A newer instance of the producer has written.
    OldEpoch {
        /// Current epoch.
        current: i16,
        /// As sent.
        found: i16,
    },
    /// A plain batch within the producer's open transaction.
    NotTransactional,
}

/// What to do with a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Append it.
    New,
    /// It was appended before, at this offset and time.
    Duplicate {
        /// Where it begins.
        base_offset: i64,
        /// Its latest timestamp.
        timestamp: i64,
    },
}

/// All producers of a partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Producers {
    by_id: HashMap<i64, Producer>,
    /// First offset of each open transaction, and whose it is.
    open: BTreeMap<i64, i64>,
    /// In the order of their markers.
    aborted: Vec<Aborted>,
}

fn last_sequence(header: &BatchHeader) -> i32 {
    advance(header.base_sequence, header.last_offset_delta)
}

/// Sequence numbers go from 0 to `i32::MAX` and around.
fn advance(sequence: i32, by: i32) -> i32 {
    let modulus = i64::from(i32::MAX) + 1;
    i32::try_from((i64::from(sequence) + i64::from(by)).rem_euclid(modulus)).unwrap_or(0)
}

impl Producers {
    /// Whether a batch continues its producer's sequence. Plain producers are always welcome.
    pub fn check(&self, header: &BatchHeader) -> Result<Verdict, Refusal> {
        if header.producer_id < 0 {
            return Ok(Verdict::New);
        }
        let Some(producer) = self.by_id.get(&header.producer_id) else { return Ok(Verdict::New) };
        if header.producer_epoch < producer.epoch {
            return Err(Refusal::OldEpoch { current: producer.epoch, found: header.producer_epoch });
        }
        let (first, last) = (header.base_sequence, last_sequence(header));
        let mut expected = 0;
        if header.producer_epoch == producer.epoch {
            if let Some(sent) = producer.sent.iter().find(|s| s.first == first && s.last == last) {
                return Ok(Verdict::Duplicate { base_offset: sent.base_offset, timestamp: sent.timestamp });
            }
            expected = producer.sent.back().map_or(0, |s| advance(s.last, 1));
        }
        if first != expected {
            return Err(Refusal::OutOfOrder { expected, found: first });
        }
        if producer.open.is_some() && !header.attributes.is_transactional() {
            return Err(Refusal::NotTransactional);
        }
        Ok(Verdict::New)
    }

    /// Notes a batch of records that was appended.
    pub fn appended(&mut self, header: &BatchHeader, now: i64) {
        if header.producer_id < 0 {
            return;
        }
        let producer = self.entry(header.producer_id, header.producer_epoch);
        producer.seen = now;
        if producer.sent.len() >= WINDOW {
            producer.sent.pop_front();
        }
        producer.sent.push_back(Sent {
            first: header.base_sequence,
            last: last_sequence(header),
            base_offset: header.base_offset,
            timestamp: header.max_timestamp,
        });
        if header.attributes.is_transactional() && producer.open.is_none() {
            producer.open = Some(header.base_offset);
            self.open.insert(header.base_offset, header.producer_id);
        }
    }

    /// Notes a marker that was appended.
    pub fn ended(&mut self, header: &BatchHeader, marker: Marker, now: i64) {
        let producer = self.entry(header.producer_id, header.producer_epoch);
        producer.seen = now;
        if let Some(first_offset) = producer.open.take() {
            self.open.remove(&first_offset);
            if marker == Marker::Abort {
                self.aborted.push(Aborted { producer_id: header.producer_id, first_offset, last_offset: header.last_offset() });
            }
        }
    }

    fn entry(&mut self, id: i64, epoch: i16) -> &mut Producer {
        let producer = self.by_id.entry(id).or_insert_with(|| Producer { epoch, sent: VecDeque::new(), open: None, seen: 0 });
        if producer.epoch != epoch {
            producer.epoch = epoch;
            producer.sent.clear();
        }
        producer
    }

    /// First offset of the oldest open transaction.
    pub fn first_open(&self) -> Option<i64> {
        self.open.first_key_value().map(|(offset, _)| *offset)
    }

    /// Whether this producer has an open transaction here.
    pub fn is_open(&self, producer_id: i64) -> bool {
        self.by_id.get(&producer_id).is_some_and(|p| p.open.is_some())
    }

    /// The producers with open transactions, and their epochs.
    pub fn open(&self) -> Vec<(i64, i16)> {
        self.open.values().filter_map(|id| Some((*id, self.by_id.get(id)?.epoch))).collect()
    }

    /// The aborted transactions with records or marker between two offsets, the second one excluded.
    pub fn aborted_between(&self, from: i64, to: i64) -> Vec<Aborted> {
        let first = self.aborted.partition_point(|a| a.last_offset < from);
        self.aborted.iter().skip(first).filter(|a| a.first_offset < to).copied().collect()
    }

    /// Forgets transactions that ended before `start`, where the log now begins.
    pub fn forget_before(&mut self, start: i64) {
        let gone = self.aborted.partition_point(|a| a.last_offset < start);
        self.aborted.drain(..gone);
    }

    /// Forgets the aborted transactions whose markers, at these offsets, are gone with all of their records.
    pub fn forget_markers(&mut self, markers: &HashSet<i64>) {
        if !markers.is_empty() {
            self.aborted.retain(|a| !markers.contains(&a.last_offset));
        }
    }

    /// Forgets producers that wrote nothing since `oldest` and have no open transaction.
    pub fn expire(&mut self, oldest: i64) {
        self.by_id.retain(|_, p| p.open.is_some() || p.seen >= oldest);
    }
}

impl Stored for Sent {
    fn write(&self, out: &mut Vec<u8>) {
        self.first.write(out);
        self.last.write(out);
        self.base_offset.write(out);
        self.timestamp.write(out);
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        Ok(Self { first: i32::read(input)?, last: i32::read(input)?, base_offset: i64::read(input)?, timestamp: i64::read(input)? })
    }
}

impl Stored for Aborted {
    fn write(&self, out: &mut Vec<u8>) {
        self.producer_id.write(out);
        self.first_offset.write(out);
        self.last_offset.write(out);
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        Ok(Self { producer_id: i64::read(input)?, first_offset: i64::read(input)?, last_offset: i64::read(input)? })
    }
}

impl Stored for Producers {
    fn write(&self, out: &mut Vec<u8>) {
        (self.by_id.len() as u32).write(out);
        for (id, producer) in &self.by_id {
            id.write(out);
            producer.epoch.write(out);
            producer.seen.write(out);
            producer.open.write(out);
            producer.sent.iter().copied().collect::<Vec<_>>().write(out);
        }
        self.aborted.write(out);
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        let mut producers = Self::default();
        for _ in 0..u32::read(input)? {
            let id = i64::read(input)?;
            let (epoch, seen) = (i16::read(input)?, i64::read(input)?);
            let open = Option::<i64>::read(input)?;
            let sent = Vec::<Sent>::read(input)?.into();
            if let Some(offset) = open {
                producers.open.insert(offset, id);
            }
            producers.by_id.insert(id, Producer { epoch, sent, open, seen });
        }
        producers.aborted = Vec::read(input)?;
        Ok(producers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flumen_wire::{BatchWriter, Compression, batch};

    fn batch(id: i64, epoch: i16, sequence: i32, records: i32, offset: i64, transactional: bool) -> BatchHeader {
        let mut writer = BatchWriter::default();
        for _ in 0..records {
            writer.push(1, None, None, &[]).unwrap();
        }
        let bytes = writer.finish(Compression::None, batch::Producer { id, epoch, sequence, transactional }).unwrap();
        BatchHeader { base_offset: offset, ..BatchHeader::parse(&bytes).unwrap() }
    }

    #[test]
    fn sequences_must_continue_and_duplicates_are_found() {
        let mut producers = Producers::default();
        for i in 0..8 {
            let next = batch(1, 0, i * 10, 10, i64::from(i) * 10, false);
            assert_eq!(producers.check(&next), Ok(Verdict::New));
            producers.appended(&next, 0);
        }
        assert_eq!(producers.check(&batch(1, 0, 50, 10, 0, false)), Ok(Verdict::Duplicate { base_offset: 50, timestamp: 1 }));
        assert_eq!(producers.check(&batch(1, 0, 90, 10, 0, false)), Err(Refusal::OutOfOrder { expected: 80, found: 90 }));
        assert_eq!(producers.check(&batch(1, 0, 20, 10, 0, false)), Err(Refusal::OutOfOrder { expected: 80, found: 20 }));
        assert_eq!(producers.check(&batch(1, 1, 80, 10, 0, false)), Err(Refusal::OutOfOrder { expected: 0, found: 80 }));
        assert_eq!(producers.check(&batch(1, 1, 0, 1, 0, false)), Ok(Verdict::New));
        producers.appended(&batch(1, 1, 0, 1, 80, false), 0);
        assert_eq!(producers.check(&batch(1, 0, 80, 10, 0, false)), Err(Refusal::OldEpoch { current: 1, found: 0 }));
        assert_eq!(producers.check(&batch(2, 0, 77, 1, 0, false)), Ok(Verdict::New), "an unknown producer may continue");
    }

    #[test]
    fn sequence_numbers_go_around() {
        let mut producers = Producers::default();
        producers.appended(&batch(1, 0, i32::MAX - 1, 2, 0, false), 0);
        assert_eq!(producers.check(&batch(1, 0, 0, 1, 2, false)), Ok(Verdict::New));
        let mut across = Producers::default();
        across.appended(&batch(1, 0, i32::MAX, 3, 0, false), 0);
        assert_eq!(across.check(&batch(1, 0, 2, 1, 3, false)), Ok(Verdict::New));
    }

    #[test]
    fn open_and_aborted_transactions_are_known_and_stored() {
        let mut producers = Producers::default();
        producers.appended(&batch(1, 0, 0, 2, 10, true), 0);
        producers.appended(&batch(2, 0, 0, 2, 12, true), 0);
        assert_eq!(producers.first_open(), Some(10));
        assert_eq!(producers.check(&batch(1, 0, 2, 1, 14, false)), Err(Refusal::NotTransactional));
        producers.ended(&batch(1, 0, -1, 1, 14, true), Marker::Abort, 0);
        assert_eq!(producers.first_open(), Some(12));
        assert!(producers.is_open(2) && !producers.is_open(1));
        let aborted = Aborted { producer_id: 1, first_offset: 10, last_offset: 14 };
        assert_eq!(producers.aborted_between(0, 11), [aborted]);
        assert_eq!(producers.aborted_between(14, 99), [aborted]);
        assert_eq!(producers.aborted_between(15, 99), []);
        assert_eq!(producers.aborted_between(0, 10), []);
        let mut bytes = Vec::new();
        producers.write(&mut bytes);
        assert_eq!(Producers::read(&mut Input(&bytes)), Ok(producers.clone()));
        producers.forget_before(15);
        producers.expire(1);
        assert_eq!(producers.aborted_between(0, 99), []);
        assert!(producers.is_open(2), "an open transaction is never forgotten");
        producers.ended(&batch(2, 0, -1, 1, 15, true), Marker::Commit, 0);
        assert_eq!((producers.first_open(), producers.aborted_between(0, 99)), (None, vec![]));
        assert_eq!(producers.check(&batch(2, 0, 2, 1, 16, true)), Ok(Verdict::New), "sequences go on after a commit");
    }
}
