//! Consumer groups of the classic protocol, and the offsets they commit.
//!
//! Members live in memory: after a restart they are told that they are unknown and join again. Offsets are durable.

mod group;
mod join;
mod member;
mod offsets;
mod state;
mod sync;

pub use group::{Described, Group};
pub use join::{JoinRequest, Joined, JoinedMember};
pub use member::{Identity, Member};
pub use offsets::{Committed, OffsetKey, Offsets};
pub use state::State;
pub use sync::{SyncRequest, Synced};

use crate::{config::GroupSettings, datadir::DataDir, error::BrokerError};
use kafka_protocol::ResponseError;
use parking_lot::Mutex;
use std::{
    collections::{BTreeSet, HashMap},
    time::Instant,
};
use tokio::sync::oneshot;

/// An answer that is there, or comes when the other members have done their part.
#[derive(Debug)]
pub enum Answer<T> {
    /// Here it is.
    Now(T),
    /// It will come through this channel; a closed channel stands for a rebalance.
    Later(oneshot::Receiver<T>),
}

/// Who commits offsets.
#[derive(Clone, Debug)]
pub struct Committer {
    /// The member, or nobody.
    pub identity: Identity,
    /// The generation it believes to be in; negative for a client that is no member.
    pub generation: i32,
}

#[derive(Debug)]
struct Inner {
    groups: HashMap<String, Group>,
    offsets: Offsets,
    /// When groups last had members, in milliseconds since 1970.
    seen: HashMap<String, i64>,
    /// When the first look at the groups was taken: before that, all may have had members.
    since: Option<i64>,
}

/// All groups and their offsets, behind one lock: every operation is short.
#[derive(Debug)]
pub struct Groups {
    settings: GroupSettings,
    inner: Mutex<Inner>,
}

impl Groups {
    /// Reads the committed offsets of a data directory.
    pub fn open(dir: &DataDir, settings: GroupSettings) -> Result<Self, BrokerError> {
        let offsets = Offsets::open(dir.map("offsets"), dir.fsync())?;
        Ok(Self { settings, inner: Mutex::new(Inner { groups: HashMap::new(), offsets, seen: HashMap::new(), since: None }) })
    }

    /// A member joins, or joins again.
    pub fn join(&self, group: &str, request: JoinRequest, now: Instant) -> Answer<Joined> {
        if group.is_empty() {
            return Answer::Now(Joined::refused(ResponseError::InvalidGroupId, request.identity.member));
        }
        let mut inner = self.inner.lock();
        let known = inner.groups.contains_key(group);
        let state = inner.groups.entry(group.to_string()).or_default();
        let answer = state.join(request, &self.settings, now);
        if !known && state.is_unused() {
            inner.groups.remove(group);
        }
        answer
    }

    /// A member asks for its assignment; the leader brings everyone's.
    pub fn sync(&self, group: &str, request: SyncRequest, now: Instant) -> Answer<Synced> {
        match self.inner.lock().groups.get_mut(group) {
            Some(group) => group.sync(request, now),
            None => Answer::Now(Synced::refused(ResponseError::UnknownMemberId)),
        }
    }

    /// A member says that it lives.
    pub fn heartbeat(&self, group: &str, who: &Committer, now: Instant) -> Result<(), ResponseError> {
        let mut inner = self.inner.lock();
        let group = inner.groups.get_mut(group).ok_or(ResponseError::UnknownMemberId)?;
        group.heartbeat(&who.identity, who.generation, now)
    }

    /// A member leaves, or is sent away by its instance id. Gives its member id.
    pub fn leave(&self, group: &str, identity: &Identity, now: Instant) -> Result<String, ResponseError> {
        let mut inner = self.inner.lock();
        inner.groups.get_mut(group).ok_or(ResponseError::UnknownMemberId)?.leave(identity, now)
    }

    /// Commits offsets. `check` says whether a topic's partition exists and the metadata is short enough.
    pub fn commit(&self, group: &str, who: &Committer, offsets: Vec<(OffsetKey, Committed)>, now: Instant) -> Result<(), ResponseError> {
        if group.is_empty() {
            return Err(ResponseError::InvalidGroupId);
        }
        let mut inner = self.inner.lock();
        match inner.groups.get_mut(group) {
            Some(found) => found.check_commit(who, false, now)?,
            None if who.generation < 0 => {}
            None => return Err(ResponseError::IllegalGeneration),
        }
        inner.offsets.commit(offsets)
    }

    /// Keeps offsets that count when the producer's transaction is committed.
    pub fn commit_pending(
        &self,
        group: &str,
        who: &Committer,
        producer_id: i64,
        keys: &[OffsetKey],
        now: Instant,
    ) -> Result<(), ResponseError> {
        if group.is_empty() {
            return Err(ResponseError::InvalidGroupId);
        }
        let mut inner = self.inner.lock();
        match inner.groups.get_mut(group) {
            Some(found) => found.check_commit(who, true, now)?,
            None if who.generation < 0 => {}
            None => return Err(ResponseError::IllegalGeneration),
        }
        inner.offsets.add_pending(producer_id, keys);
        Ok(())
    }

