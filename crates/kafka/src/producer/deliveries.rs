//! Counting delivery reports.

use crate::{
    error::KafkaError,
    native::{self, Queue},
};
use rdkafka::bindings as sys;
use std::time::{Duration, Instant};

/// How many records were sent and what is known of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deliveries {
    /// Records given to the client.
    pub enqueued: u64,
    /// Records the broker has.
    pub acked: u64,
    /// Records the broker will not get.
    pub failed: u64,
}

/// The counters, and the first failure.
#[derive(Default)]
pub(super) struct Reports {
    counts: Deliveries,
    failure: Option<KafkaError>,
    ends: Vec<End>,
    /// Which of `ends` the last report was about: reports come in runs of one partition.
    current: usize,
}

/// How far a partition's acknowledged records reach.
struct End {
    handle: *mut sys::rd_kafka_topic_t,
    topic: String,
    partition: i32,
    next: i64,
}

// SAFETY: the handle is only compared, never followed.
unsafe impl Send for End {}

impl Reports {
    pub(super) fn enqueued(&mut self) {
        self.counts.enqueued += 1;
    }

    pub(super) fn counts(&self) -> Deliveries {
        self.counts
    }

    pub(super) fn failure(&self) -> Option<KafkaError> {
        self.failure.clone()
    }

    /// The offset after the last acknowledged record of a partition since the last reset.
    pub(super) fn end(&self, topic: &str, partition: i32) -> Option<i64> {
        self.ends.iter().filter(|e| e.partition == partition && e.topic == topic).map(|e| e.next).max()
    }

    /// Notes an acknowledged record.
    fn acked(&mut self, message: *mut sys::rd_kafka_message_t) {
        self.counts.acked += 1;
        // SAFETY: a live message.
        let (handle, partition, offset) = unsafe { ((*message).rkt, (*message).partition, (*message).offset) };
        let same = |e: &End| e.handle == handle && e.partition == partition;
        if !self.ends.get(self.current).is_some_and(same) {
            self.current = self.ends.iter().position(same).unwrap_or_else(|| {
                // SAFETY: the topic handle lives as long as the message; the name is copied.
                let topic = unsafe { native::text(sys::rd_kafka_topic_name(handle)) };
                self.ends.push(End { handle, topic, partition, next: 0 });
                self.ends.len() - 1
            });
        }
        if let Some(end) = self.ends.get_mut(self.current) {
            end.next = end.next.max(offset + 1);
        }
    }

    /// Starts to count anew.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Takes what is reported now; waits up to `timeout` for the first report.
    pub(super) fn serve(&mut self, queue: &Queue, timeout: Duration) {
        let mut wait = timeout;
        while let Some(event) = queue.poll(wait) {
            wait = Duration::ZERO;
            if event.kind() != sys::RD_KAFKA_EVENT_DR {
                continue;
            }
            // SAFETY: a live event of delivery reports; its messages live as long as it. Fields are read through the pointer, the error code
            // as the integer it is.
            while let Some(message) = std::ptr::NonNull::new(unsafe { sys::rd_kafka_event_message_next(event.ptr()) }.cast_mut()) {
                // SAFETY: as above.
                let code = unsafe { (&raw const (*message.as_ptr()).err).cast::<i32>().read() };
                if code == 0 {
                    self.acked(message.as_ptr());
                    continue;
                }
                self.counts.failed += 1;
                if self.failure.is_none() {
                    // SAFETY: as above; topic handle and name live as long as the message, the text is copied. The code says why:
                    // of the library's two texts for a message one is the record's own value, the other may be freed by now.
                    let (topic, partition) = unsafe {
                        let topic = native::text(sys::rd_kafka_topic_name((*message.as_ptr()).rkt));
                        (topic, (*message.as_ptr()).partition)
                    };
                    self.failure = Some(KafkaError::from_code(super::operation(&topic, partition), code));
                }
            }
        }
    }

    /// Takes reports until `client` has no record left, or until `deadline`.
    pub(super) fn drain(&mut self, queue: &Queue, client: &native::Client, deadline: Instant) {
        // SAFETY: a live client.
        while unsafe { sys::rd_kafka_outq_len(client.ptr()) } > 0 && Instant::now() < deadline {
            self.serve(queue, Duration::from_millis(5));
        }
    }
}
