//! DescribeCluster: one broker, which is its own controller.

use super::text;
use crate::node::{Connected, NODE_ID, Node};
use kafka_protocol::{
    ResponseError,
    messages::{BrokerId, DescribeClusterRequest, DescribeClusterResponse, describe_cluster_response::DescribeClusterBroker},
};

/// Endpoints for clients, as opposed to those of controllers.
const BROKERS: i8 = 1;

/// Describes the cluster.
pub fn describe_cluster(node: &Node, connected: &Connected, request: DescribeClusterRequest) -> DescribeClusterResponse {
    let response = DescribeClusterResponse::default()
        .with_cluster_id(text(node.cluster_id.clone()))
        .with_controller_id(BrokerId(NODE_ID))
        .with_endpoint_type(request.endpoint_type);
    if request.endpoint_type != BROKERS {
        return response
            .with_error_code(ResponseError::UnsupportedEndpointType.code())
            .with_error_message(Some(text("there are no separate controllers")));
    }
    let (host, port) = node.advertised(connected);
    let broker = DescribeClusterBroker::default().with_broker_id(BrokerId(NODE_ID)).with_host(text(host)).with_port(port);
    response.with_brokers(vec![broker])
}
