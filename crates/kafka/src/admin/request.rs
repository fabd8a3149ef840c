//! One request of the admin interface: send, wait for the one answer, check it.

use super::Admin;
use crate::{
    error::{ErrorKind, KafkaError},
    native::{Event, millis},
};
use rdkafka::bindings as sys;
use std::{ffi::c_char, ptr::NonNull, time::Duration};

/// Added to the wait on this side, so that the client's own time-out comes first and says more.
const SLACK: Duration = Duration::from_millis(500);

/// Owned options of a request.
struct Options(NonNull<sys::rd_kafka_AdminOptions_t>);

impl Drop for Options {
    fn drop(&mut self) {
        // SAFETY: the only owner.
        unsafe { sys::rd_kafka_AdminOptions_destroy(self.0.as_ptr()) };
    }
}

impl Admin {
    /// Sends the request that `send` makes from client, options and answer queue; the event is its answer.
    pub(super) fn request(
        &self,
        operation: &str,
        api: sys::rd_kafka_admin_op_t,
        timeout: Duration,
        send: impl FnOnce(*mut sys::rd_kafka_t, *const sys::rd_kafka_AdminOptions_t, *mut sys::rd_kafka_queue_t),
    ) -> Result<Event, KafkaError> {
        let queue = self.client.new_queue()?;
        // SAFETY: a live client; the options are owned by Options.
        let options = NonNull::new(unsafe { sys::rd_kafka_AdminOptions_new(self.client.ptr(), api) }).map(Options);
        let options = options.ok_or_else(|| KafkaError::local(ErrorKind::Fatal, operation, "the client takes no request"))?;
        let mut reason = [0 as c_char; 128];
        // SAFETY: live options; the buffer is written within its length.
        let code = unsafe {
            sys::rd_kafka_AdminOptions_set_request_timeout(options.0.as_ptr(), millis(timeout).max(1), reason.as_mut_ptr(), reason.len())
                as i32
        };
        if code != 0 {
            return Err(KafkaError::from_code(operation, code));
        }
        send(self.client.ptr(), options.0.as_ptr(), queue.ptr());
        let no_answer = || KafkaError::local(ErrorKind::Unavailable, operation, "no broker answered in time");
        let event = queue.poll(timeout + SLACK).ok_or_else(no_answer)?;
        if event.code() == 0 { Ok(event) } else { Err(KafkaError::from_code(operation, event.code()).because(event.reason())) }
    }
}

/// The elements of an array of pointers that a result gave out.
///
/// # Safety
/// `first` is null or points to `count` pointers that live through `'a`.
pub(super) unsafe fn array<'a, T>(first: *mut *const T, count: usize) -> &'a [*const T] {
    // SAFETY: by the caller's promise.
    if first.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(first, count) } }
}