    /// Takes note of pending offsets found at a start.
    pub fn restore_pending(&self, producer_id: i64, keys: &[OffsetKey]) {
        self.inner.lock().offsets.add_pending(producer_id, keys);
    }

    /// Makes the offsets of a committed transaction count; with none given, forgets those of an aborted one.
    pub fn end_pending(&self, producer_id: i64, offsets: Vec<(OffsetKey, Committed)>) -> Result<(), ResponseError> {
        let mut inner = self.inner.lock();
        inner.offsets.commit(offsets)?;
        inner.offsets.remove_pending(producer_id);
        Ok(())
    }

    /// One committed offset. With `stable`, an offset that a transaction is about to change is refused.
    pub fn committed(&self, key: &OffsetKey, stable: bool) -> Result<Option<Committed>, ResponseError> {
        let inner = self.inner.lock();
        if stable && inner.offsets.is_pending(key) {
            return Err(ResponseError::UnstableOffsetCommit);
        }
        Ok(inner.offsets.get(key).cloned())
    }

    /// The partitions with committed offsets of a group.
    pub fn committed_keys(&self, group: &str) -> Vec<OffsetKey> {
        self.inner.lock().offsets.of_group(group)
    }

    /// Removes offsets of a group without members.
    pub fn delete_offset(&self, key: &OffsetKey) -> Result<(), ResponseError> {
        let mut inner = self.inner.lock();
        if inner.groups.get(&key.group).is_some_and(|g| !g.is_empty()) {
            return Err(ResponseError::GroupSubscribedToTopic);
        }
        inner.offsets.remove(vec![key.clone()])
    }

    /// Removes a group without members, and its offsets.
    pub fn delete(&self, group: &str) -> Result<(), ResponseError> {
        let mut inner = self.inner.lock();
        let keys = inner.offsets.of_group(group);
        match inner.groups.get(group) {
            Some(found) if !found.is_empty() => return Err(ResponseError::NonEmptyGroup),
            None if keys.is_empty() => return Err(ResponseError::GroupIdNotFound),
            _ => {}
        }
        inner.offsets.remove(keys)?;
        inner.groups.remove(group);
        Ok(())
    }

    /// Whether a group has members or offsets.
    pub fn exists(&self, group: &str) -> bool {
        let inner = self.inner.lock();
        inner.groups.contains_key(group) || !inner.offsets.of_group(group).is_empty()
    }

    /// Removes what all groups committed for a topic that is gone.
    pub fn forget_topic(&self, topic: &str) -> Result<(), ResponseError> {
        let mut inner = self.inner.lock();
        let keys = inner.offsets.of_topic(topic);
        inner.offsets.remove(keys)
    }

    /// Removes the offsets of groups that have long had no members and committed nothing.
    pub fn expire(&self, now: i64) -> Result<(), ResponseError> {
        let mut inner = self.inner.lock();
        let Inner { groups, offsets, seen, since } = &mut *inner;
        let since = *since.get_or_insert(now);
        let kept = i64::try_from(self.settings.offsets_retention.as_millis()).unwrap_or(i64::MAX);
        for (name, _) in groups.iter().filter(|(_, group)| !group.is_empty()) {
            seen.insert(name.clone(), now);
        }
        seen.retain(|_, at| now.saturating_sub(*at) <= kept);
        // Who is not in `seen` any more had no members for long enough, or never since the broker was started.
        let unused = |group: &String| !seen.contains_key(group) && now.saturating_sub(since) > kept;
        let old = offsets.committed_before(now.saturating_sub(kept)).into_iter().filter(|key| unused(&key.group)).collect();
        offsets.remove(old)
    }

    /// All groups: id, protocol type and state.
    pub fn list(&self) -> Vec<(String, String, State)> {
        let inner = self.inner.lock();
        let with_offsets = inner.offsets.groups();
        let names: BTreeSet<&String> = inner.groups.keys().chain(&with_offsets).collect();
        let describe = |name: &String| match inner.groups.get(name) {
            Some(group) => (name.clone(), group.protocol_type().to_string(), group.state()),
            None => (name.clone(), String::new(), State::Empty),
        };
        names.into_iter().map(describe).collect()
    }

    /// How many groups there are, and how many members they have together.
    pub fn counts(&self) -> (usize, usize) {
        let inner = self.inner.lock();
        let mut names = inner.offsets.groups();
        names.extend(inner.groups.keys().cloned());
        (names.len(), inner.groups.values().map(Group::len).sum())
    }

    /// A group with its members; `None` if there is no such group.
    pub fn describe(&self, group: &str) -> Option<Described> {
        let inner = self.inner.lock();
        match inner.groups.get(group) {
            Some(found) => Some(found.describe()),
            None if inner.offsets.of_group(group).is_empty() => None,
            None => Some(Group::default().describe()),
        }
    }

    /// Lets time-outs take effect.
    pub fn tick(&self, now: Instant) {
        let mut inner = self.inner.lock();
        for group in inner.groups.values_mut() {
            group.tick(now);
        }
        inner.groups.retain(|_, group| !group.is_unused());
    }
}

#[cfg(test)]
mod tests;
