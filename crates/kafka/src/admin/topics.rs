//! Topics: create, delete, list, describe, grow.

use super::{Admin, request::array};
use crate::{
    error::{ErrorKind, KafkaError},
    native::{Event, Topic, c_text, millis, text},
};
use rdkafka::bindings::{self as sys, rd_kafka_admin_op_t as op};
use std::{collections::BTreeMap, ffi::c_char, ptr, time::Duration};

/// A topic to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTopic {
    /// The name.
    pub name: String,
    /// How many partitions; -1: the broker's default.
    pub partitions: i32,
    /// How many replicas; -1: the broker's default.
    pub replication: i32,
    /// Topic configuration, such as `cleanup.policy`.
    pub configs: Vec<(String, String)>,
}

/// How a creation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Created {
    /// The topic is new.
    Created,
    /// It was there before, whatever its partitions and configuration.
    AlreadyExists,
}

/// A topic as the cluster describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicInfo {
    /// The name.
    pub name: String,
    /// How many partitions.
    pub partitions: i32,
    /// How many replicas its first partition has.
    pub replication: i32,
}

impl Admin {
    /// Creates a topic. It may take a moment until every broker knows it.
    ///
    /// # Errors
    /// `Invalid` if the broker refuses name, numbers or configuration; `Denied`; `Unavailable`.
    pub fn create_topic(&self, topic: &NewTopic, timeout: Duration) -> Result<Created, KafkaError> {
        let operation = format!("create topic '{}'", topic.name);
        let name = c_text(&operation, &topic.name)?;
        let mut configs = Vec::new();
        for (key, value) in &topic.configs {
            configs.push((c_text(&operation, key)?, c_text(&operation, value)?));
        }
        let mut reason = [0 as c_char; 256];
        // SAFETY: zero-terminated strings that are copied; the buffer is written within its length; the new object is freed below.
        let mut new = unsafe {
            let new = sys::rd_kafka_NewTopic_new(name.as_ptr(), topic.partitions, topic.replication, reason.as_mut_ptr(), reason.len());
            if new.is_null() {
                return Err(KafkaError::local(ErrorKind::Invalid, operation, text(reason.as_ptr())));
            }
            for (key, value) in &configs {
                sys::rd_kafka_NewTopic_set_config(new, key.as_ptr(), value.as_ptr());
            }
            new
        };
        let answer = self.request(&operation, op::RD_KAFKA_ADMIN_OP_CREATETOPICS, timeout, |client, options, queue| {
            // SAFETY: live objects; one element; the request copies it.
            unsafe { sys::rd_kafka_CreateTopics(client, &raw mut new, 1, options, queue) };
        });
        // SAFETY: made above, not used after.
        unsafe { sys::rd_kafka_NewTopic_destroy(new) };
        // SAFETY: the answer is of this kind of request.
        match topic_result(&operation, &answer?, |event, count| unsafe {
            sys::rd_kafka_CreateTopics_result_topics(sys::rd_kafka_event_CreateTopics_result(event), count)
        }) {
            Ok(()) => Ok(Created::Created),
            Err(error) if error.kind == ErrorKind::AlreadyExists => Ok(Created::AlreadyExists),
            Err(error) => Err(error),
        }
    }

    /// Deletes topics, each with its own outcome, in the order given.
    ///
    /// # Errors
    /// If the request as a whole failed.
    pub fn delete_topics(&self, names: &[&str], timeout: Duration) -> Result<Vec<(String, Result<(), KafkaError>)>, KafkaError> {
        let mut out = Vec::new();
        for name in names {
            let operation = format!("delete topic '{name}'");
            let c_name = c_text(&operation, name)?;
            // SAFETY: a zero-terminated name, which is copied; the object is freed below.
            let mut topic = unsafe { sys::rd_kafka_DeleteTopic_new(c_name.as_ptr()) };
            let answer = self.request(&operation, op::RD_KAFKA_ADMIN_OP_DELETETOPICS, timeout, |client, options, queue| {
                // SAFETY: live objects; one element; the request copies it.
                unsafe { sys::rd_kafka_DeleteTopics(client, &raw mut topic, 1, options, queue) };
            });
            // SAFETY: made above, not used after.
            unsafe { sys::rd_kafka_DeleteTopic_destroy(topic) };
            // SAFETY: the answer is of this kind of request.
            let result = topic_result(&operation, &answer?, |event, count| unsafe {
                sys::rd_kafka_DeleteTopics_result_topics(sys::rd_kafka_event_DeleteTopics_result(event), count)
            });
            out.push(((*name).to_string(), result));
        }
        Ok(out)
    }

