//! One group: its members and the rounds of joining and syncing they go through together.

use super::{Committer, Identity, Joined, JoinedMember, Member, State, Synced};
use crate::config::GroupSettings;
use bytes::Bytes;
use kafka_protocol::ResponseError;
use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

/// A group.
#[derive(Debug, Default)]
pub struct Group {
    pub(super) state: State,
    pub(super) generation: i32,
    pub(super) protocol_type: String,
    pub(super) protocol: String,
    pub(super) leader: String,
    pub(super) members: BTreeMap<String, Member>,
    /// Ids given out to clients that have not joined with them yet, and until when they may.
    pub(super) expected: HashMap<String, Instant>,
    /// When the current round ends whoever is missing.
    deadline: Option<Instant>,
    /// When the current round of joining may end at the earliest.
    not_before: Option<Instant>,
}

/// A member as it is shown to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedMember {
    /// Member id.
    pub id: String,
    /// Instance id.
    pub instance: Option<String>,
    /// What the client calls itself.
    pub client_id: String,
    /// Where it connects from.
    pub client_host: String,
    /// Subscription.
    pub metadata: Bytes,
    /// Assignment.
    pub assignment: Bytes,
}

/// A group as it is shown to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// State.
    pub state: State,
    /// Kind of group, `consumer` mostly.
    pub protocol_type: String,
    /// The chosen assignor.
    pub protocol: String,
    /// Members.
    pub members: Vec<DescribedMember>,
}

impl Group {
    /// Its state.
    pub fn state(&self) -> State {
        self.state
    }

    /// What kind of group it is.
    pub fn protocol_type(&self) -> &str {
        &self.protocol_type
    }

    /// How many members it has.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether it has no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether nothing would be lost without it: it has no members and nobody is expected.
    pub fn is_unused(&self) -> bool {
        self.members.is_empty() && self.expected.is_empty() && self.state == State::Empty
    }

    /// The group and its members.
    pub fn describe(&self) -> Described {
        let settled = matches!(self.state, State::Stable);
        let members = self.members.iter().map(|(id, m)| DescribedMember {
            id: id.clone(),
            instance: m.instance.clone(),
            client_id: m.client_id.clone(),
            client_host: m.client_host.clone(),
            metadata: if settled { m.metadata(&self.protocol) } else { Bytes::new() },
            assignment: m.assignment.clone(),
        });
        Described {
            state: self.state,
            protocol_type: self.protocol_type.clone(),
            protocol: if settled { self.protocol.clone() } else { String::new() },
            members: members.collect(),
        }
    }

    /// The member with this instance id.
    pub(super) fn by_instance(&self, instance: &str) -> Option<String> {
        self.members.iter().find(|(_, m)| m.instance.as_deref() == Some(instance)).map(|(id, _)| id.clone())
    }

    /// The member a client claims to be.
    pub(super) fn member(&mut self, identity: &Identity) -> Result<&mut Member, ResponseError> {
        if let Some(instance) = &identity.instance {
            let current = self.by_instance(instance).ok_or(ResponseError::UnknownMemberId)?;
            if current != identity.member {
                return Err(ResponseError::FencedInstanceId);
            }
        }
        self.members.get_mut(&identity.member).ok_or(ResponseError::UnknownMemberId)
    }

    /// A member says that it lives.
    pub fn heartbeat(&mut self, identity: &Identity, generation: i32, now: Instant) -> Result<(), ResponseError> {
        let (state, current) = (self.state, self.generation);
        let member = self.member(identity)?;
        if generation != current {
            return Err(ResponseError::IllegalGeneration);
        }
        member.seen = now;
        if state == State::Preparing { Err(ResponseError::RebalanceInProgress) } else { Ok(()) }
    }

    /// Whether a client may commit offsets for the group.
    pub fn check_commit(&mut self, who: &Committer, transactional: bool, now: Instant) -> Result<(), ResponseError> {
        let nobody = who.generation < 0 && who.identity.member.is_empty() && who.identity.instance.is_none();
        if nobody {
            // A transaction's fence is its producer's epoch, so it may commit beside members.
            return if transactional || self.members.is_empty() { Ok(()) } else { Err(ResponseError::UnknownMemberId) };
        }
        let (state, current) = (self.state, self.generation);
        let member = self.member(&who.identity)?;
        if who.generation != current {
            return Err(ResponseError::IllegalGeneration);
        }
        member.seen = now;
        if state == State::Completing { Err(ResponseError::RebalanceInProgress) } else { Ok(()) }
    }

    /// A member leaves, or is sent away by its instance id.
    pub fn leave(&mut self, identity: &Identity, now: Instant) -> Result<String, ResponseError> {
        let id = match &identity.instance {
            Some(instance) => {
                let current = self.by_instance(instance).ok_or(ResponseError::UnknownMemberId)?;
                if !identity.member.is_empty() && identity.member != current {
                    return Err(ResponseError::FencedInstanceId);
                }
                current
            }
            None => identity.member.clone(),
        };
        if self.expected.remove(&id).is_some() {
            self.complete_if_all_joined(now);
            return Ok(id);
        }
        if !self.members.contains_key(&id) {
            return Err(ResponseError::UnknownMemberId);
        }
        self.remove(&id, now);
        Ok(id)
    }

