//! From a request's bytes to the bytes of its response.

use super::{
    cluster, configs,
    failed::Failed,
    fetch, find_coordinator, groups, list_offsets, log_dirs, membership, metadata, offsets, partitions, produce, records, shapes, topics,
    transactions, versions,
    walk::{Misshapen, walk},
};
use crate::{
    config::Fsync,
    net::Request,
    node::{Connected, Node, Share},
};
use bytes::{BufMut, BytesMut};
use kafka_protocol::{
    messages::*,
    protocol::{Decodable, Encodable, HeaderVersion},
};
use tokio::runtime::{Handle, RuntimeFlavor};

/// A response ready to be sent.
#[derive(Debug)]
pub struct Reply {
    /// The frame, size included.
    pub bytes: BytesMut,
    /// Whether it tells of an error.
    failed: bool,
    /// Memory it was granted; given back when it is dropped.
    _share: Option<Share>,
}

/// Why a request is not answered. The connection is closed.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// The API or version is not served.
    #[error("it is not served")]
    NotServed,
    /// The body cannot be read.
    #[error("the request cannot be read: {0}")]
    Unreadable(String),
    /// The body is not of the API's shape.
    #[error(transparent)]
    Misshapen(#[from] Misshapen),
    /// The response cannot be written, which is a mistake of the broker.
    #[error("the response cannot be written: {0}")]
    Unwritable(String),
    /// The records of a client that wants no answer were not taken. As with Kafka, this is how it learns.
    #[error("records were not taken, and no answer is wanted")]
    Unasked,
    /// The broker has stopped.
    #[error("the broker has stopped")]
    Stopped,
}

/// Answers a request; `None` if the client wants no answer.
pub async fn answer(node: &Node, connected: &Connected, request: Request) -> Result<Option<Reply>, Unanswered> {
    let key = request.key;
    let answered = respond(node, connected, request).await;
    let failed = answered.as_ref().map_or(true, |reply| reply.as_ref().is_some_and(|reply| reply.failed));
    node.counters.answered(key, failed);
    answered
}

async fn respond(node: &Node, connected: &Connected, mut request: Request) -> Result<Option<Reply>, Unanswered> {
    if request.key == ApiKey::ApiVersions {
        let (response, version) = versions::api_versions(&request);
        return write(&request, version, &response, None).map(Some);
    }
    if request.key == ApiKey::ConsumerGroupHeartbeat {
        return write(&request, request.version, &groups::consumer_group_heartbeat(), None).map(Some);
    }
    if !versions::is_supported(request.key, request.version) {
        return Err(Unanswered::NotServed);
    }
    let shape = shapes::shape(request.key).ok_or(Unanswered::NotServed)?;
    let flexible = request.key.request_header_version(request.version) >= 2;
    walk(&request.body, shape, request.version, flexible)?;
    let client_id = std::mem::take(&mut request.client_id);
    let mut share = None;
    macro_rules! respond {
        ($kind:ty, disk, |$body:ident| $response:expr) => {{
            let $body = read::<$kind>(&mut request)?;
            let response = on_disk(node, || $response);
            write(&request, request.version, &response, share).map(Some)
        }};
        ($kind:ty, |$body:ident| $response:expr) => {{
            let $body = read::<$kind>(&mut request)?;
            let response = $response;
            write(&request, request.version, &response, share).map(Some)
        }};
    }
    let version = request.version;
    match request.key {
        ApiKey::Produce => {
            let body = read::<ProduceRequest>(&mut request)?;
            let wants_answer = body.acks != 0;
            let response = on_disk(node, || produce::produce(node, body));
            match wants_answer {
                true => write(&request, version, &response, None).map(Some),
                false if response.failed() => Err(Unanswered::Unasked),
                false => Ok(None),
            }
        }
        ApiKey::Fetch => respond!(FetchRequest, |body| {
            let (response, held) = fetch::fetch(node, body).await.ok_or(Unanswered::Stopped)?;
            share = held;
            response
        }),
        ApiKey::ListOffsets => respond!(ListOffsetsRequest, |body| list_offsets::list_offsets(node, body, version)),
        ApiKey::Metadata => respond!(MetadataRequest, |body| metadata::metadata(node, connected, body, version)),
        ApiKey::CreateTopics => respond!(CreateTopicsRequest, disk, |body| topics::create_topics(node, body)),
        ApiKey::DeleteTopics => respond!(DeleteTopicsRequest, disk, |body| topics::delete_topics(node, body)),
        ApiKey::CreatePartitions => respond!(CreatePartitionsRequest, disk, |body| partitions::create_partitions(node, body)),
        ApiKey::DeleteRecords => respond!(DeleteRecordsRequest, disk, |body| records::delete_records(node, body)),
        ApiKey::DescribeConfigs => respond!(DescribeConfigsRequest, |body| configs::describe_configs(node, body)),
        ApiKey::AlterConfigs => respond!(AlterConfigsRequest, disk, |body| configs::alter_configs(node, body)),
        ApiKey::IncrementalAlterConfigs => {
            respond!(IncrementalAlterConfigsRequest, disk, |body| configs::incremental_alter_configs(node, body))
        }
        ApiKey::FindCoordinator => {
            respond!(FindCoordinatorRequest, |body| find_coordinator::find_coordinator(node, connected, body, version))
        }
        ApiKey::JoinGroup => {
            respond!(JoinGroupRequest, |body| membership::join_group(node, connected, &client_id, body, version).await)
        }
        ApiKey::SyncGroup => respond!(SyncGroupRequest, |body| membership::sync_group(node, body).await),
        ApiKey::Heartbeat => respond!(HeartbeatRequest, |body| membership::heartbeat(node, body)),
        ApiKey::LeaveGroup => respond!(LeaveGroupRequest, |body| membership::leave_group(node, body, version)),
        ApiKey::ListGroups => respond!(ListGroupsRequest, |body| groups::list_groups(node, body)),
        ApiKey::DescribeGroups => respond!(DescribeGroupsRequest, |body| groups::describe_groups(node, body)),
        ApiKey::DeleteGroups => respond!(DeleteGroupsRequest, disk, |body| groups::delete_groups(node, body)),
        ApiKey::OffsetCommit => respond!(OffsetCommitRequest, disk, |body| offsets::offset_commit(node, body)),
        ApiKey::OffsetFetch => respond!(OffsetFetchRequest, |body| offsets::offset_fetch(node, body, version)),
        ApiKey::OffsetDelete => respond!(OffsetDeleteRequest, disk, |body| offsets::offset_delete(node, body)),
        ApiKey::InitProducerId => respond!(InitProducerIdRequest, disk, |body| transactions::init_producer_id(node, body, version)),
        ApiKey::AddPartitionsToTxn => respond!(AddPartitionsToTxnRequest, disk, |body| transactions::add_partitions(node, body, version)),
        ApiKey::AddOffsetsToTxn => respond!(AddOffsetsToTxnRequest, disk, |body| transactions::add_offsets(node, body, version)),
        ApiKey::TxnOffsetCommit => respond!(TxnOffsetCommitRequest, disk, |body| transactions::txn_offset_commit(node, body)),
        ApiKey::EndTxn => respond!(EndTxnRequest, disk, |body| transactions::end_txn(node, body, version)),
        ApiKey::DescribeCluster => respond!(DescribeClusterRequest, |body| cluster::describe_cluster(node, connected, body)),
        ApiKey::DescribeLogDirs => respond!(DescribeLogDirsRequest, |body| log_dirs::describe_log_dirs(node, body)),
        _ => Err(Unanswered::NotServed),
    }
}

