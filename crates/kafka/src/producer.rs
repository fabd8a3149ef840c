//! Writing batches, with or without transactions; deliveries are counted, never awaited one by one.

mod deliveries;
mod options;
mod transaction;

pub use deliveries::Deliveries;
pub use options::ProducerOptions;

use crate::{
    error::{ErrorKind, KafkaError},
    native::{Client, Kind, Queue, Topic},
    settings::ClientSettings,
};
use deliveries::Reports;
use flumen_wire::{BatchBuilder, HeaderIter, RecordColumns};
use rdkafka::bindings::{self as sys, rd_kafka_vtype_t as vtype};
use std::{
    collections::HashMap,
    ffi::{c_int, c_void},
    ptr,
    time::{Duration, Instant},
};

/// How long a produce call may wait for room in the queue before it gives up.
const QUEUE_WAIT: Duration = Duration::from_secs(60);
const QUEUE_FULL: i32 = sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__QUEUE_FULL as i32;
const FATAL: i32 = sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__FATAL as i32;

/// A producer. One thread owns it, and learns of deliveries only while it calls it.
pub struct Producer {
    // Order matters: topics, reports and queue go before the client they belong to.
    topics: HashMap<Box<str>, Topic>,
    reports: Reports,
    queue: Queue,
    client: Client,
    transactional: bool,
}

impl Producer {
    /// A producer; idempotent always, transactional if the options name an id. Makes no connection that it waits for.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] if a property is unknown or wrong.
    pub fn new(settings: &ClientSettings, options: &ProducerOptions) -> Result<Self, KafkaError> {
        let timeout = options.transaction_timeout.as_millis().to_string();
        let mut fixed = vec![("enable.idempotence", "true")];
        if let Some(id) = &options.transactional_id {
            fixed.extend([("transactional.id", id.as_str()), ("transaction.timeout.ms", timeout.as_str())]);
        }
        let configuration = settings.configuration(
            &[
                ("linger.ms", "20"),
                ("batch.size", "1000000"),
                ("batch.num.messages", "100000"),
                ("queue.buffering.max.messages", "1000000"),
                ("queue.buffering.max.kbytes", "262144"),
            ],
            &fixed,
        );
        let client = Client::new(Kind::Producer, &configuration, sys::RD_KAFKA_EVENT_DR)?;
        let queue = client.main_queue()?;
        let transactional = options.transactional_id.is_some();
        Ok(Self { topics: HashMap::new(), reports: Reports::default(), queue, client, transactional })
    }

    /// Sends the records of `batch` (copies them to the send queue).
    ///
    /// # Errors
    /// As [`produce_columns`](Self::produce_columns).
    pub fn produce(&mut self, batch: &BatchBuilder) -> Result<(), KafkaError> {
        self.produce_columns(batch.topic(), batch.partition(), batch.columns())
    }

    /// Sends `records` to a partition (copies them to the send queue). Waits for room when the queue is full.
    ///
    /// # Errors
    /// `Invalid` for a record the client refuses (too large), `Unavailable` if the queue stays full, `Abortable`, `Fenced` or `Fatal` from
    /// the transaction. Records before the one that failed are sent: abort, or take them as sent.
    pub fn produce_columns(&mut self, topic: &str, partition: i32, records: &RecordColumns) -> Result<(), KafkaError> {
        if records.is_empty() {
            return Ok(());
        }
        if !self.topics.contains_key(topic) {
            self.topics.insert(topic.into(), self.client.topic(topic)?);
        }
        let Some(handle) = self.topics.get(topic).map(Topic::ptr) else { return Ok(()) };
        for row in 0..records.len() {
            let mut full_until: Option<Instant> = None;
            loop {
                let code = self.send(handle, partition, records, row)?;
                if code == 0 {
                    self.reports.enqueued();
                    break;
                }
                if code != QUEUE_FULL {
                    return Err(self.refused(topic, partition, row, code));
                }
                if Instant::now() >= *full_until.get_or_insert_with(|| Instant::now() + QUEUE_WAIT) {
                    let reason = "the send queue stayed full: the broker takes no records";
                    return Err(KafkaError::local(ErrorKind::Unavailable, operation(topic, partition), reason));
                }
                self.reports.serve(&self.queue, Duration::from_millis(10));
            }
        }
        self.reports.serve(&self.queue, Duration::ZERO);
        Ok(())
    }

