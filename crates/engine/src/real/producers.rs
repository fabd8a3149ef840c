//! Producers for single records, each used by one statement at a time.

use std::time::Instant;

use flumen_kafka::{ClientSettings, Producer, ProducerOptions};
use parking_lot::{Condvar, Mutex};

use super::CALL;
use crate::{EngineError, ErrorKind};

/// Statements that write at the same time; each client takes memory and threads.
const MOST: usize = 4;

/// A few producers, made when they are needed.
pub(super) struct Producers {
    settings: ClientSettings,
    idle: Mutex<Idle>,
    returned: Condvar,
}

struct Idle {
    producers: Vec<Producer>,
    /// Producers lent now.
    lent: usize,
}

impl Producers {
    pub(super) fn new(settings: &ClientSettings) -> Self {
        // Single records: nothing is gained by waiting for more.
        let settings = settings.clone().with_property("linger.ms", "0");
        let idle = Idle { producers: Vec::new(), lent: 0 };
        Producers { settings, idle: Mutex::new(idle), returned: Condvar::new() }
    }

    /// Does something with a producer. One that failed is not used again: it would count its failure again.
    pub(super) fn with(&self, work: impl FnOnce(&mut Producer) -> Result<(), EngineError>) -> Result<(), EngineError> {
        let idle = self.borrow()?;
        // Returns the place even if the work panics.
        let mut lent = Lent { of: self, producer: None };
        let mut producer = match idle {
            Some(producer) => producer,
            None => Producer::new(&self.settings, &ProducerOptions::idempotent())?,
        };
        work(&mut producer)?;
        lent.producer = Some(producer);
        Ok(())
    }

    /// An idle producer, or none with the leave to make one.
    fn borrow(&self) -> Result<Option<Producer>, EngineError> {
        let deadline = Instant::now() + CALL;
        let mut idle = self.idle.lock();
        while idle.lent >= MOST {
            if self.returned.wait_until(&mut idle, deadline).timed_out() {
                return Err(EngineError::new(ErrorKind::Unavailable, "Other rows are still waiting for Kafka; try again when it answers"));
            }
        }
        idle.lent += 1;
        Ok(idle.producers.pop())
    }
}

struct Lent<'a> {
    of: &'a Producers,
    /// The producer, if it is as good as before.
    producer: Option<Producer>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut idle = self.of.idle.lock();
        idle.lent -= 1;
        idle.producers.extend(self.producer.take());
        self.of.returned.notify_one();
    }
}
