//! Asking and changing the cluster: topics, offsets, groups. Each call sends one request and waits for its answer.

mod groups;
mod offsets;
mod request;
mod topics;

pub use groups::{GroupInfo, GroupMember};
pub use offsets::OffsetSpec;
pub use topics::{Created, NewTopic, TopicInfo};

use crate::{
    error::{ErrorKind, KafkaError},
    native::{self, Client, Kind, millis},
    settings::ClientSettings,
};
use rdkafka::bindings as sys;
use std::{ffi::c_void, time::Duration};

/// A client for everything but records. Threads may share it.
pub struct Admin {
    client: Client,
}

impl Admin {
    /// A client. Makes no connection that it waits for.
    ///
    /// # Errors
    /// `Config` if a property is unknown or wrong.
    pub fn new(settings: &ClientSettings) -> Result<Self, KafkaError> {
        // A consumer, since asking for a topic as a producer may create it; read_uncommitted, so that a high watermark is one.
        let configuration = settings.configuration(&[], &[("isolation.level", "read_uncommitted"), ("allow.auto.create.topics", "false")]);
        Ok(Self { client: Client::new(Kind::Consumer, &configuration, 0)? })
    }

    /// The id of the cluster.
    ///
    /// # Errors
    /// `Unavailable` if no broker answers in time.
    pub fn cluster_id(&self, timeout: Duration) -> Result<String, KafkaError> {
        // SAFETY: a live client; the returned string is ours and freed as the interface asks.
        unsafe {
            let id = sys::rd_kafka_clusterid(self.client.ptr(), millis(timeout));
            if id.is_null() {
                return Err(KafkaError::local(ErrorKind::Unavailable, "ask for the cluster id", "no broker answered in time"));
            }
            let out = native::text(id);
            sys::rd_kafka_mem_free(self.client.ptr(), id.cast::<c_void>());
            Ok(out)
        }
    }

    /// Whether a broker answers now.
    ///
    /// # Errors
    /// `Unavailable` if none does in time.
    pub fn check(&self, timeout: Duration) -> Result<(), KafkaError> {
        self.metadata("reach a Kafka broker", None, false, timeout, |_| ())
    }
}
