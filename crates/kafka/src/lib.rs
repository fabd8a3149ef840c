//! The product's use of the Kafka client, in batches.
//!
//! Everything is synchronous and bounded by a time-out; OS threads own the clients. Records come as [`flumen_wire::RecordChunk`] and go as
//! [`flumen_wire::BatchBuilder`], never one by one, so that another data plane can stand behind the same face. No type of the C client
//! is public.
//!
//! [`DataConsumer`] reads assigned partitions, [`TailReader`] reads partitions up to an offset, [`Producer`] writes with or without
//! transactions, [`LeaseConsumer`] is a member of the lease group and the [`Fence`] of what the producer commits, [`Admin`] is the rest.

mod admin;
mod consumer;
mod error;
mod fence;
mod lease;
mod native;
mod producer;
mod settings;
mod tail;

pub use admin::{Admin, Created, GroupInfo, GroupMember, NewTopic, OffsetSpec, TopicInfo};
pub use consumer::{ConsumerOptions, DataConsumer, Fetched, Start};
pub use error::{ErrorKind, KafkaError};
pub use fence::{Fence, FenceLost, GroupSnapshot};
pub use lease::{LeaseConsumer, LeaseEvent, LeaseFence, LeaseOptions};
pub use producer::{Deliveries, Producer, ProducerOptions};
pub use settings::ClientSettings;
pub use tail::{Tail, TailReader};
