//! Kafka's default partitioner: murmur2 of the key bytes, so that a row lands where any Kafka client would put it.

const SEED: u32 = 0x9747_b28c;
const M: u32 = 0x5bd1_e995;

/// The 32-bit murmur2 hash of `data` with the seed Kafka's clients use. Source: Austin Appleby's MurmurHash2, public domain.
pub fn murmur2(data: &[u8]) -> i32 {
    // The hash is defined on the low 32 bits of the length.
    let mut hash = SEED ^ (data.len() as u32);
    let (words, tail) = data.as_chunks::<4>();
    for word in words {
        let mut k = u32::from_le_bytes(*word).wrapping_mul(M);
        k ^= k >> 24;
        hash = hash.wrapping_mul(M) ^ k.wrapping_mul(M);
    }
    if !tail.is_empty() {
        for (i, byte) in tail.iter().enumerate() {
            hash ^= u32::from(*byte) << (8 * i);
        }
        hash = hash.wrapping_mul(M);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(M);
    (hash ^ (hash >> 15)).cast_signed()
}

/// The partition Kafka's default partitioner gives a record with this key, in a topic of `partitions` partitions (taken as at least one).
///
/// The hash is made positive by clearing its sign bit, not by taking the absolute value.
pub fn partition_for(key: &[u8], partitions: i32) -> i32 {
    (murmur2(key) & i32::MAX) % partitions.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors the Kafka clients of several languages publish, for every length modulo 4.
    #[test]
    fn agrees_with_published_vectors() {
        for (text, hash) in [
            ("21", -973_932_308),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
            ("abc", 479_470_107),
        ] {
            assert_eq!(murmur2(text.as_bytes()), hash, "{text}");
        }
    }

    #[test]
    fn partition_clears_the_sign_bit() {
        assert_eq!(partition_for(b"21", 10), (-973_932_308 & i32::MAX) % 10);
        assert_eq!(partition_for(b"abc", 7), 479_470_107 % 7);
        assert_eq!(partition_for(b"abc", 1), 0);
        assert_eq!(partition_for(b"abc", 0), 0);
    }
}
