//! What is stored of a transactional id.

use super::ProducerName;
use crate::{
    codec::{Damaged, Input, Stored},
    groups::{Committed, OffsetKey},
};
use kafka_protocol::ResponseError;

const VERSION: u8 = 1;

/// Where a transaction stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// There is none, and was none since the producer came.
    Empty,
    /// It is open.
    Ongoing,
    /// It will be committed, whatever happens.
    PrepareCommit,
    /// It will be aborted, whatever happens.
    PrepareAbort,
    /// The last one was committed.
    Committed,
    /// The last one was aborted.
    Aborted,
}

/// An offset that counts when the transaction is committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// For what.
    pub key: OffsetKey,
    /// The offset.
    pub committed: Committed,
}

/// A transactional id: its producer, and its transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TxnRecord {
    /// The producer's id.
    pub producer_id: i64,
    /// The producer's epoch.
    pub epoch: i16,
    /// Its epoch before the last initialisation, or -1.
    pub last_epoch: i16,
    /// After how many milliseconds an open transaction is aborted.
    pub timeout_ms: i32,
    /// Where it stands.
    pub status: Status,
    /// The partitions of the open transaction.
    pub partitions: Vec<(String, i32)>,
    /// The groups whose offsets it may commit.
    pub groups: Vec<String>,
    /// The offsets it commits.
    pub offsets: Vec<Pending>,
    /// When it began, in milliseconds since 1970.
    pub began: i64,
    /// When this record was last changed, in milliseconds since 1970.
    pub changed: i64,
}

impl TxnRecord {
    /// A transactional id that was not used before.
    pub fn new(producer_id: i64, now: i64) -> Self {
        Self {
            producer_id,
            epoch: -1,
            last_epoch: -1,
            timeout_ms: 0,
            status: Status::Empty,
            partitions: Vec::new(),
            groups: Vec::new(),
            offsets: Vec::new(),
            began: 0,
            changed: now,
        }
    }

    /// Its producer.
    pub fn producer(&self) -> ProducerName {
        ProducerName { id: self.producer_id, epoch: self.epoch }
    }

    /// Whether this is the current producer.
    pub fn check(&self, producer: ProducerName) -> Result<(), ResponseError> {
        if producer.id != self.producer_id {
            return Err(ResponseError::InvalidProducerIdMapping);
        }
        if producer.epoch != self.epoch {
            return Err(ResponseError::ProducerFenced);
        }
        Ok(())
    }

    /// Begins a transaction.
    pub fn begin(&mut self, now: i64) {
        self.status = Status::Ongoing;
        self.began = now;
        self.partitions.clear();
        self.groups.clear();
        self.offsets.clear();
    }

    /// Whether an open transaction is open too long.
    pub fn is_overdue(&self, now: i64) -> bool {
        self.status == Status::Ongoing && now.saturating_sub(self.began) > i64::from(self.timeout_ms)
    }

    /// Whether no transaction is open or being ended.
    pub fn is_settled(&self) -> bool {
        matches!(self.status, Status::Empty | Status::Committed | Status::Aborted)
    }
}

impl Status {
    fn code(self) -> u8 {
        match self {
            Self::Empty => 0,
            Self::Ongoing => 1,
            Self::PrepareCommit => 2,
            Self::PrepareAbort => 3,
            Self::Committed => 4,
            Self::Aborted => 5,
        }
    }

    fn from_code(code: u8) -> Result<Self, Damaged> {
        [Self::Empty, Self::Ongoing, Self::PrepareCommit, Self::PrepareAbort, Self::Committed, Self::Aborted]
            .into_iter()
            .find(|s| s.code() == code)
            .ok_or(Damaged("an unknown status of a transaction"))
    }
}

impl Stored for Pending {
    fn write(&self, out: &mut Vec<u8>) {
        self.key.write(out);
        self.committed.write(out);
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        Ok(Self { key: OffsetKey::read(input)?, committed: Committed::read(input)? })
    }
}

impl Stored for TxnRecord {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        self.producer_id.write(out);
        self.epoch.write(out);
        self.last_epoch.write(out);
        self.timeout_ms.write(out);
        out.push(self.status.code());
        self.partitions.write(out);
        self.groups.write(out);
        self.offsets.write(out);
        self.began.write(out);
        self.changed.write(out);
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        input.version(VERSION)?;
        Ok(Self {
            producer_id: i64::read(input)?,
            epoch: i16::read(input)?,
            last_epoch: i16::read(input)?,
            timeout_ms: i32::read(input)?,
            status: Status::from_code(u8::read(input)?)?,
            partitions: Vec::read(input)?,
            groups: Vec::read(input)?,
            offsets: Vec::read(input)?,
            began: i64::read(input)?,
            changed: i64::read(input)?,
        })
    }
}
