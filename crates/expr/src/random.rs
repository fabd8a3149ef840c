//! A seeded source of randomness for functions that need one.

use std::sync::atomic::{AtomicU64, Ordering};

/// SplitMix64: fast, of good quality, and the same numbers again for the same seed. Not for secrets.
#[derive(Debug, Default)]
pub struct Random(AtomicU64);

impl Random {
    /// A source that starts from this seed.
    pub fn seeded(seed: u64) -> Self {
        Random(AtomicU64::new(seed))
    }

    /// The next 64 random bits.
    pub fn next_u64(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut z = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A double in [0, 1).
    pub fn next_f64(&self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}