    /// One record to the send queue; the client's code.
    fn send(&self, topic: *mut sys::rd_kafka_topic_t, partition: i32, records: &RecordColumns, row: usize) -> Result<i32, KafkaError> {
        let headers = native_headers(records.headers(row))?;
        let (key, key_len) = raw(records.key(row));
        let (value, value_len) = raw(records.value(row));
        // SAFETY: the arguments follow their tags as the interface asks (pointer, length; 64-bit timestamp; int otherwise) up to the end tag;
        // key and value are copied by the call; the headers change hands when it succeeds.
        unsafe {
            let code = sys::rd_kafka_producev(
                self.client.ptr(),
                vtype::RD_KAFKA_VTYPE_RKT,
                topic,
                vtype::RD_KAFKA_VTYPE_PARTITION,
                partition,
                vtype::RD_KAFKA_VTYPE_MSGFLAGS,
                sys::RD_KAFKA_MSG_F_COPY as c_int,
                vtype::RD_KAFKA_VTYPE_VALUE,
                value,
                value_len,
                vtype::RD_KAFKA_VTYPE_KEY,
                key,
                key_len,
                vtype::RD_KAFKA_VTYPE_TIMESTAMP,
                records.timestamp(row),
                vtype::RD_KAFKA_VTYPE_HEADERS,
                headers,
                vtype::RD_KAFKA_VTYPE_END,
            ) as i32;
            if code != 0 && !headers.is_null() {
                sys::rd_kafka_headers_destroy(headers);
            }
            Ok(code)
        }
    }

    fn refused(&self, topic: &str, partition: i32, row: usize, code: i32) -> KafkaError {
        let operation = operation(topic, partition);
        if code == FATAL
            && let Some(error) = self.client.fatal(&operation)
        {
            return error;
        }
        let error = KafkaError::from_code(operation, code);
        let reason = format!("record {row} of the batch: {}", error.reason);
        error.because(reason)
    }

    /// What became of the records since the last `begin` (without transactions: since the producer was made). Does not wait.
    pub fn poll(&mut self) -> Deliveries {
        self.reports.serve(&self.queue, Duration::ZERO);
        self.reports.counts()
    }

    /// The offset after the last acknowledged record that this producer wrote to a partition since the last `begin` (without transactions:
    /// since it was made); `None` if there is none.
    pub fn delivered_end(&self, topic: &str, partition: i32) -> Option<i64> {
        self.reports.end(topic, partition).filter(|end| *end > 0)
    }

    /// Waits until every record was acknowledged.
    ///
    /// # Errors
    /// The first failed delivery, as soon as it is known (inside a transaction: `Abortable`); `Unavailable` if the deadline passes.
    pub fn await_deliveries(&mut self, deadline: Instant) -> Result<(), KafkaError> {
        loop {
            if let Some(error) = self.reports.failure() {
                let kind = if self.transactional && error.kind != ErrorKind::Fenced { ErrorKind::Abortable } else { error.kind };
                return Err(self.client.fatal(&error.operation).unwrap_or(KafkaError { kind, ..error }));
            }
            let counts = self.reports.counts();
            if counts.acked == counts.enqueued {
                return Ok(());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let reason = format!("{} of {} records were not acknowledged in time", counts.enqueued - counts.acked, counts.enqueued);
                return Err(KafkaError::local(ErrorKind::Unavailable, "await deliveries", reason));
            }
            self.reports.serve(&self.queue, left);
        }
    }
}

fn operation(topic: &str, partition: i32) -> String {
    format!("produce to topic '{topic}' partition {partition}")
}

/// Pointer and length for the C interface; null is null.
fn raw(field: Option<&[u8]>) -> (*const c_void, usize) {
    match field {
        None => (ptr::null(), 0),
        Some(bytes) => (bytes.as_ptr().cast(), bytes.len()),
    }
}

/// The headers as an object of the C client, owned by the caller; null if there are none.
fn native_headers(headers: HeaderIter<'_>) -> Result<*mut sys::rd_kafka_headers_t, KafkaError> {
    let mut list: *mut sys::rd_kafka_headers_t = ptr::null_mut();
    for (name, value) in headers {
        if list.is_null() {
            // SAFETY: makes a list; the count is a size hint.
            list = unsafe { sys::rd_kafka_headers_new(4) };
        }
        let (value, size) = raw(value);
        // SAFETY: a live list; name and value are copied, both by their length.
        unsafe { sys::rd_kafka_header_add(list, name.as_ptr().cast(), name.len().cast_signed(), value, size.cast_signed()) };
    }
    Ok(list)
}
