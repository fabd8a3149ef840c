//! Groups and offsets.

use crate::client::*;
use kafka_protocol::{ResponseError, messages::*};

fn join_request(member: &str) -> JoinGroupRequest {
    let protocol = join_group_request::JoinGroupRequestProtocol::default().with_name(text("range")).with_metadata(vec![1].into());
    JoinGroupRequest::default()
        .with_group_id(GroupId(text("g")))
        .with_session_timeout_ms(30_000)
        .with_rebalance_timeout_ms(30_000)
        .with_member_id(text(member))
        .with_protocol_type(text("consumer"))
        .with_protocols(vec![protocol])
}

/// Joins as a new member with the id it is given.
fn join(client: &mut Client) -> JoinGroupResponse {
    let first = client.call(7, &join_request(""));
    assert_eq!(first.error_code, ResponseError::MemberIdRequired.code());
    client.call(7, &join_request(&first.member_id))
}

fn sync_request(joined: &JoinGroupResponse, assignments: &[(&str, &[u8])]) -> SyncGroupRequest {
    let assignments = assignments
        .iter()
        .map(|(id, bytes)| {
            sync_group_request::SyncGroupRequestAssignment::default().with_member_id(text(id)).with_assignment(bytes.to_vec().into())
        })
        .collect();
    SyncGroupRequest::default()
        .with_group_id(GroupId(text("g")))
        .with_generation_id(joined.generation_id)
        .with_member_id(joined.member_id.clone())
        .with_protocol_type(Some(text("consumer")))
        .with_protocol_name(Some(text("range")))
        .with_assignments(assignments)
}

fn heartbeat(client: &mut Client, joined: &JoinGroupResponse) -> i16 {
    let request = HeartbeatRequest::default()
        .with_group_id(GroupId(text("g")))
        .with_generation_id(joined.generation_id)
        .with_member_id(joined.member_id.clone());
    client.call(4, &request).error_code
}

fn commit(client: &mut Client, generation: i32, member: &str, offset: i64) -> i16 {
    let partition = offset_commit_request::OffsetCommitRequestPartition::default()
        .with_committed_offset(offset)
        .with_committed_metadata(Some(text("note")));
    let wanted = offset_commit_request::OffsetCommitRequestTopic::default().with_name(topic("t")).with_partitions(vec![partition]);
    let request = OffsetCommitRequest::default()
        .with_group_id(GroupId(text("g")))
        .with_generation_id_or_member_epoch(generation)
        .with_member_id(text(member))
        .with_topics(vec![wanted]);
    client.call(8, &request).topics[0].partitions[0].error_code
}

fn committed(client: &mut Client) -> i64 {
    let group = offset_fetch_request::OffsetFetchRequestGroup::default().with_group_id(GroupId(text("g"))).with_topics(None);
    let response = client.call(8, &OffsetFetchRequest::default().with_groups(vec![group]).with_require_stable(true));
    response.groups[0].topics.first().map_or(-1, |t| t.partitions[0].committed_offset)
}

