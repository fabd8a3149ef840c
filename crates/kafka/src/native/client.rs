//! The client handle: made from a configuration, logging through `tracing`, destroyed once.

use super::{Event, c_text, text};
use crate::error::{ErrorKind, KafkaError};
use rdkafka::bindings as sys;
use std::{
    ffi::{c_char, c_int},
    ptr::NonNull,
    time::Duration,
};

/// What a client is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Reads, or only asks.
    Consumer,
    /// Writes.
    Producer,
}

/// Room for the C client's error texts.
const TEXT: usize = 512;

/// A client handle.
pub(crate) struct Client {
    ptr: NonNull<sys::rd_kafka_t>,
}

// SAFETY: the C client is documented as thread-safe: any of its functions may be called from any thread.
unsafe impl Send for Client {}
// SAFETY: as above.
unsafe impl Sync for Client {}

impl Client {
    /// A client with this configuration. `events` are the kinds of event that are queued for [`Queue::poll`] instead of being handled inside.
    pub(crate) fn new(kind: Kind, configuration: &[(String, String)], events: i32) -> Result<Self, KafkaError> {
        let operation = "create a Kafka client";
        let mut reason = [0 as c_char; TEXT];
        // SAFETY: the configuration is made, filled and either given to the new client or destroyed here; strings live through the calls;
        // the error buffer is written within its length and stays zero-terminated.
        unsafe {
            let conf = sys::rd_kafka_conf_new();
            for (name, value) in configuration {
                let set = c_text(operation, name).and_then(|name| Ok((name, c_text(operation, value)?)));
                let result = match set {
                    Ok((name, value)) => sys::rd_kafka_conf_set(conf, name.as_ptr(), value.as_ptr(), reason.as_mut_ptr(), TEXT),
                    Err(error) => {
                        sys::rd_kafka_conf_destroy(conf);
                        return Err(KafkaError { kind: ErrorKind::Config, ..error });
                    }
                };
                if result != sys::rd_kafka_conf_res_t::RD_KAFKA_CONF_OK {
                    sys::rd_kafka_conf_destroy(conf);
                    return Err(KafkaError::local(ErrorKind::Config, operation, format!("property '{name}': {}", text(reason.as_ptr()))));
                }
            }
            sys::rd_kafka_conf_set_log_cb(conf, Some(log));
            sys::rd_kafka_conf_set_events(conf, events);
            let native = match kind {
                Kind::Consumer => sys::rd_kafka_type_t::RD_KAFKA_CONSUMER,
                Kind::Producer => sys::rd_kafka_type_t::RD_KAFKA_PRODUCER,
            };
            let ptr = sys::rd_kafka_new(native, conf, reason.as_mut_ptr(), TEXT);
            match NonNull::new(ptr) {
                Some(ptr) => Ok(Self { ptr }),
                None => {
                    sys::rd_kafka_conf_destroy(conf);
                    Err(KafkaError::local(ErrorKind::Config, operation, text(reason.as_ptr())))
                }
            }
        }
    }

    /// The handle, valid while `self` lives.
    pub(crate) fn ptr(&self) -> *mut sys::rd_kafka_t {
        self.ptr.as_ptr()
    }

    /// The error after which this client can do nothing more, if it happened.
    pub(crate) fn fatal(&self, operation: &str) -> Option<KafkaError> {
        let mut reason = [0 as c_char; TEXT];
        // SAFETY: a live client; the buffer is written within its length.
        let (code, reason) = unsafe {
            let code = sys::rd_kafka_fatal_error(self.ptr(), reason.as_mut_ptr(), TEXT) as i32;
            (code, text(reason.as_ptr()))
        };
        let error = (code != 0).then(|| KafkaError::from_code(operation, code).because(reason))?;
        Some(if error.kind == ErrorKind::Fenced { error } else { KafkaError { kind: ErrorKind::Fatal, ..error } })
    }

    /// The queue of a consumer's records and group events.
    pub(crate) fn consumer_queue(&self) -> Result<Queue, KafkaError> {
        // SAFETY: a live client; the returned reference is owned by the Queue.
        Queue::owned(unsafe { sys::rd_kafka_queue_get_consumer(self.ptr()) })
    }

