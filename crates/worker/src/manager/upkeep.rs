//! When the regular work is due: lag, sizes, old records of repartition topics.

use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_secs(5);

pub(super) struct Upkeep {
    last: Instant,
}

impl Upkeep {
    pub fn new() -> Self {
        Upkeep { last: Instant::now() }
    }

    /// True once in a while.
    pub fn is_due(&mut self) -> bool {
        let due = self.last.elapsed() >= EVERY;
        if due {
            self.last = Instant::now();
        }
        due
    }
}