    /// Takes a member out and starts or ends a round because of it.
    fn remove(&mut self, id: &str, now: Instant) {
        if let Some(member) = self.members.remove(id) {
            let refused = ResponseError::UnknownMemberId;
            if let Some(waiting) = member.joining {
                let _ = waiting.send(Joined::refused(refused, id.to_string()));
            }
            if let Some(waiting) = member.syncing {
                let _ = waiting.send(Synced::refused(refused));
            }
        }
        if self.state == State::Preparing {
            self.complete_if_all_joined(now);
        } else {
            self.prepare(now, Duration::ZERO);
            self.complete_if_all_joined(now);
        }
    }

    /// Begins a round of joining.
    pub(super) fn begin_round(&mut self, settings: &GroupSettings, now: Instant) {
        let delay = if self.state == State::Empty { settings.initial_rebalance_delay } else { Duration::ZERO };
        self.prepare(now, delay);
    }

    fn prepare(&mut self, now: Instant, delay: Duration) {
        if self.state == State::Preparing {
            return;
        }
        for member in self.members.values_mut() {
            if let Some(waiting) = member.syncing.take() {
                let _ = waiting.send(Synced::refused(ResponseError::RebalanceInProgress));
            }
        }
        self.state = State::Preparing;
        self.deadline = Some(now + self.longest_rebalance());
        self.not_before = Some(now + delay);
    }

    fn longest_rebalance(&self) -> Duration {
        self.members.values().map(|m| m.rebalance).max().unwrap_or_default()
    }

    /// Ends the round of joining if nobody is missing.
    pub(super) fn complete_if_all_joined(&mut self, now: Instant) {
        let may_end = self.state == State::Preparing && self.not_before.is_none_or(|t| now >= t);
        if may_end && self.expected.is_empty() && self.members.values().all(|m| m.joining.is_some()) {
            self.complete(now);
        }
    }

    fn complete(&mut self, now: Instant) {
        self.not_before = None;
        self.generation = self.generation.wrapping_add(1).max(1);
        if self.members.is_empty() {
            self.state = State::Empty;
            self.deadline = None;
            self.protocol.clear();
            self.leader.clear();
            return;
        }
        if self.members.get(&self.leader).is_none_or(|m| m.joining.is_none()) {
            let joined = self.members.iter().find(|(_, m)| m.joining.is_some()).map(|(id, _)| id.clone());
            self.leader = joined.unwrap_or_default();
        }
        self.protocol = self.elect_protocol();
        self.state = State::Completing;
        self.deadline = Some(now + self.longest_rebalance());
        let everyone = self.joined_members();
        let (leader, generation) = (self.leader.clone(), self.generation);
        for (id, member) in &mut self.members {
            member.seen = now;
            member.assignment = Bytes::new();
            if let Some(waiting) = member.joining.take() {
                let _ = waiting.send(Joined {
                    error: None,
                    generation,
                    protocol_type: self.protocol_type.clone(),
                    protocol: self.protocol.clone(),
                    leader: leader.clone(),
                    member: id.clone(),
                    members: if *id == leader { everyone.clone() } else { Vec::new() },
                    skip_assignment: false,
                });
            }
        }
    }

    /// Everyone's subscription, for the leader.
    pub(super) fn joined_members(&self) -> Vec<JoinedMember> {
        let describe = |(id, member): (&String, &Member)| JoinedMember {
            id: id.clone(),
            instance: member.instance.clone(),
            metadata: member.metadata(&self.protocol),
        };
        self.members.iter().map(describe).collect()
    }

    /// Of the assignors that all know, the one most members like best.
    fn elect_protocol(&self) -> String {
        let common = |name: &str| self.members.values().all(|m| m.knows(name));
        let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
        for member in self.members.values() {
            if let Some((name, _)) = member.protocols.iter().find(|(name, _)| common(name)) {
                *votes.entry(name).or_default() += 1;
            }
        }
        votes.into_iter().max_by_key(|(_, n)| *n).map(|(name, _)| name.to_string()).unwrap_or_default()
    }

    /// The leader has brought the assignments: everyone gets theirs.
    pub(super) fn settle(&mut self, now: Instant) {
        self.state = State::Stable;
        self.deadline = None;
        for member in self.members.values_mut() {
            member.seen = now;
            if let Some(waiting) = member.syncing.take() {
                let _ = waiting.send(Synced {
                    error: None,
                    protocol_type: self.protocol_type.clone(),
                    protocol: self.protocol.clone(),
                    assignment: member.assignment.clone(),
                });
            }
        }
    }

    /// Lets time-outs take effect.
    pub fn tick(&mut self, now: Instant) {
        self.expected.retain(|_, until| now < *until);
        let dead: Vec<String> = self.members.iter().filter(|(_, m)| m.is_dead(now)).map(|(id, _)| id.clone()).collect();
        for id in dead {
            tracing::debug!(member = id, "a group member was silent too long");
            self.remove(&id, now);
        }
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            match self.state {
                State::Preparing => self.give_up_joining(now),
                State::Completing => self.give_up_syncing(now),
                State::Empty | State::Stable => self.deadline = None,
            }
        }
        self.complete_if_all_joined(now);
    }

    /// The round of joining is over: who has not joined is out, unless it is static, which lives as long as its session.
    fn give_up_joining(&mut self, now: Instant) {
        self.expected.clear();
        self.members.retain(|_, m| m.joining.is_some() || m.instance.is_some());
        if self.members.is_empty() || self.members.values().any(|m| m.joining.is_some()) {
            self.complete(now);
        } else {
            self.deadline = Some(now + self.longest_rebalance());
        }
    }

    /// The assignments are overdue: who has not asked for one, the leader perhaps, is out.
    fn give_up_syncing(&mut self, now: Instant) {
        self.members.retain(|_, m| m.syncing.is_some());
        self.prepare(now, Duration::ZERO);
    }
}
