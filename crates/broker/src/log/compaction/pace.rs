//! How fast compaction may read and write, and whether it has to stop.

use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// Longest sleep before looking at the stop flag again.
const NAP: Duration = Duration::from_millis(50);

/// An I/O budget.
#[derive(Debug)]
pub struct Pace<'a> {
    bytes_per_second: u64,
    stop: &'a AtomicBool,
    began: Instant,
    spent: u64,
}

impl<'a> Pace<'a> {
    /// So many bytes a second (0: without bound) until `stop` is set.
    pub fn new(bytes_per_second: u64, stop: &'a AtomicBool) -> Self {
        Self { bytes_per_second, stop, began: Instant::now(), spent: 0 }
    }

    /// Bytes read and written so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Notes that bytes were read or written, and waits until that was within the budget.
    ///
    /// # Errors
    /// [`io::ErrorKind::Interrupted`] if the broker stops.
    pub fn spend(&mut self, bytes: u64) -> io::Result<()> {
        self.spent = self.spent.saturating_add(bytes);
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(io::Error::new(io::ErrorKind::Interrupted, "the broker stops"));
            }
            let Some(due) = self.due() else { return Ok(()) };
            let early = due.saturating_sub(self.began.elapsed());
            if early.is_zero() {
                return Ok(());
            }
            std::thread::sleep(early.min(NAP));
        }
    }

    /// How long the bytes so far may take at least.
    fn due(&self) -> Option<Duration> {
        let millis = self.spent.saturating_mul(1000).checked_div(self.bytes_per_second)?;
        Some(Duration::from_millis(millis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_kept_and_a_stop_ends_it() {
        let stop = AtomicBool::new(false);
        let mut pace = Pace::new(1000, &stop);
        for _ in 0..5 {
            pace.spend(20).unwrap();
        }
        assert!(pace.began.elapsed() >= Duration::from_millis(100));
        Pace::new(0, &stop).spend(u64::MAX).unwrap();
        stop.store(true, Ordering::Relaxed);
        assert_eq!(pace.spend(u64::MAX).unwrap_err().kind(), io::ErrorKind::Interrupted);
    }
}
