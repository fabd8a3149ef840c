//! An event taken from a queue.

use rdkafka::bindings as sys;
use std::ptr::NonNull;

/// An owned event; what is read from it lives as long as it.
pub(crate) struct Event {
    ptr: NonNull<sys::rd_kafka_event_t>,
}

impl Event {
    /// Takes ownership; null is no event.
    pub(super) fn owned(ptr: *mut sys::rd_kafka_event_t) -> Option<Self> {
        NonNull::new(ptr).map(|ptr| Self { ptr })
    }

    /// The event, valid while `self` lives.
    pub(crate) fn ptr(&self) -> *mut sys::rd_kafka_event_t {
        self.ptr.as_ptr()
    }

    /// One of the `RD_KAFKA_EVENT_…` numbers.
    pub(crate) fn kind(&self) -> i32 {
        // SAFETY: a live event.
        unsafe { sys::rd_kafka_event_type(self.ptr()) }
    }

    /// The error code it carries; 0 if none.
    pub(crate) fn code(&self) -> i32 {
        // SAFETY: a live event.
        unsafe { sys::rd_kafka_event_error(self.ptr()) as i32 }
    }

    /// The error text it carries.
    pub(crate) fn reason(&self) -> String {
        // SAFETY: a live event, whose text is copied.
        unsafe { super::text(sys::rd_kafka_event_error_string(self.ptr())) }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the only owner.
        unsafe { sys::rd_kafka_event_destroy(self.ptr()) };
    }
}
