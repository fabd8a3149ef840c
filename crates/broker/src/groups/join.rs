//! Joining a group: who the client is, and whether its coming starts a new round.

use super::{Answer, Group, Identity, Member, State, Synced};
use crate::config::GroupSettings;
use bytes::Bytes;
use kafka_protocol::ResponseError;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use uuid::Uuid;

/// Most members of a group, together with the clients that were given an id and have not come back yet.
pub(super) const MOST_MEMBERS: usize = 10_000;

/// What a client that joins says.
#[derive(Clone, Debug)]
pub struct JoinRequest {
    /// Who it is.
    pub identity: Identity,
    /// What it calls itself.
    pub client_id: String,
    /// Where it connects from.
    pub client_host: String,
    /// Silence after which it counts as dead.
    pub session: Duration,
    /// How long it may take to join again.
    pub rebalance: Duration,
    /// Kind of group.
    pub protocol_type: String,
    /// Assignors with its subscription for each, best first.
    pub protocols: Vec<(String, Bytes)>,
    /// Whether it can be asked to come back with the id it is given.
    pub takes_id_first: bool,
    /// Whether it can be told that it is leader and need not assign.
    pub can_skip_assignment: bool,
}

/// Another member, as the leader sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedMember {
    /// Member id.
    pub id: String,
    /// Instance id.
    pub instance: Option<String>,
    /// Subscription.
    pub metadata: Bytes,
}

/// How a joining ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Why not, if not.
    pub error: Option<ResponseError>,
    /// The new generation.
    pub generation: i32,
    /// Kind of group.
    pub protocol_type: String,
    /// The assignor to use.
    pub protocol: String,
    /// Member id of the leader.
    pub leader: String,
    /// Its own member id.
    pub member: String,
    /// Everyone, for the leader.
    pub members: Vec<JoinedMember>,
    /// Whether the leader need not assign.
    pub skip_assignment: bool,
}

impl Joined {
    /// Not joined.
    pub fn refused(error: ResponseError, member: String) -> Self {
        Self {
            error: Some(error),
            generation: -1,
            protocol_type: String::new(),
            protocol: String::new(),
            leader: String::new(),
            member,
            members: Vec::new(),
            skip_assignment: false,
        }
    }
}

/// What is known of the client.
enum Who {
    /// A member that joins again, or one that takes the place of its earlier self.
    Known { id: String, replaced: Option<String> },
    /// A new one.
    New { id: String },
}

impl Group {
    /// A client joins.
    pub fn join(&mut self, request: JoinRequest, settings: &GroupSettings, now: Instant) -> Answer<Joined> {
        let id = request.identity.member.clone();
        if request.session < settings.min_session_timeout || request.session > settings.max_session_timeout {
            return Answer::Now(Joined::refused(ResponseError::InvalidSessionTimeout, id));
        }
        match self.identify(&request, now) {
            Err(refused) => Answer::Now(refused),
            Ok(who) if !self.suits(&request, &who) => {
                let id = match who {
                    Who::Known { id, .. } | Who::New { id } => id,
                };
                Answer::Now(Joined::refused(ResponseError::InconsistentGroupProtocol, id))
            }
            Ok(Who::New { id }) => {
                self.protocol_type.clone_from(&request.protocol_type);
                self.enter(id, request, settings, now)
            }
            Ok(Who::Known { id, replaced }) => self.join_again(id, replaced, request, settings, now),
        }
    }

    fn identify(&mut self, request: &JoinRequest, now: Instant) -> Result<Who, Joined> {
        let id = &request.identity.member;
        let refused = |error| Joined::refused(error, id.clone());
        let known = !id.is_empty() || request.identity.instance.as_ref().is_some_and(|instance| self.by_instance(instance).is_some());
        if !known && self.members.len() + self.expected.len() >= MOST_MEMBERS {
            return Err(refused(ResponseError::GroupMaxSizeReached));
        }
        if let Some(instance) = &request.identity.instance {
            return match self.by_instance(instance) {
                Some(old) if id.is_empty() => Ok(Who::Known { id: new_id(instance), replaced: Some(old) }),
                Some(current) if current == *id => Ok(Who::Known { id: current, replaced: None }),
                Some(_) => Err(refused(ResponseError::FencedInstanceId)),
                None if id.is_empty() => Ok(Who::New { id: new_id(instance) }),
                None => Err(refused(ResponseError::UnknownMemberId)),
            };
        }
        if id.is_empty() {
            let id = new_id(&request.client_id);
            if request.takes_id_first {
                self.expected.insert(id.clone(), now + request.session);
                return Err(Joined::refused(ResponseError::MemberIdRequired, id));
            }
            return Ok(Who::New { id });
        }
        if self.members.get(id).is_some_and(|m| m.instance.is_none()) {
            return Ok(Who::Known { id: id.clone(), replaced: None });
        }
        match self.expected.remove(id) {
            Some(_) => Ok(Who::New { id: id.clone() }),
            None => Err(refused(ResponseError::UnknownMemberId)),
        }
    }

