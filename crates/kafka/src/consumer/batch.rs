//! One call's worth of records, copied from the C client into chunks by partition.

use crate::{
    error::{ErrorKind, KafkaError},
    native::{self, Queue},
};
use flumen_wire::{RecordChunk, encode_headers};
use rdkafka::bindings as sys;
use std::{
    collections::HashMap,
    ffi::{CStr, c_char, c_void},
    ptr,
    sync::Arc,
    time::Duration,
};

/// What a fetch yields, in order within each partition.
#[derive(Clone, Debug)]
pub enum Fetched {
    /// Records.
    Chunk(RecordChunk),
    /// The end of what can be read now.
    Eof {
        /// The topic.
        topic: Arc<str>,
        /// The partition.
        partition: i32,
        /// The offset the next record will have at least. With transactions open it is where the first of them starts.
        offset: i64,
    },
    /// Something about one partition.
    Error {
        /// The topic.
        topic: Arc<str>,
        /// The partition.
        partition: i32,
        /// What is wrong.
        error: KafkaError,
    },
}

/// Room for messages of the C client, and the names of the topics they came from.
#[derive(Default)]
pub(super) struct Batch {
    messages: Vec<Message>,
    topics: HashMap<Box<CStr>, Arc<str>>,
    headers: Vec<u8>,
}

impl Batch {
    pub(super) fn fetch(&mut self, queue: &Queue, max_records: usize, timeout: Duration) -> Result<Vec<Fetched>, KafkaError> {
        let max = max_records.max(1);
        // The C call waits for a full batch, so the wait is for one record and the rest is what is there.
        self.take(queue, 1, timeout);
        if !self.messages.is_empty() {
            self.take(queue, max - 1, Duration::ZERO);
        }
        let mut out = Vec::new();
        // Where in `out` the open chunk of a partition is; few partitions come in one batch.
        let mut open: Vec<(*mut sys::rd_kafka_topic_t, i32, usize)> = Vec::new();
        let mut failed = None;
        let messages = std::mem::take(&mut self.messages);
        for run in messages.chunk_by(Message::same_partition) {
            let Some(first) = run.first() else { continue };
            let (handle, partition) = (first.topic(), first.partition());
            if handle.is_null() {
                failed = Some(first.error("consume"));
                continue;
            }
            let topic = self.topic(handle);
            let at = open.iter().position(|(h, p, _)| (*h, *p) == (handle, partition));
            if first.code() != 0 {
                if let Some(at) = at {
                    open.swap_remove(at);
                }
                out.extend(run.iter().map(|message| message.event(&topic)));
                continue;
            }
            let index = match at.and_then(|at| open.get(at)) {
                Some((_, _, index)) => *index,
                None => {
                    open.push((handle, partition, out.len()));
                    out.push(Fetched::Chunk(RecordChunk::new(topic.clone(), partition)));
                    out.len() - 1
                }
            };
            if let Some(next) = self.copy(run, out.get_mut(index), &topic) {
                open.retain(|(_, _, i)| *i != index);
                open.push((handle, partition, out.len()));
                out.push(Fetched::Chunk(next));
            }
        }
        // Kept for its room only.
        self.messages = messages;
        self.messages.clear();
        match failed {
            Some(error) if out.is_empty() => Err(error),
            _ => Ok(out),
        }
    }

    /// Appends up to `max` messages of the queue.
    fn take(&mut self, queue: &Queue, max: usize, timeout: Duration) {
        self.messages.reserve(max);
        let spare = self.messages.spare_capacity_mut();
        // SAFETY: `Message` is a transparent pointer, so the spare room is room for at least `max` pointers; the call writes as many as it
        // returns, each a message that we own from then on.
        unsafe {
            let got = sys::rd_kafka_consume_batch_queue(queue.ptr(), native::millis(timeout), spare.as_mut_ptr().cast(), max);
            self.messages.set_len(self.messages.len() + usize::try_from(got).unwrap_or(0).min(max));
        }
    }

    /// Appends a run of records to the chunk in `into`. If it is full, the rest comes back as a chunk of its own.
    fn copy(&mut self, run: &[Message], into: Option<&mut Fetched>, topic: &Arc<str>) -> Option<RecordChunk> {
        let Some(Fetched::Chunk(chunk)) = into else { return None };
        chunk.reserve(run.len(), run.iter().map(Message::bytes).sum());
        let mut next: Option<RecordChunk> = None;
        for message in run {
            self.headers.clear();
            message.headers(&mut self.headers);
            let (offset, key, value, timestamp) = (message.offset(), message.key(), message.value(), message.timestamp());
            let target = next.as_mut().unwrap_or(chunk);
            if target.push(offset, key, value, timestamp, &self.headers).is_err() {
                let mut fresh = RecordChunk::new(topic.clone(), message.partition());
                // A record is below 2 GiB by the protocol, so an empty chunk takes it.
                if fresh.push(offset, key, value, timestamp, &self.headers).is_err() {
                    tracing::error!(topic = %topic, partition = message.partition(), offset, "a record larger than 4 GiB was skipped");
                }
                next = Some(fresh);
            }
        }
        next
    }

