//! From a request's bytes to the bytes of its response.

use super::{cluster, configs, fetch, list_offsets, metadata, partitions, produce, records, topics, versions};
use crate::{
    net::Request,
    node::{Connected, Node, Share},
};
use bytes::{Buf, BufMut, BytesMut};
use kafka_protocol::{
    messages::*,
    protocol::{Decodable, Encodable, HeaderVersion},
};

/// A response ready to be sent.
#[derive(Debug)]
pub struct Reply {
    /// The frame, size included.
    pub bytes: BytesMut,
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
    /// The response cannot be written, which is a mistake of the broker.
    #[error("the response cannot be written: {0}")]
    Unwritable(String),
    /// The broker has stopped.
    #[error("the broker has stopped")]
    Stopped,
}

/// Answers a request; `None` if the client wants no answer.
pub async fn answer(node: &Node, connected: &Connected, mut request: Request) -> Result<Option<Reply>, Unanswered> {
    if request.key == ApiKey::ApiVersions {
        let (response, version) = versions::api_versions(&request);
        return write(&request, version, &response, None).map(Some);
    }
    if !versions::is_supported(request.key, request.version) {
        return Err(Unanswered::NotServed);
    }
    let mut share = None;
    macro_rules! respond {
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
            let response = produce::produce(node, body);
            if wants_answer { write(&request, version, &response, None).map(Some) } else { Ok(None) }
        }
        ApiKey::Fetch => respond!(FetchRequest, |body| {
            let (response, held) = fetch::fetch(node, body).await.ok_or(Unanswered::Stopped)?;
            share = held;
            response
        }),
        ApiKey::ListOffsets => respond!(ListOffsetsRequest, |body| list_offsets::list_offsets(node, body)),
        ApiKey::Metadata => respond!(MetadataRequest, |body| metadata::metadata(node, connected, body, version)),
        ApiKey::CreateTopics => respond!(CreateTopicsRequest, |body| topics::create_topics(node, body)),
        ApiKey::DeleteTopics => respond!(DeleteTopicsRequest, |body| topics::delete_topics(node, body)),
        ApiKey::CreatePartitions => respond!(CreatePartitionsRequest, |body| partitions::create_partitions(node, body)),
        ApiKey::DeleteRecords => respond!(DeleteRecordsRequest, |body| records::delete_records(node, body)),
        ApiKey::DescribeConfigs => respond!(DescribeConfigsRequest, |body| configs::describe_configs(node, body)),
        ApiKey::AlterConfigs => respond!(AlterConfigsRequest, |body| configs::alter_configs(node, body)),
        ApiKey::IncrementalAlterConfigs => {
            respond!(IncrementalAlterConfigsRequest, |body| configs::incremental_alter_configs(node, body))
        }
        ApiKey::DescribeCluster => respond!(DescribeClusterRequest, |body| cluster::describe_cluster(node, connected, body)),
        _ => Err(Unanswered::NotServed),
    }
}

fn read<M: Decodable>(request: &mut Request) -> Result<M, Unanswered> {
    let unreadable = |error: &dyn std::fmt::Display| Unanswered::Unreadable(error.to_string());
    let message = M::decode(&mut request.body, request.version).map_err(|e| unreadable(&e))?;
    if request.body.has_remaining() {
        return Err(unreadable(&"there are bytes left"));
    }
    Ok(message)
}

fn write<M: Encodable + HeaderVersion>(request: &Request, version: i16, message: &M, share: Option<Share>) -> Result<Reply, Unanswered> {
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
    Ok(Reply { bytes, _share: share })
}