    /// The queue of a producer's delivery reports.
    pub(crate) fn main_queue(&self) -> Result<Queue, KafkaError> {
        // SAFETY: a live client; the returned reference is owned by the Queue.
        Queue::owned(unsafe { sys::rd_kafka_queue_get_main(self.ptr()) })
    }

    /// A queue of its own, for the answer to one request.
    pub(crate) fn new_queue(&self) -> Result<Queue, KafkaError> {
        // SAFETY: a live client; the new queue is owned by the Queue.
        Queue::owned(unsafe { sys::rd_kafka_queue_new(self.ptr()) })
    }

    /// A handle of a topic.
    pub(crate) fn topic(&self, name: &str) -> Result<Topic, KafkaError> {
        let operation = "open a topic";
        let c_name = c_text(operation, name)?;
        // SAFETY: a live client and a zero-terminated name; null asks for the client's own topic settings.
        let ptr = unsafe { sys::rd_kafka_topic_new(self.ptr(), c_name.as_ptr(), std::ptr::null_mut()) };
        let refused = || KafkaError::local(ErrorKind::Invalid, operation, format!("'{name}' is not a topic name Kafka takes"));
        NonNull::new(ptr).map(|ptr| Topic { ptr }).ok_or_else(refused)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Nothing is committed, no rebalance is served and no group is left on the way out: a static member's place is kept by design.
        // SAFETY: the only owner; queues and topics made from it are dropped before, by the order of fields of their holders.
        unsafe { sys::rd_kafka_destroy_flags(self.ptr(), sys::RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE) };
    }
}

/// A queue of a client. Declare it before the client in a struct, so that it is dropped first.
pub(crate) struct Queue {
    ptr: NonNull<sys::rd_kafka_queue_t>,
}

// SAFETY: queues of the C client are thread-safe.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Queue {
    fn owned(ptr: *mut sys::rd_kafka_queue_t) -> Result<Self, KafkaError> {
        let missing = || KafkaError::local(ErrorKind::Fatal, "open a queue of the Kafka client", "the client has none");
        NonNull::new(ptr).map(|ptr| Self { ptr }).ok_or_else(missing)
    }

    /// The queue, valid while `self` lives.
    pub(crate) fn ptr(&self) -> *mut sys::rd_kafka_queue_t {
        self.ptr.as_ptr()
    }

    /// The next event, waiting at most `timeout`.
    pub(crate) fn poll(&self, timeout: Duration) -> Option<Event> {
        // SAFETY: a live queue; the event is owned by the Event.
        Event::owned(unsafe { sys::rd_kafka_queue_poll(self.ptr(), super::millis(timeout)) })
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: gives back the reference this Queue owns.
        unsafe { sys::rd_kafka_queue_destroy(self.ptr()) };
    }
}

/// A topic handle of a client. Declare it before the client in a struct, so that it is dropped first.
pub(crate) struct Topic {
    ptr: NonNull<sys::rd_kafka_topic_t>,
}

// SAFETY: topic handles of the C client are thread-safe.
unsafe impl Send for Topic {}

impl Topic {
    /// The handle, valid while `self` lives.
    pub(crate) fn ptr(&self) -> *mut sys::rd_kafka_topic_t {
        self.ptr.as_ptr()
    }
}

impl Drop for Topic {
    fn drop(&mut self) {
        // SAFETY: gives back the reference this Topic owns.
        unsafe { sys::rd_kafka_topic_destroy(self.ptr()) };
    }
}

/// Log lines of the C client. Its errors are warnings here: it retries by itself, and what fails for good comes back as an error.
unsafe extern "C" fn log(_: *const sys::rd_kafka_t, level: c_int, facility: *const c_char, line: *const c_char) {
    // SAFETY: the client passes zero-terminated strings that live through the call.
    let (facility, line) = unsafe { (text(facility), text(line)) };
    match level {
        // Said many times a second while they are down, and by the lines of FAIL too, which the client keeps few.
        _ if line.ends_with("brokers are down") => tracing::debug!(target: "flumen_kafka::client", facility, "{line}"),
        ..=4 => tracing::warn!(target: "flumen_kafka::client", facility, "{line}"),
        5 => tracing::info!(target: "flumen_kafka::client", facility, "{line}"),
        _ => tracing::debug!(target: "flumen_kafka::client", facility, "{line}"),
    }
}
