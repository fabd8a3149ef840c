//! A partition: its log, and the fetches that wait for more.

use crate::{config::LogSettings, log::Log};
use parking_lot::{Mutex, MutexGuard};
use std::{
    io,
    path::PathBuf,
    sync::{Arc, Weak},
};
use tokio::sync::Notify;

/// Something that waits for any of several partitions.
pub type Waiter = Arc<Notify>;

/// One partition of a topic.
#[derive(Debug)]
pub struct Partition {
    log: Mutex<Log>,
    waiters: Mutex<Vec<Weak<Notify>>>,
}

impl Partition {
    /// Opens the partition whose log lies in `folder`.
    pub fn open(folder: PathBuf, settings: LogSettings) -> io::Result<Self> {
        Ok(Self { log: Mutex::new(Log::open(folder, settings)?), waiters: Mutex::default() })
    }

    /// The log. Not to be held across an await.
    pub fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock()
    }

    /// Has `waiter` notified once, at the next change of the log.
    pub fn watch(&self, waiter: &Waiter) {
        let mut waiters = self.waiters.lock();
        if waiters.len() == waiters.capacity() {
            waiters.retain(|w| w.strong_count() > 0);
        }
        waiters.push(Arc::downgrade(waiter));
    }

    /// Notifies those that wait.
    pub fn wake(&self) {
        let waiters = std::mem::take(&mut *self.waiters.lock());
        for waiter in waiters.iter().filter_map(Weak::upgrade) {
            waiter.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiters_that_are_gone_do_not_pile_up() {
        let dir = tempfile::tempdir().unwrap();
        let partition = Partition::open(dir.path().join("0"), LogSettings::default()).unwrap();
        for _ in 0..10_000 {
            partition.watch(&Waiter::default());
        }
        assert!(partition.waiters.lock().len() < 100);
    }

    #[tokio::test]
    async fn a_waiter_is_woken_even_if_it_waits_later() {
        let dir = tempfile::tempdir().unwrap();
        let partition = Partition::open(dir.path().join("0"), LogSettings::default()).unwrap();
        let waiter = Waiter::default();
        partition.watch(&waiter);
        partition.wake();
        waiter.notified().await;
    }
}