    /// The name of a topic, the same `Arc` each time.
    fn topic(&mut self, handle: *mut sys::rd_kafka_topic_t) -> Arc<str> {
        // SAFETY: the handle belongs to a message that is alive, and so does its zero-terminated name.
        let name = unsafe { CStr::from_ptr(sys::rd_kafka_topic_name(handle)) };
        if let Some(known) = self.topics.get(name) {
            return known.clone();
        }
        let topic: Arc<str> = name.to_string_lossy().into();
        self.topics.insert(name.into(), topic.clone());
        topic
    }
}

/// An owned message of the C client.
#[repr(transparent)]
struct Message(ptr::NonNull<sys::rd_kafka_message_t>);

// SAFETY: a message is owned by one Message and its buffers are reference-counted by the thread-safe client.
unsafe impl Send for Message {}

// The fields are read through the pointer, never by a reference to the whole: its error code may be a number the enumeration does not know.
impl Message {
    fn topic(&self) -> *mut sys::rd_kafka_topic_t {
        // SAFETY: a live message.
        unsafe { (*self.0.as_ptr()).rkt }
    }

    fn partition(&self) -> i32 {
        // SAFETY: a live message.
        unsafe { (*self.0.as_ptr()).partition }
    }

    fn offset(&self) -> i64 {
        // SAFETY: a live message.
        unsafe { (*self.0.as_ptr()).offset }
    }

    fn key(&self) -> Option<&[u8]> {
        // SAFETY: a live message; pointer and length are of a buffer that lives as long as it.
        unsafe { field((*self.0.as_ptr()).key, (*self.0.as_ptr()).key_len) }
    }

    fn value(&self) -> Option<&[u8]> {
        // SAFETY: a live message; pointer and length are of a buffer that lives as long as it.
        unsafe { field((*self.0.as_ptr()).payload, (*self.0.as_ptr()).len) }
    }

    /// Bytes of key and value.
    fn bytes(&self) -> usize {
        // SAFETY: a live message.
        unsafe { (*self.0.as_ptr()).key_len + (*self.0.as_ptr()).len }
    }

    /// The error code, read as the integer it is; 0 for a record.
    fn code(&self) -> i32 {
        // SAFETY: a live message; the field is a C enumeration, that is an `int`.
        unsafe { (&raw const (*self.0.as_ptr()).err).cast::<i32>().read() }
    }

    /// Whether both are records of one partition, or both are events of it.
    fn same_partition(&self, other: &Self) -> bool {
        self.topic() == other.topic() && self.partition() == other.partition() && (self.code() == 0) == (other.code() == 0)
    }

    fn timestamp(&self) -> i64 {
        let mut kind = sys::rd_kafka_timestamp_type_t::RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
        // SAFETY: a live message and an out parameter.
        unsafe { sys::rd_kafka_message_timestamp(self.0.as_ptr(), &raw mut kind) }
    }

    /// Appends the headers as one raw list; nothing if there are none.
    fn headers(&self, out: &mut Vec<u8>) {
        let mut list: *mut sys::rd_kafka_headers_t = ptr::null_mut();
        // SAFETY: a live message and an out parameter; the list stays with the message.
        let found = unsafe { sys::rd_kafka_message_headers(self.0.as_ptr(), &raw mut list) as i32 } == 0;
        if found && !list.is_null() {
            encode_headers(out, (0..).map_while(|i| header(self, list, i)));
        }
    }

    fn error(&self, operation: impl Into<String>) -> KafkaError {
        // SAFETY: a live message, whose text is copied.
        let reason = unsafe { native::text(sys::rd_kafka_message_errstr(self.0.as_ptr())) };
        let error = KafkaError::from_code(operation, self.code()).because(reason);
        if self.code() == FATAL { KafkaError { kind: ErrorKind::Fatal, ..error } } else { error }
    }

    /// What a message with an error code says about its partition.
    fn event(&self, topic: &Arc<str>) -> Fetched {
        let (topic, partition, offset) = (topic.clone(), self.partition(), self.offset());
        if self.code() == PARTITION_EOF {
            return Fetched::Eof { topic, partition, offset };
        }
        let error = self.error(format!("consume topic '{topic}' partition {partition}"));
        Fetched::Error { topic, partition, error }
    }
}

const PARTITION_EOF: i32 = sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__PARTITION_EOF as i32;
const FATAL: i32 = sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__FATAL as i32;

impl Drop for Message {
    fn drop(&mut self) {
        // SAFETY: the only owner.
        unsafe { sys::rd_kafka_message_destroy(self.0.as_ptr()) };
    }
}

/// Header `index` of a list that belongs to `message`.
fn header(_message: &Message, list: *const sys::rd_kafka_headers_t, index: usize) -> Option<(&[u8], Option<&[u8]>)> {
    let mut name: *const c_char = ptr::null();
    let mut value: *const c_void = ptr::null();
    let mut size = 0usize;
    // SAFETY: a live list and out parameters; name and value live as long as the list, that is as long as the message.
    unsafe {
        let code = sys::rd_kafka_header_get_all(list, index, &raw mut name, &raw mut value, &raw mut size) as i32;
        if code != 0 || name.is_null() {
            return None;
        }
        Some((CStr::from_ptr(name).to_bytes(), field(value, size)))
    }
}

/// Bytes of the C client; null is `None`.
///
/// # Safety
/// `start` is null or points to `len` bytes that live through `'a`.
unsafe fn field<'a>(start: *const c_void, len: usize) -> Option<&'a [u8]> {
    // SAFETY: by the caller's promise.
    (!start.is_null()).then(|| unsafe { std::slice::from_raw_parts(start.cast::<u8>(), len) })
}
