//! A member of a group.

use super::{Joined, Synced};
use bytes::Bytes;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How a client names itself to a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The id the broker gave it; empty at first.
    pub member: String,
    /// The id of its own choosing that makes it a static member.
    pub instance: Option<String>,
}

/// A member.
#[derive(Debug)]
pub struct Member {
    /// Its instance id, if it is static.
    pub instance: Option<String>,
    /// What the client calls itself.
    pub client_id: String,
    /// Where it connects from.
    pub client_host: String,
    /// The assignors it knows with its subscription for each, best first.
    pub protocols: Vec<(String, Bytes)>,
    /// Silence after which it counts as dead.
    pub session: Duration,
    /// How long it may take to join again.
    pub rebalance: Duration,
    /// When it was last heard of.
    pub seen: Instant,
    /// Where it waits for the end of the joining.
    pub joining: Option<oneshot::Sender<Joined>>,
    /// Where it waits for its assignment.
    pub syncing: Option<oneshot::Sender<Synced>>,
    /// Its assignment.
    pub assignment: Bytes,
}

impl Member {
    /// Its subscription for one assignor.
    pub fn metadata(&self, protocol: &str) -> Bytes {
        self.protocols.iter().find(|(name, _)| name == protocol).map(|(_, metadata)| metadata.clone()).unwrap_or_default()
    }

    /// Whether it knows this assignor.
    pub fn knows(&self, protocol: &str) -> bool {
        self.protocols.iter().any(|(name, _)| name == protocol)
    }

    /// Whether it was silent too long. Who waits for an answer is not expected to speak.
    pub fn is_dead(&self, now: Instant) -> bool {
        self.joining.is_none() && self.syncing.is_none() && now.saturating_duration_since(self.seen) > self.session
    }
}
