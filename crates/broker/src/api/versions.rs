//! The APIs that are served, with their versions.

use crate::net::Request;
use kafka_protocol::{
    ResponseError,
    messages::{ApiKey, ApiVersionsResponse, api_versions_response::ApiVersion},
};

/// One row an API: lowest and highest version.
///
/// Produce and Fetch are announced from 0 on because librdkafka concludes from the ranges what a broker can do; it never uses versions this old,
/// and who does is cut off. Higher versions that name topics by id, or need features of a cluster, are left out.
const SERVED: &[(ApiKey, i16, i16)] = &[
    (ApiKey::Produce, 0, 11),
    (ApiKey::Fetch, 0, 12),
    (ApiKey::ListOffsets, 1, 7),
    (ApiKey::Metadata, 0, 12),
    (ApiKey::OffsetCommit, 2, 8),
    (ApiKey::OffsetFetch, 1, 9),
    (ApiKey::FindCoordinator, 0, 4),
    (ApiKey::JoinGroup, 0, 9),
    (ApiKey::Heartbeat, 0, 4),
    (ApiKey::LeaveGroup, 0, 5),
    (ApiKey::SyncGroup, 0, 5),
    (ApiKey::DescribeGroups, 0, 5),
    (ApiKey::ListGroups, 0, 5),
    (ApiKey::ApiVersions, 0, 4),
    (ApiKey::CreateTopics, 2, 7),
    (ApiKey::DeleteTopics, 1, 6),
    (ApiKey::DeleteRecords, 0, 2),
    (ApiKey::InitProducerId, 0, 4),
    (ApiKey::AddPartitionsToTxn, 0, 3),
    (ApiKey::AddOffsetsToTxn, 0, 3),
    (ApiKey::EndTxn, 0, 3),
    (ApiKey::TxnOffsetCommit, 0, 3),
    (ApiKey::DescribeConfigs, 1, 4),
    (ApiKey::AlterConfigs, 0, 2),
    (ApiKey::DescribeLogDirs, 1, 4),
    (ApiKey::DeleteGroups, 0, 2),
    (ApiKey::IncrementalAlterConfigs, 0, 1),
    (ApiKey::OffsetDelete, 0, 0),
    (ApiKey::CreatePartitions, 0, 3),
    (ApiKey::DescribeCluster, 0, 1),
];

/// All APIs served, with lowest and highest version.
#[cfg(test)]
pub fn served() -> impl Iterator<Item = (ApiKey, i16, i16)> {
    SERVED.iter().copied()
}

/// Whether an API is served in this version.
pub fn is_supported(key: ApiKey, version: i16) -> bool {
    SERVED.iter().any(|(served, min, max)| *served == key && (*min..=*max).contains(&version))
}

/// The answer to ApiVersions, and the version to write it in: a client that asks too new is told in the oldest form.
pub fn api_versions(request: &Request) -> (ApiVersionsResponse, i16) {
    let known = is_supported(request.key, request.version);
    let keys = SERVED
        .iter()
        .map(|(key, min, max)| ApiVersion::default().with_api_key(*key as i16).with_min_version(*min).with_max_version(*max))
        .collect();
    let response = ApiVersionsResponse::default().with_api_keys(keys);
    if known { (response, request.version) } else { (response.with_error_code(ResponseError::UnsupportedVersion.code()), 0) }
}
