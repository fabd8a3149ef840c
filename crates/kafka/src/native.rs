//! Owners and borrowers of the C client's objects: the thin layer the rest of this crate stands on.

mod client;
mod event;
mod partitions;

pub(crate) use client::{Client, Kind, Queue, Topic};
pub(crate) use event::Event;
pub(crate) use partitions::{Partitions, element, elements};

use crate::error::{ErrorKind, KafkaError};
use rdkafka::bindings as sys;
use std::{
    ffi::{CStr, CString, c_char, c_int},
    time::Duration,
};

/// A time-out in the milliseconds of the C interface, rounded up so that a short wait is not a busy loop.
pub(crate) fn millis(timeout: Duration) -> c_int {
    c_int::try_from(timeout.as_micros().div_ceil(1000)).unwrap_or(c_int::MAX)
}

/// A C string as text; null is empty.
///
/// # Safety
/// `text` is null or points to a zero-terminated string that lives through this call.
pub(crate) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null; the rest by the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A name for the C interface.
pub(crate) fn c_text(operation: &str, value: &str) -> Result<CString, KafkaError> {
    CString::new(value)
        .map_err(|_| KafkaError::local(ErrorKind::Invalid, operation, format!("'{}' contains a zero byte", value.escape_debug())))
}

/// Kafka's text for an error code.
pub(crate) fn describe(code: i32) -> String {
    let mut table: *const sys::rd_kafka_err_desc = std::ptr::null();
    let mut count = 0usize;
    // SAFETY: both are out parameters; the table is static.
    unsafe { sys::rd_kafka_get_err_descs(&raw mut table, &raw mut count) };
    for i in 0..count {
        // SAFETY: `i` is within the static table; the code is read as the integer it is, whatever its value.
        let (entry_code, desc) = unsafe {
            let entry = table.add(i);
            ((&raw const (*entry).code).cast::<i32>().read(), (*entry).desc)
        };
        if entry_code == code && !desc.is_null() {
            // SAFETY: the table's texts are static and zero-terminated.
            return unsafe { text(desc) };
        }
    }
    format!("error code {code}")
}

/// Turns a returned error object into a result, and frees it.
///
/// # Safety
/// `error` is null or an error object that the caller owns and does not use again.
pub(crate) unsafe fn check(operation: &str, error: *mut sys::rd_kafka_error_t) -> Result<(), KafkaError> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: a live error object, by the caller's promise; freed once, here, after its text was copied.
    unsafe {
        let mut out = borrowed_error(operation, error);
        if sys::rd_kafka_error_is_fatal(error) != 0 {
            if out.kind != ErrorKind::Fenced {
                out.kind = ErrorKind::Fatal;
            }
        } else if sys::rd_kafka_error_txn_requires_abort(error) != 0 {
            out.kind = ErrorKind::Abortable;
        } else if sys::rd_kafka_error_is_retriable(error) != 0 {
            out.kind = ErrorKind::Retriable;
        }
        sys::rd_kafka_error_destroy(error);
        Err(out)
    }
}

/// The error in an error object that stays with its owner.
///
/// # Safety
/// `error` is a live error object.
pub(crate) unsafe fn borrowed_error(operation: &str, error: *const sys::rd_kafka_error_t) -> KafkaError {
    // SAFETY: a live error object, by the caller's promise; the text is copied.
    unsafe {
        let code = sys::rd_kafka_error_code(error) as i32;
        KafkaError::from_code(operation, code).because(text(sys::rd_kafka_error_string(error)))
    }
}
