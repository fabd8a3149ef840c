//! Wall-clock time as Kafka counts it.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970; 0 for a clock that stands before it.
pub fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX))
}
