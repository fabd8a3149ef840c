//! FindCoordinator: always this node.

use super::text;
use crate::node::{Connected, NODE_ID, Node};
use kafka_protocol::{
    ResponseError,
    messages::{BrokerId, FindCoordinatorRequest, FindCoordinatorResponse, find_coordinator_response::Coordinator},
};

/// Groups and transactions; there are no share groups.
const KEY_TYPES: std::ops::RangeInclusive<i8> = 0..=1;

/// Names the coordinator of groups or transactional ids.
pub fn find_coordinator(node: &Node, connected: &Connected, request: FindCoordinatorRequest, version: i16) -> FindCoordinatorResponse {
    let (host, port) = node.advertised(connected);
    let served = KEY_TYPES.contains(&request.key_type);
    let code = if served { 0 } else { ResponseError::InvalidRequest.code() };
    let id = BrokerId(if served { NODE_ID } else { -1 });
    let host = if served { text(host) } else { text("") };
    let port = if served { port } else { -1 };
    if version < 4 {
        return FindCoordinatorResponse::default().with_error_code(code).with_node_id(id).with_host(host).with_port(port);
    }
    let coordinators = request
        .coordinator_keys
        .into_iter()
        .map(|key| Coordinator::default().with_key(key).with_node_id(id).with_host(host.clone()).with_port(port).with_error_code(code))
        .collect();
    FindCoordinatorResponse::default().with_coordinators(coordinators)
}
