//! The APIs: which there are, in which versions, and who answers them.

mod cluster;
mod configs;
mod dispatch;
mod failed;
mod fetch;
mod find_coordinator;
mod groups;
mod list_offsets;
mod log_dirs;
mod membership;
mod metadata;
mod offsets;
mod partitions;
mod produce;
mod records;
mod shapes;
mod topics;
mod transactions;
mod versions;
mod walk;

pub use dispatch::{Reply, answer};
pub use versions::is_supported;
#[cfg(test)]
pub use {versions::served, walk::tests::samples};

use kafka_protocol::{messages::TopicName, protocol::StrBytes};
use std::{collections::HashSet, hash::Hash};

/// The protocol's string.
fn text(value: impl Into<String>) -> StrBytes {
    StrBytes::from_string(value.into())
}

/// The protocol's topic name.
fn topic_name(name: impl Into<String>) -> TopicName {
    TopicName(text(name))
}

/// What is asked for, each once: asking again for something whose description is long would make an answer of any length.
/// `name` gives what tells one from another.
fn once<T, N: Eq + Hash>(asked: impl IntoIterator<Item = T>, name: impl Fn(&T) -> N) -> impl Iterator<Item = T> {
    let mut seen = HashSet::new();
    asked.into_iter().filter(move |one| seen.insert(name(one)))
}
