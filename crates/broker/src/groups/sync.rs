//! Syncing: the leader brings everyone's assignment, the others wait for theirs.

use super::{Answer, Group, Identity, State};
use bytes::Bytes;
use kafka_protocol::ResponseError;
use std::time::Instant;
use tokio::sync::oneshot;

/// What a member that syncs says.
#[derive(Clone, Debug)]
pub struct SyncRequest {
    /// Who it is.
    pub identity: Identity,
    /// The generation it joined.
    pub generation: i32,
    /// The kind of group it believes in, if it says.
    pub protocol_type: Option<String>,
    /// The assignor it believes in, if it says.
    pub protocol: Option<String>,
    /// From the leader: member ids with their assignments.
    pub assignments: Vec<(String, Bytes)>,
}

/// How a syncing ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synced {
    /// Why not, if not.
    pub error: Option<ResponseError>,
    /// Kind of group.
    pub protocol_type: String,
    /// The assignor used.
    pub protocol: String,
    /// The member's assignment.
    pub assignment: Bytes,
}

impl Synced {
    /// No assignment.
    pub fn refused(error: ResponseError) -> Self {
        Self { error: Some(error), protocol_type: String::new(), protocol: String::new(), assignment: Bytes::new() }
    }
}

impl Group {
    /// A member syncs.
    pub fn sync(&mut self, request: SyncRequest, now: Instant) -> Answer<Synced> {
        if let Err(error) = self.check_sync(&request) {
            return Answer::Now(Synced::refused(error));
        }
        let is_leader = request.identity.member == self.leader;
        let (state, protocol_type, protocol) = (self.state, self.protocol_type.clone(), self.protocol.clone());
        let Some(member) = self.members.get_mut(&request.identity.member) else {
            return Answer::Now(Synced::refused(ResponseError::UnknownMemberId));
        };
        member.seen = now;
        match state {
            State::Empty => Answer::Now(Synced::refused(ResponseError::UnknownMemberId)),
            State::Preparing => Answer::Now(Synced::refused(ResponseError::RebalanceInProgress)),
            State::Stable => Answer::Now(Synced { error: None, protocol_type, protocol, assignment: member.assignment.clone() }),
            State::Completing => {
                let (sender, receiver) = oneshot::channel();
                member.syncing = Some(sender);
                if is_leader {
                    for (id, assignment) in request.assignments {
                        if let Some(member) = self.members.get_mut(&id) {
                            member.assignment = assignment;
                        }
                    }
                    self.settle(now);
                }
                Answer::Later(receiver)
            }
        }
    }

    fn check_sync(&mut self, request: &SyncRequest) -> Result<(), ResponseError> {
        self.member(&request.identity)?;
        if request.generation != self.generation {
            return Err(ResponseError::IllegalGeneration);
        }
        let differs = |said: &Option<String>, is: &String| said.as_ref().is_some_and(|said| said != is);
        if differs(&request.protocol_type, &self.protocol_type) || differs(&request.protocol, &self.protocol) {
            return Err(ResponseError::InconsistentGroupProtocol);
        }
        Ok(())
    }
}
