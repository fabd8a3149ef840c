//! ListGroups, DescribeGroups, DeleteGroups, and the refusal of the newer group protocol.

use super::{once, text};
use crate::node::Node;
use kafka_protocol::{
    ResponseError,
    messages::{
        ConsumerGroupHeartbeatResponse, DeleteGroupsRequest, DeleteGroupsResponse, DescribeGroupsRequest, DescribeGroupsResponse, GroupId,
        ListGroupsRequest, ListGroupsResponse,
        delete_groups_response::DeletableGroupResult,
        describe_groups_response::{DescribedGroup, DescribedGroupMember},
        list_groups_response::ListedGroup,
    },
};

/// Lists groups, those in given states only if states are given.
pub fn list_groups(node: &Node, request: ListGroupsRequest) -> ListGroupsResponse {
    let allows = |filter: &[kafka_protocol::protocol::StrBytes], value: &str| {
        filter.is_empty() || filter.iter().any(|wanted| wanted.as_str().eq_ignore_ascii_case(value))
    };
    let groups = node
        .groups
        .list()
        .into_iter()
        .filter(|(_, _, state)| allows(&request.states_filter, state.name()) && allows(&request.types_filter, "classic"))
        .map(|(id, protocol_type, state)| {
            ListedGroup::default()
                .with_group_id(GroupId(text(id)))
                .with_protocol_type(text(protocol_type))
                .with_group_state(text(state.name()))
                .with_group_type(text("classic"))
        })
        .collect();
    ListGroupsResponse::default().with_groups(groups)
}

/// Describes groups; one that does not exist is `Dead`.
pub fn describe_groups(node: &Node, request: DescribeGroupsRequest) -> DescribeGroupsResponse {
    let groups = once(request.groups, GroupId::clone)
        .map(|id| {
            let described = DescribedGroup::default().with_group_id(id.clone());
            let Some(group) = node.groups.describe(&id) else { return described.with_group_state(text("Dead")) };
            let members = group.members.into_iter().map(|m| {
                DescribedGroupMember::default()
                    .with_member_id(text(m.id))
                    .with_group_instance_id(m.instance.map(text))
                    .with_client_id(text(m.client_id))
                    .with_client_host(text(m.client_host))
                    .with_member_metadata(m.metadata)
                    .with_member_assignment(m.assignment)
            });
            described
                .with_group_state(text(group.state.name()))
                .with_protocol_type(text(group.protocol_type))
                .with_protocol_data(text(group.protocol))
                .with_members(members.collect())
        })
        .collect();
    DescribeGroupsResponse::default().with_groups(groups)
}

/// Removes groups without members.
pub fn delete_groups(node: &Node, request: DeleteGroupsRequest) -> DeleteGroupsResponse {
    let results = request
        .groups_names
        .into_iter()
        .map(|id| {
            let code = node.groups.delete(&id).map_or_else(|error| error.code(), |()| 0);
            DeletableGroupResult::default().with_group_id(id).with_error_code(code)
        })
        .collect();
    DeleteGroupsResponse::default().with_results(results)
}

/// The newer group protocol is not announced; who tries it all the same is told so and can fall back.
pub fn consumer_group_heartbeat() -> ConsumerGroupHeartbeatResponse {
    ConsumerGroupHeartbeatResponse::default()
        .with_error_code(ResponseError::UnsupportedVersion.code())
        .with_error_message(Some(text("the consumer group protocol is not served; set group.protocol=classic")))
}