#[test]
fn two_members_share_and_one_leaves() {
    let bench = Bench::start();
    let (mut a, mut b) = (bench.client(), bench.client());
    a.create("t", 1, &[]);
    let first = join(&mut a);
    assert_eq!((first.error_code, first.leader.clone(), first.members.len()), (0, first.member_id.clone(), 1));
    let own = a.call(5, &sync_request(&first, &[(&first.member_id, b"all")]));
    assert_eq!(&own.assignment[..], b"all");

    let asked = b.call(7, &join_request(""));
    b.send(7, &join_request(&asked.member_id)).unwrap();
    // The first member learns of the round by its heartbeat and joins again.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while heartbeat(&mut a, &first) != ResponseError::RebalanceInProgress.code() {
        assert!(std::time::Instant::now() < deadline, "no round began");
    }
    let first = a.call(7, &join_request(&first.member_id));
    let (_, second) = b.receive::<JoinGroupRequest>(7).unwrap();
    assert_eq!((first.generation_id, second.generation_id, first.members.len(), second.members.len()), (2, 2, 2, 0));
    b.send(5, &sync_request(&second, &[])).unwrap();
    a.call(5, &sync_request(&first, &[(&first.member_id, b"A"), (&second.member_id, b"B")]));
    assert_eq!(&b.receive::<SyncGroupRequest>(5).unwrap().1.assignment[..], b"B");

    assert_eq!(commit(&mut b, 2, &second.member_id, 5), 0);
    assert_eq!(commit(&mut b, 1, &second.member_id, 6), ResponseError::IllegalGeneration.code());
    assert_eq!(commit(&mut b, 2, "stranger", 6), ResponseError::UnknownMemberId.code());
    let leaving = leave_group_request::MemberIdentity::default().with_member_id(second.member_id.clone());
    let request = LeaveGroupRequest::default().with_group_id(GroupId(text("g"))).with_members(vec![leaving]);
    assert_eq!(b.call(5, &request).members[0].error_code, 0);
    assert_eq!(heartbeat(&mut a, &first), ResponseError::RebalanceInProgress.code());

    let described = b.call(5, &DescribeGroupsRequest::default().with_groups(vec![GroupId(text("g")), GroupId(text("none"))]));
    assert_eq!(described.groups[0].members.len(), 1);
    assert_eq!(described.groups[1].group_state, text("Dead"));
    let delete = DeleteGroupsRequest::default().with_groups_names(vec![GroupId(text("g"))]);
    assert_eq!(b.call(2, &delete).results[0].error_code, ResponseError::NonEmptyGroup.code());
    assert_eq!(committed(&mut b), 5);
}

#[test]
fn offsets_outlive_the_broker_and_go_with_group_or_topic() {
    let mut bench = Bench::start();
    let mut client = bench.client();
    client.create("t", 1, &[]);
    assert_eq!(commit(&mut client, -1, "", 7), 0);
    bench.restart();
    let mut client = bench.client();
    assert_eq!(committed(&mut client), 7);
    let listed = client.call(5, &ListGroupsRequest::default());
    assert_eq!((listed.groups.len(), listed.groups[0].group_state.clone()), (1, text("Empty")));
    let offsets = offset_delete_request::OffsetDeleteRequestTopic::default().with_name(topic("t"));
    let request = OffsetDeleteRequest::default()
        .with_group_id(GroupId(text("g")))
        .with_topics(vec![offsets.with_partitions(vec![Default::default()])]);
    assert_eq!(client.call(0, &request).error_code, 0);
    assert_eq!(committed(&mut client), -1);
    commit(&mut client, -1, "", 8);
    let wanted = delete_topics_request::DeleteTopicState::default().with_name(Some(topic("t")));
    client.call(6, &DeleteTopicsRequest::default().with_topics(vec![wanted]));
    assert_eq!(committed(&mut client), -1);
    let delete = DeleteGroupsRequest::default().with_groups_names(vec![GroupId(text("g"))]);
    assert_eq!(client.call(2, &delete).results[0].error_code, ResponseError::GroupIdNotFound.code());
}

#[test]
fn the_newer_group_protocol_is_refused() {
    let bench = Bench::start();
    let mut client = bench.client();
    let apis = client.call(3, &ApiVersionsRequest::default());
    assert!(apis.api_keys.iter().all(|k| k.api_key != ApiKey::ConsumerGroupHeartbeat as i16));
    let response = client.call(0, &ConsumerGroupHeartbeatRequest::default().with_group_id(GroupId(text("g"))));
    assert_eq!(response.error_code, ResponseError::UnsupportedVersion.code());
}

#[test]
fn the_coordinator_is_always_here() {
    let bench = Bench::start();
    let mut client = bench.client();
    let port = i32::from(bench.address().port());
    assert_eq!(client.call(3, &FindCoordinatorRequest::default().with_key(text("g"))).port, port);
    let many = client.call(4, &FindCoordinatorRequest::default().with_key_type(1).with_coordinator_keys(vec![text("a"), text("b")]));
    assert!(many.coordinators.len() == 2 && many.coordinators.iter().all(|c| c.port == port));
}