    /// Whether the client and all other members have an assignor in common.
    fn suits(&self, request: &JoinRequest, who: &Who) -> bool {
        if request.protocols.is_empty() || request.protocol_type.is_empty() {
            return false;
        }
        let own = match who {
            Who::Known { id, replaced } => replaced.as_ref().unwrap_or(id),
            Who::New { id } => id,
        };
        let mut others = self.members.iter().filter(|(id, _)| *id != own).map(|(_, m)| m).peekable();
        if others.peek().is_none() {
            return true;
        }
        let others: Vec<&Member> = others.collect();
        request.protocol_type == self.protocol_type && request.protocols.iter().any(|(name, _)| others.iter().all(|m| m.knows(name)))
    }

    fn join_again(
        &mut self,
        id: String,
        replaced: Option<String>,
        request: JoinRequest,
        settings: &GroupSettings,
        now: Instant,
    ) -> Answer<Joined> {
        let was_leader = replaced.as_ref().unwrap_or(&id) == &self.leader;
        let old_leader = self.leader.clone();
        if let Some(old) = &replaced {
            self.replace(old, &id);
        }
        let Some(member) = self.members.get(&id) else {
            return Answer::Now(Joined::refused(ResponseError::UnknownMemberId, id));
        };
        let unchanged = member.protocols == request.protocols;
        let stays = match self.state {
            State::Stable if replaced.is_some() => {
                let before = member.metadata(&self.protocol);
                let after = request.protocols.iter().find(|(name, _)| *name == self.protocol).map(|(_, m)| m);
                after == Some(&before)
            }
            // A leader that joins again wants to assign anew.
            State::Stable => unchanged && !was_leader,
            // It did not get the answer.
            State::Completing => unchanged && replaced.is_none(),
            State::Empty | State::Preparing => false,
        };
        if !stays {
            return self.enter(id, request, settings, now);
        }
        let (can_skip, returned) = (request.can_skip_assignment, replaced.is_some());
        self.update(&id, request, now);
        // A static leader that comes back must not assign anew: newer clients are told so, older ones are shown its earlier id as leader.
        let skip_assignment = returned && was_leader && can_skip;
        let shows_members = id == self.leader && (skip_assignment || self.state == State::Completing);
        Answer::Now(Joined {
            error: None,
            generation: self.generation,
            protocol_type: self.protocol_type.clone(),
            protocol: self.protocol.clone(),
            leader: if returned && !can_skip { old_leader } else { self.leader.clone() },
            members: if shows_members { self.joined_members() } else { Vec::new() },
            member: id,
            skip_assignment,
        })
    }

    /// Gives a static member's place to its later self; the earlier one is told that it is fenced.
    fn replace(&mut self, old: &str, new: &str) {
        let Some(mut member) = self.members.remove(old) else { return };
        let fenced = ResponseError::FencedInstanceId;
        if let Some(waiting) = member.joining.take() {
            let _ = waiting.send(Joined::refused(fenced, old.to_string()));
        }
        if let Some(waiting) = member.syncing.take() {
            let _ = waiting.send(Synced::refused(fenced));
        }
        if self.leader == old {
            self.leader = new.to_string();
        }
        self.members.insert(new.to_string(), member);
    }

    fn update(&mut self, id: &str, request: JoinRequest, now: Instant) {
        if let Some(member) = self.members.get_mut(id) {
            member.client_id = request.client_id;
            member.client_host = request.client_host;
            member.protocols = request.protocols;
            member.session = request.session;
            member.rebalance = request.rebalance;
            member.seen = now;
        }
    }

    /// Takes part in the round of joining, which begins if there is none.
    fn enter(&mut self, id: String, request: JoinRequest, settings: &GroupSettings, now: Instant) -> Answer<Joined> {
        let (sender, receiver) = oneshot::channel();
        let member = self.members.entry(id.clone()).or_insert_with(|| Member {
            instance: request.identity.instance.clone(),
            client_id: String::new(),
            client_host: String::new(),
            protocols: Vec::new(),
            session: request.session,
            rebalance: request.rebalance,
            seen: now,
            joining: None,
            syncing: None,
            assignment: Bytes::new(),
        });
        member.joining = Some(sender);
        self.update(&id, request, now);
        self.begin_round(settings, now);
        self.complete_if_all_joined(now);
        Answer::Later(receiver)
    }
}

fn new_id(prefix: &str) -> String {
    format!("{prefix}-{}", Uuid::new_v4())
}
