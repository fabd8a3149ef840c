//! Where a consumer starts and how much it may hold.

use rdkafka::bindings as sys;

/// Where to start reading a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the oldest record.
    Earliest,
    /// Behind the newest record.
    Latest,
    /// At this offset. If the log no longer (or not yet) has it: an error of kind `OffsetOutOfRange`.
    At(i64),
}

impl Start {
    pub(crate) fn native(self) -> i64 {
        match self {
            Self::Earliest => i64::from(sys::RD_KAFKA_OFFSET_BEGINNING),
            Self::Latest => i64::from(sys::RD_KAFKA_OFFSET_END),
            Self::At(offset) => offset.max(0),
        }
    }
}

/// How much a consumer may prefetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsumerOptions {
    /// Kilobytes prefetched for each partition.
    pub queued_kbytes: u32,
}

impl ConsumerOptions {
    /// A share of `bytes` of memory for each of `partitions` partitions, within 64 kB (below, throughput falls) and 64 MB (above, nothing is gained).
    pub fn for_budget(bytes: u64, partitions: usize) -> Self {
        let share = bytes / 1024 / u64::try_from(partitions.max(1)).unwrap_or(u64::MAX);
        Self { queued_kbytes: u32::try_from(share.clamp(64, 65_536)).unwrap_or(65_536) }
    }
}

impl Default for ConsumerOptions {
    /// 16 MB a partition.
    fn default() -> Self {
        Self { queued_kbytes: 16_384 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_shared_within_bounds() {
        assert_eq!(ConsumerOptions::for_budget(64 << 20, 4).queued_kbytes, 16_384);
        assert_eq!(ConsumerOptions::for_budget(1 << 20, 4_000).queued_kbytes, 64);
        assert_eq!(ConsumerOptions::for_budget(u64::MAX, 0).queued_kbytes, 65_536);
    }
}
