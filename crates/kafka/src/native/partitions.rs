//! A list of partitions with offsets, as the C interface takes and gives them.

use super::{c_text, text};
use crate::error::{ErrorKind, KafkaError};
use rdkafka::bindings as sys;
use std::ptr::NonNull;

/// An owned list of (topic, partition, offset).
pub(crate) struct Partitions {
    ptr: NonNull<sys::rd_kafka_topic_partition_list_t>,
}

/// One element of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) topic: String,
    pub(crate) partition: i32,
    pub(crate) offset: i64,
    /// The error code of this partition; 0 if none.
    pub(crate) code: i32,
}

impl Partitions {
    /// An empty list.
    pub(crate) fn new() -> Result<Self, KafkaError> {
        // SAFETY: makes a list; zero is a valid size hint.
        let ptr = unsafe { sys::rd_kafka_topic_partition_list_new(0) };
        NonNull::new(ptr).map(|ptr| Self { ptr }).ok_or_else(|| KafkaError::local(ErrorKind::Fatal, "list partitions", "out of memory"))
    }

    /// A list of these.
    pub(crate) fn of<'a>(elements: impl IntoIterator<Item = (&'a str, i32, i64)>) -> Result<Self, KafkaError> {
        let list = Self::new()?;
        for (topic, partition, offset) in elements {
            let name = c_text("list partitions", topic)?;
            // SAFETY: a live list and a zero-terminated name, which is copied; the returned element is valid until the list grows.
            unsafe {
                let element = sys::rd_kafka_topic_partition_list_add(list.ptr(), name.as_ptr(), partition);
                (*element).offset = offset;
            }
        }
        Ok(list)
    }

    /// The list, valid while `self` lives.
    pub(crate) fn ptr(&self) -> *mut sys::rd_kafka_topic_partition_list_t {
        self.ptr.as_ptr()
    }

    /// Copies of the elements.
    pub(crate) fn elements(&self) -> Vec<Element> {
        // SAFETY: a live list.
        unsafe { elements(self.ptr()) }
    }
}

impl Drop for Partitions {
    fn drop(&mut self) {
        // SAFETY: the only owner.
        unsafe { sys::rd_kafka_topic_partition_list_destroy(self.ptr()) };
    }
}

/// Copies of the elements of a list that belongs to another.
///
/// # Safety
/// `list` is null (no elements) or a live list.
pub(crate) unsafe fn elements(list: *const sys::rd_kafka_topic_partition_list_t) -> Vec<Element> {
    if list.is_null() {
        return Vec::new();
    }
    // SAFETY: a live list, by the caller's promise.
    let (count, first) = unsafe { (usize::try_from((*list).cnt).unwrap_or(0), (*list).elems) };
    // SAFETY: `elems` points to `cnt` live elements.
    (0..count).map(|i| unsafe { element(first.add(i)) }).collect()
}

/// A copy of one element.
///
/// # Safety
/// `element` points to a live element.
pub(crate) unsafe fn element(element: *const sys::rd_kafka_topic_partition_t) -> Element {
    // SAFETY: live, by the caller's promise; the error code is read as the integer it is, whatever its value.
    unsafe {
        Element {
            topic: text((*element).topic),
            partition: (*element).partition,
            offset: (*element).offset,
            code: (&raw const (*element).err).cast::<i32>().read(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let list = Partitions::of([("a", 1, 10), ("b", 0, -2)]).unwrap();
        let seen: Vec<_> = list.elements().into_iter().map(|e| (e.topic, e.partition, e.offset, e.code)).collect();
        assert_eq!(seen, [("a".into(), 1, 10, 0), ("b".into(), 0, -2, 0)]);
        assert!(Partitions::of([("a\0b", 1, 10)]).is_err());
    }
}