    /// Every topic of the cluster, internal ones included, by name.
    ///
    /// # Errors
    /// `Unavailable` if no broker answers in time.
    pub fn list_topics(&self, timeout: Duration) -> Result<Vec<TopicInfo>, KafkaError> {
        let mut topics = self.metadata("list topics", None, true, timeout, topic_infos)?;
        topics.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(topics)
    }

    /// A topic, or `None` if there is none of that name.
    ///
    /// # Errors
    /// `Unavailable` if no broker answers in time.
    pub fn describe_topic(&self, name: &str, timeout: Duration) -> Result<Option<TopicInfo>, KafkaError> {
        let operation = format!("describe topic '{name}'");
        let topic = self.client.topic(name)?;
        let found = self.metadata(&operation, Some(&topic), false, timeout, topic_infos)?;
        Ok(found.into_iter().find(|info| info.name == name))
    }

    /// The configuration of a topic, defaults included.
    ///
    /// # Errors
    /// `NotFound` if there is no such topic.
    pub fn topic_configs(&self, name: &str, timeout: Duration) -> Result<BTreeMap<String, String>, KafkaError> {
        let operation = format!("describe the configuration of topic '{name}'");
        let c_name = c_text(&operation, name)?;
        // SAFETY: a zero-terminated name, which is copied; the object is freed below.
        let mut resource =
            unsafe { sys::rd_kafka_ConfigResource_new(sys::rd_kafka_ResourceType_t::RD_KAFKA_RESOURCE_TOPIC, c_name.as_ptr()) };
        let answer = self.request(&operation, op::RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, timeout, |client, options, queue| {
            // SAFETY: live objects; one element; the request copies it.
            unsafe { sys::rd_kafka_DescribeConfigs(client, &raw mut resource, 1, options, queue) };
        });
        // SAFETY: made above, not used after.
        unsafe { sys::rd_kafka_ConfigResource_destroy(resource) };
        let event = answer?;
        let (mut count, mut entries) = (0, 0);
        let mut out = BTreeMap::new();
        // SAFETY: the answer is of this kind of request; what it points to lives as long as it, and texts are copied.
        unsafe {
            let result = sys::rd_kafka_event_DescribeConfigs_result(event.ptr());
            for resource in array(sys::rd_kafka_DescribeConfigs_result_resources(result, &raw mut count), count) {
                let code = sys::rd_kafka_ConfigResource_error(*resource) as i32;
                if code != 0 {
                    return Err(KafkaError::from_code(operation, code).because(text(sys::rd_kafka_ConfigResource_error_string(*resource))));
                }
                for entry in array(sys::rd_kafka_ConfigResource_configs(*resource, &raw mut entries), entries) {
                    out.insert(text(sys::rd_kafka_ConfigEntry_name(*entry)), text(sys::rd_kafka_ConfigEntry_value(*entry)));
                }
            }
        }
        Ok(out)
    }