/// Does work that writes. If it waits for the disk each time, the other connections go on meanwhile, where the runtime can do that.
fn on_disk<T>(node: &Node, work: impl FnOnce() -> T) -> T {
    let waits = node.config.log.fsync == Fsync::Always;
    if waits && Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread) {
        tokio::task::block_in_place(work)
    } else {
        work()
    }
}

fn read<M: Decodable>(request: &mut Request) -> Result<M, Unanswered> {
    // Bytes left over are let pass, as Kafka does: librdkafka appends some to Metadata.
    M::decode(&mut request.body, request.version).map_err(|error| Unanswered::Unreadable(error.to_string()))
}

fn write<M: Encodable + HeaderVersion + Failed>(
    request: &Request,
    version: i16,
    message: &M,
    share: Option<Share>,
) -> Result<Reply, Unanswered> {
    let unwritable = |error: &dyn std::fmt::Display| Unanswered::Unwritable(error.to_string());
    let size = message.compute_size(version).map_err(|e| unwritable(&e))?;
    let mut bytes = BytesMut::with_capacity(size + 16);
    bytes.put_i32(0);
    let header = ResponseHeader::default().with_correlation_id(request.correlation_id);
    header.encode(&mut bytes, M::header_version(version)).map_err(|e| unwritable(&e))?;
    message.encode(&mut bytes, version).map_err(|e| unwritable(&e))?;
    let length = i32::try_from(bytes.len() - 4).map_err(|e| unwritable(&e))?;
    if let Some(front) = bytes.first_chunk_mut::<4>() {
        *front = length.to_be_bytes();
    }
    Ok(Reply { bytes, failed: message.failed(), _share: share })
}

#[cfg(test)]
mod tests;

/// Decodes a body as a request of an API, whatever comes of it.
#[cfg(test)]
pub fn decode_any(key: ApiKey, version: i16, body: bytes::Bytes) {
    let mut request = Request { key, version, correlation_id: 0, client_id: String::new(), body };
    macro_rules! decode {
        ($($name:ident => $kind:ty),* $(,)?) => {
            match key {
                $(ApiKey::$name => drop(read::<$kind>(&mut request)),)*
                _ => {}
            }
        };
    }
    decode!(
        Produce => ProduceRequest, Fetch => FetchRequest, ListOffsets => ListOffsetsRequest, Metadata => MetadataRequest,
        OffsetCommit => OffsetCommitRequest, OffsetFetch => OffsetFetchRequest, FindCoordinator => FindCoordinatorRequest,
        JoinGroup => JoinGroupRequest, SyncGroup => SyncGroupRequest, Heartbeat => HeartbeatRequest, LeaveGroup => LeaveGroupRequest,
        DescribeGroups => DescribeGroupsRequest, ListGroups => ListGroupsRequest, DeleteGroups => DeleteGroupsRequest,
        OffsetDelete => OffsetDeleteRequest, CreateTopics => CreateTopicsRequest, DeleteTopics => DeleteTopicsRequest,
        CreatePartitions => CreatePartitionsRequest, DeleteRecords => DeleteRecordsRequest, InitProducerId => InitProducerIdRequest,
        AddPartitionsToTxn => AddPartitionsToTxnRequest, AddOffsetsToTxn => AddOffsetsToTxnRequest, EndTxn => EndTxnRequest,
        TxnOffsetCommit => TxnOffsetCommitRequest, DescribeConfigs => DescribeConfigsRequest, AlterConfigs => AlterConfigsRequest,
        IncrementalAlterConfigs => IncrementalAlterConfigsRequest, DescribeCluster => DescribeClusterRequest,
        DescribeLogDirs => DescribeLogDirsRequest,
    );
}
