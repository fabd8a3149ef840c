//! JoinGroup, SyncGroup, Heartbeat and LeaveGroup.

use super::text;
use crate::{
    groups::{Answer, Committer, Identity, JoinRequest, Joined, SyncRequest, Synced},
    node::{Connected, Node},
};
use kafka_protocol::{
    ResponseError,
    messages::{
        HeartbeatRequest, HeartbeatResponse, JoinGroupRequest, JoinGroupResponse, LeaveGroupRequest, LeaveGroupResponse, SyncGroupRequest,
        SyncGroupResponse, join_group_response::JoinGroupResponseMember, leave_group_response::MemberResponse,
    },
    protocol::StrBytes,
};
use std::time::{Duration, Instant};

/// Who a request says it is from.
pub fn identity(member: &StrBytes, instance: Option<&StrBytes>) -> Identity {
    Identity { member: member.to_string(), instance: instance.map(ToString::to_string) }
}

fn code(error: Option<ResponseError>) -> i16 {
    error.map_or(0, |e| e.code())
}

/// A member joins; the answer comes when all have joined.
pub async fn join_group(node: &Node, connected: &Connected, client_id: &str, request: JoinGroupRequest, version: i16) -> JoinGroupResponse {
    let millis = |ms: i32| Duration::from_millis(u64::try_from(ms).unwrap_or(0));
    let identity = identity(&request.member_id, request.group_instance_id.as_ref());
    let member = identity.member.clone();
    let join = JoinRequest {
        identity,
        client_id: client_id.to_string(),
        client_host: format!("/{}", connected.peer.ip()),
        session: millis(request.session_timeout_ms),
        rebalance: millis(if version == 0 { request.session_timeout_ms } else { request.rebalance_timeout_ms }),
        protocol_type: request.protocol_type.to_string(),
        protocols: request.protocols.into_iter().map(|p| (p.name.to_string(), p.metadata)).collect(),
        takes_id_first: version >= 4,
        can_skip_assignment: version >= 9,
    };
    let joined = match node.groups.join(&request.group_id, join, Instant::now()) {
        Answer::Now(joined) => joined,
        Answer::Later(receiver) => receiver.await.unwrap_or_else(|_| Joined::refused(ResponseError::RebalanceInProgress, member)),
    };
    let members = joined.members.into_iter().map(|m| {
        JoinGroupResponseMember::default().with_member_id(text(m.id)).with_group_instance_id(m.instance.map(text)).with_metadata(m.metadata)
    });
    // Old versions have no null for the name of the assignor.
    let protocol = if joined.error.is_some() && version >= 7 { None } else { Some(text(joined.protocol)) };
    JoinGroupResponse::default()
        .with_error_code(code(joined.error))
        .with_generation_id(joined.generation)
        .with_protocol_type((!joined.protocol_type.is_empty()).then(|| text(joined.protocol_type)))
        .with_protocol_name(protocol)
        .with_leader(text(joined.leader))
        .with_member_id(text(joined.member))
        .with_skip_assignment(joined.skip_assignment)
        .with_members(members.collect())
}

/// A member gets its assignment, when the leader has brought it.
pub async fn sync_group(node: &Node, request: SyncGroupRequest) -> SyncGroupResponse {
    let sync = SyncRequest {
        identity: identity(&request.member_id, request.group_instance_id.as_ref()),
        generation: request.generation_id,
        protocol_type: request.protocol_type.map(|t| t.to_string()),
        protocol: request.protocol_name.map(|n| n.to_string()),
        assignments: request.assignments.into_iter().map(|a| (a.member_id.to_string(), a.assignment)).collect(),
    };
    let synced = match node.groups.sync(&request.group_id, sync, Instant::now()) {
        Answer::Now(synced) => synced,
        Answer::Later(receiver) => receiver.await.unwrap_or_else(|_| Synced::refused(ResponseError::RebalanceInProgress)),
    };
    let known = |name: String| (!name.is_empty()).then(|| text(name));
    SyncGroupResponse::default()
        .with_error_code(code(synced.error))
        .with_protocol_type(known(synced.protocol_type))
        .with_protocol_name(known(synced.protocol))
        .with_assignment(synced.assignment)
}

/// A member says that it lives.
pub fn heartbeat(node: &Node, request: HeartbeatRequest) -> HeartbeatResponse {
    let who = Committer { identity: identity(&request.member_id, request.group_instance_id.as_ref()), generation: request.generation_id };
    let error = node.groups.heartbeat(&request.group_id, &who, Instant::now()).err();
    HeartbeatResponse::default().with_error_code(code(error))
}

/// Members leave.
pub fn leave_group(node: &Node, request: LeaveGroupRequest, version: i16) -> LeaveGroupResponse {
    let now = Instant::now();
    if version < 3 {
        let error = node.groups.leave(&request.group_id, &identity(&request.member_id, None), now).err();
        return LeaveGroupResponse::default().with_error_code(code(error));
    }
    let members = request
        .members
        .into_iter()
        .map(|m| {
            let left = node.groups.leave(&request.group_id, &identity(&m.member_id, m.group_instance_id.as_ref()), now);
            MemberResponse::default()
                .with_member_id(m.member_id)
                .with_group_instance_id(m.group_instance_id)
                .with_error_code(code(left.err()))
        })
        .collect();
    LeaveGroupResponse::default().with_members(members)
}