    /// Grows a topic to `total` partitions.
    ///
    /// # Errors
    /// `Invalid` if it has as many already; `NotFound`.
    pub fn add_partitions(&self, name: &str, total: i32, timeout: Duration) -> Result<(), KafkaError> {
        let operation = format!("grow topic '{name}' to {total} partitions");
        let c_name = c_text(&operation, name)?;
        let mut reason = [0 as c_char; 256];
        // SAFETY: a zero-terminated name, which is copied; the buffer is written within its length; the object is freed below.
        let mut new = unsafe {
            let total = usize::try_from(total).unwrap_or(0);
            sys::rd_kafka_NewPartitions_new(c_name.as_ptr(), total, reason.as_mut_ptr(), reason.len())
        };
        if new.is_null() {
            // SAFETY: the buffer is zero-terminated.
            return Err(KafkaError::local(ErrorKind::Invalid, operation, unsafe { text(reason.as_ptr()) }));
        }
        let answer = self.request(&operation, op::RD_KAFKA_ADMIN_OP_CREATEPARTITIONS, timeout, |client, options, queue| {
            // SAFETY: live objects; one element; the request copies it.
            unsafe { sys::rd_kafka_CreatePartitions(client, &raw mut new, 1, options, queue) };
        });
        // SAFETY: made above, not used after.
        unsafe { sys::rd_kafka_NewPartitions_destroy(new) };
        // SAFETY: the answer is of this kind of request.
        topic_result(&operation, &answer?, |event, count| unsafe {
            sys::rd_kafka_CreatePartitions_result_topics(sys::rd_kafka_event_CreatePartitions_result(event), count)
        })
    }

    /// Asks for metadata of one topic, of all, or of none but the brokers, and reads it with `read`.
    pub(super) fn metadata<T>(
        &self,
        operation: &str,
        topic: Option<&Topic>,
        all: bool,
        timeout: Duration,
        read: impl FnOnce(&sys::rd_kafka_metadata) -> T,
    ) -> Result<T, KafkaError> {
        let mut metadata: *const sys::rd_kafka_metadata = ptr::null();
        let only = topic.map_or(ptr::null_mut(), Topic::ptr);
        // SAFETY: live client and topic, an out parameter; the metadata is freed after it was read.
        unsafe {
            let code = sys::rd_kafka_metadata(self.client.ptr(), all.into(), only, &raw mut metadata, millis(timeout)) as i32;
            if code != 0 || metadata.is_null() {
                return Err(KafkaError::from_code(operation, code));
            }
            let out = read(&*metadata);
            sys::rd_kafka_metadata_destroy(metadata);
            Ok(out)
        }
    }
}

/// The topics of a metadata answer that exist.
fn topic_infos(metadata: &sys::rd_kafka_metadata) -> Vec<TopicInfo> {
    let count = usize::try_from(metadata.topic_cnt).unwrap_or(0);
    let topics = (0..count).map(|i| {
        // SAFETY: `topics` points to `topic_cnt` elements, `partitions` to `partition_cnt`; fields are read through the pointer, the error
        // code as the integer it is; texts are copied.
        unsafe {
            let topic = metadata.topics.add(i);
            let exists = (&raw const (*topic).err).cast::<i32>().read() == 0 && (*topic).partition_cnt > 0;
            exists.then(|| TopicInfo {
                name: text((*topic).topic),
                partitions: (*topic).partition_cnt,
                replication: (*(*topic).partitions).replica_cnt,
            })
        }
    });
    topics.flatten().collect()
}

/// The outcome for the one topic of a request, whose results `topics` takes out of the event.
fn topic_result(
    operation: &str,
    event: &Event,
    topics: impl FnOnce(*mut sys::rd_kafka_event_t, *mut usize) -> *mut *const sys::rd_kafka_topic_result_t,
) -> Result<(), KafkaError> {
    let mut count = 0;
    let first = topics(event.ptr(), &raw mut count);
    // SAFETY: the result's topics live as long as the event; texts are copied.
    for topic in unsafe { array(first, count) } {
        // SAFETY: as above.
        let (code, reason) =
            unsafe { (sys::rd_kafka_topic_result_error(*topic) as i32, text(sys::rd_kafka_topic_result_error_string(*topic))) };
        if code != 0 {
            return Err(KafkaError::from_code(operation, code).because(reason));
        }
    }
    Ok(())
}
