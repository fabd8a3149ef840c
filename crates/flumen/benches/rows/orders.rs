//! The input: orders of 256 bytes by 100,000 users, as the benchmark on Kafka has them.

use flumen_wire::RecordChunk;

/// Users, of whom each order names one.
const USERS: u64 = 100_000;
/// Event time of the first order, in milliseconds.
const BASE: i64 = 1_700_000_040_000;
/// Bytes of an order.
const BYTES: usize = 256;

/// Draw `j` of record `i` of a stream, below `n` (SplitMix64 with random access).
fn pick(stream: u64, i: u64, j: u64, n: u64) -> u64 {
    let z = stream.wrapping_add((8 * i + j + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)) % n
}

/// The first orders, in chunks.
pub fn orders(count: u64, chunk: usize) -> Vec<RecordChunk> {
    chunks("orders", chunk, (0..count).map(|i| (format!("u{}", pick(1, i, 0, USERS)), order(i), BASE + i as i64)))
}

/// All users, in chunks.
pub fn users(chunk: usize) -> Vec<RecordChunk> {
    let value = |i| format!(r#"{{"name":"name_{i}","region":"r{}","tier":"{}"}}"#, pick(3, i, 1, 10), tier(pick(3, i, 2, 4)));
    chunks("users", chunk, (0..USERS).map(|i| (format!("u{i}"), value(i), BASE - 1)))
}

fn tier(n: u64) -> &'static str {
    ["gold", "silver", "bronze", "basic"][n as usize]
}

fn order(i: u64) -> String {
    let cents = 100 + pick(1, i, 3, 9900);
    let head = format!(
        r#"{{"order_id":{i},"user_id":"u{}","item":"item_{}","category":"c{}","price":{}.{:02},"quantity":{},"status":"{}","note":""#,
        pick(1, i, 0, USERS),
        pick(1, i, 1, 1000),
        pick(1, i, 2, 20),
        cents / 100,
        cents % 100,
        1 + pick(1, i, 4, 9),
        ["paid", "new", "sent", "void"][pick(1, i, 5, 4) as usize]
    );
    let tail = format!(r#"","ts":{}}}"#, BASE + i as i64);
    let letters = (b'a'..=b'z').cycle().skip(pick(1, i, 6, 26) as usize).map(char::from);
    let note: String = letters.take(BYTES - head.len() - tail.len()).collect();
    head + &note + &tail
}

fn chunks(topic: &str, size: usize, records: impl Iterator<Item = (String, String, i64)>) -> Vec<RecordChunk> {
    let mut chunks: Vec<RecordChunk> = Vec::new();
    for (offset, (key, value, time)) in (0..).zip(records) {
        if chunks.last().is_none_or(|c| c.len() == size) {
            chunks.push(RecordChunk::new(topic.into(), 0));
        }
        let last = chunks.last_mut().expect("a chunk");
        last.push(offset, Some(key.as_bytes()), Some(value.as_bytes()), time, &[]).expect("room");
    }
    chunks
}
