//! The walk agrees with the encoders of the protocol crate for every request and version served, and with its decoders on mutated bytes.

use super::*;
use crate::api::{shapes::shape, versions::served};
use bytes::BytesMut;
use kafka_protocol::{
    messages::{fetch_request::*, *},
    protocol::{Encodable, StrBytes},
};

fn text(value: &'static str) -> StrBytes {
    StrBytes::from_static_str(value)
}

fn name() -> TopicName {
    TopicName(text("topic"))
}

/// A request of each kind with one or two elements in every array, encoded.
fn sample(key: ApiKey, v: i16) -> Option<BytesMut> {
    let mut out = BytesMut::new();
    macro_rules! encode {
        ($message:expr) => {
            $message.encode(&mut out, v).unwrap()
        };
    }
    match key {
        ApiKey::Produce => encode!({
            let part = produce_request::PartitionProduceData::default().with_records(Some(vec![1, 2, 3].into()));
            let topic = produce_request::TopicProduceData::default().with_name(name()).with_partition_data(vec![part.clone(), part]);
            ProduceRequest::default().with_topic_data(vec![topic])
        }),
        ApiKey::Fetch => encode!({
            let topic = FetchTopic::default().with_topic(name()).with_partitions(vec![FetchPartition::default(); 2]);
            let forgotten = vec![ForgottenTopic::default().with_topic(name()).with_partitions(vec![1, 2])];
            let request = FetchRequest::default().with_topics(vec![topic]);
            if v >= 7 { request.with_forgotten_topics_data(forgotten) } else { request }
        }),
        ApiKey::ListOffsets => encode!({
            let topic = list_offsets_request::ListOffsetsTopic::default().with_name(name()).with_partitions(vec![Default::default(); 2]);
            ListOffsetsRequest::default().with_topics(vec![topic])
        }),
        ApiKey::Metadata => encode!({
            let topic = metadata_request::MetadataRequestTopic::default().with_name(Some(name()));
            MetadataRequest::default().with_topics(Some(vec![topic.clone(), topic]))
        }),
        ApiKey::OffsetCommit => encode!({
            let topic = offset_commit_request::OffsetCommitRequestTopic::default().with_name(name());
            OffsetCommitRequest::default().with_topics(vec![topic.with_partitions(vec![Default::default(); 2])])
        }),
        ApiKey::OffsetFetch if v < 8 => encode!({
            let topic = offset_fetch_request::OffsetFetchRequestTopic::default().with_name(name()).with_partition_indexes(vec![1, 2]);
            OffsetFetchRequest::default().with_topics(Some(vec![topic]))
        }),
        ApiKey::OffsetFetch => encode!({
            let topic = offset_fetch_request::OffsetFetchRequestTopics::default().with_name(name()).with_partition_indexes(vec![1, 2]);
            let group = offset_fetch_request::OffsetFetchRequestGroup::default().with_topics(Some(vec![topic]));
            OffsetFetchRequest::default().with_groups(vec![group])
        }),
        ApiKey::FindCoordinator if v < 4 => encode!(FindCoordinatorRequest::default().with_key(text("k"))),
        ApiKey::FindCoordinator => encode!(FindCoordinatorRequest::default().with_coordinator_keys(vec![text("a"), text("b")])),
        ApiKey::JoinGroup => encode!({
            let protocol = join_group_request::JoinGroupRequestProtocol::default().with_name(text("p")).with_metadata(vec![1].into());
            JoinGroupRequest::default().with_protocols(vec![protocol.clone(), protocol])
        }),
        ApiKey::SyncGroup => encode!({
            let assignment = sync_group_request::SyncGroupRequestAssignment::default().with_assignment(vec![1].into());
            SyncGroupRequest::default().with_assignments(vec![assignment.clone(), assignment])
        }),
        ApiKey::Heartbeat => encode!(HeartbeatRequest::default().with_member_id(text("m"))),
        ApiKey::LeaveGroup if v < 3 => encode!(LeaveGroupRequest::default().with_member_id(text("m"))),
        ApiKey::LeaveGroup => encode!(LeaveGroupRequest::default().with_members(vec![Default::default(); 2])),
        ApiKey::DescribeGroups => encode!(DescribeGroupsRequest::default().with_groups(vec![GroupId(text("g")), GroupId(text("h"))])),
        ApiKey::ListGroups => encode!({
            let request = ListGroupsRequest::default();
            if v >= 4 { request.with_states_filter(vec![text("Stable")]) } else { request }
        }),
        ApiKey::DeleteGroups => encode!(DeleteGroupsRequest::default().with_groups_names(vec![GroupId(text("g"))])),
        ApiKey::OffsetDelete => encode!({
            let topic = offset_delete_request::OffsetDeleteRequestTopic::default().with_name(name());
            OffsetDeleteRequest::default().with_topics(vec![topic.with_partitions(vec![Default::default(); 2])])
        }),
        ApiKey::CreateTopics => encode!({
            let assignment = create_topics_request::CreatableReplicaAssignment::default().with_broker_ids(vec![BrokerId(1)]);
            let config = create_topics_request::CreatableTopicConfig::default().with_value(Some(text("v")));
            let topic = create_topics_request::CreatableTopic::default().with_name(name());
            CreateTopicsRequest::default().with_topics(vec![topic.with_assignments(vec![assignment]).with_configs(vec![config])])
        }),
        ApiKey::DeleteTopics if v < 6 => encode!(DeleteTopicsRequest::default().with_topic_names(vec![name(), name()])),
        ApiKey::DeleteTopics => encode!({
            let topic = delete_topics_request::DeleteTopicState::default().with_name(Some(name()));
            DeleteTopicsRequest::default().with_topics(vec![topic])
        }),
        ApiKey::CreatePartitions => encode!({
            let assignment = create_partitions_request::CreatePartitionsAssignment::default().with_broker_ids(vec![BrokerId(1)]);
            let topic = create_partitions_request::CreatePartitionsTopic::default().with_assignments(Some(vec![assignment]));
            CreatePartitionsRequest::default().with_topics(vec![topic])
        }),
        ApiKey::DeleteRecords => encode!({
            let topic = delete_records_request::DeleteRecordsTopic::default().with_partitions(vec![Default::default(); 2]);
            DeleteRecordsRequest::default().with_topics(vec![topic])
        }),
        ApiKey::InitProducerId => encode!(InitProducerIdRequest::default().with_transactional_id(Some(TransactionalId(text("t"))))),
        ApiKey::AddPartitionsToTxn => encode!({
            let topic = add_partitions_to_txn_request::AddPartitionsToTxnTopic::default().with_name(name()).with_partitions(vec![1, 2]);
            AddPartitionsToTxnRequest::default().with_v3_and_below_topics(vec![topic])
        }),
        ApiKey::AddOffsetsToTxn => encode!(AddOffsetsToTxnRequest::default().with_group_id(GroupId(text("g")))),
        ApiKey::EndTxn => encode!(EndTxnRequest::default().with_committed(true)),
        ApiKey::TxnOffsetCommit => encode!({
            let topic = txn_offset_commit_request::TxnOffsetCommitRequestTopic::default().with_name(name());
            TxnOffsetCommitRequest::default().with_topics(vec![topic.with_partitions(vec![Default::default(); 2])])
        }),
        ApiKey::DescribeConfigs => encode!({
            let resource = describe_configs_request::DescribeConfigsResource::default().with_configuration_keys(Some(vec![text("k")]));
            DescribeConfigsRequest::default().with_resources(vec![resource])
        }),
        ApiKey::AlterConfigs => encode!({
            let resource = alter_configs_request::AlterConfigsResource::default().with_configs(vec![Default::default(); 2]);
            AlterConfigsRequest::default().with_resources(vec![resource])
        }),
        ApiKey::IncrementalAlterConfigs => encode!({
            let resource = incremental_alter_configs_request::AlterConfigsResource::default().with_configs(vec![Default::default()]);
            IncrementalAlterConfigsRequest::default().with_resources(vec![resource])
        }),
        ApiKey::DescribeLogDirs => encode!({
            let topic = describe_log_dirs_request::DescribableLogDirTopic::default().with_topic(name()).with_partitions(vec![1, 2]);
            DescribeLogDirsRequest::default().with_topics(Some(vec![topic.clone(), topic]))
        }),
        ApiKey::DescribeCluster => encode!(DescribeClusterRequest::default()),
        _ => return None,
    }
    Some(out)
}

/// Every request in every version that the protocol crate can write.
pub fn samples() -> Vec<(ApiKey, i16, BytesMut)> {
    let mut all = Vec::new();
    for (key, min, max) in served() {
        let oldest = match key {
            ApiKey::Produce => 3,
            ApiKey::Fetch => 4,
            _ => min,
        };
        for version in oldest..=max {
            if let Some(bytes) = sample(key, version) {
                all.push((key, version, bytes));
            }
        }
    }
    all
}

fn flexible(key: ApiKey, version: i16) -> bool {
    key.request_header_version(version) >= 2
}

#[test]
fn the_shapes_are_those_of_the_protocol() {
    let samples = samples();
    for (key, _, _) in served() {
        let known = samples.iter().any(|(k, _, _)| *k == key);
        assert!(known || key == ApiKey::ApiVersions, "{key:?} has no sample");
    }
    for (key, version, bytes) in &samples {
        let rest = walk(bytes, shape(*key).unwrap(), *version, flexible(*key, *version));
        assert_eq!(rest, Ok(&[][..]), "{key:?} version {version}");
        for cut in 0..bytes.len() {
            let rest = walk(&bytes[..cut], shape(*key).unwrap(), *version, flexible(*key, *version));
            assert_eq!(rest, Err(Misshapen::Short), "{key:?} version {version} cut at {cut}");
        }
    }
}

#[test]
fn a_claim_of_billions_is_found_out() {
    let body = [0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff];
    assert_eq!(walk(&body[4..], shape(ApiKey::Metadata).unwrap(), 1, false), Err(Misshapen::Short));
    let body = [0xff, 0xff, 0xff, 0xff, 0x0f, 1];
    assert_eq!(walk(&body, shape(ApiKey::Metadata).unwrap(), 9, true), Err(Misshapen::Short));
    assert_eq!(walk(&[0xff; 20], shape(ApiKey::Metadata).unwrap(), 9, true), Err(Misshapen::Endless));
    assert_eq!(walk(&[0xff, 0xff, 0xff, 0xfe], shape(ApiKey::Metadata).unwrap(), 1, false), Err(Misshapen::Negative));
}

#[test]
fn more_elements_than_anyone_sends_are_refused() {
    let names = |count: usize| [&(count as i32).to_be_bytes()[..], &vec![0; 2 * count]].concat();
    let walked = |count| walk(&names(count), shape(ApiKey::Metadata).unwrap(), 1, false).map(<[u8]>::len);
    assert_eq!(walked(MOST_ELEMENTS), Ok(0));
    assert_eq!(walked(MOST_ELEMENTS + 1), Err(Misshapen::TooMany));
}

#[test]
fn mutated_requests_never_make_the_decoders_panic_or_allocate_without_bound() {
    let samples: Vec<_> = samples().into_iter().filter(|(_, _, bytes)| !bytes.is_empty()).collect();
    let mut state = 88_172_645_463_325_252u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    let mut passed = 0;
    for _ in 0..100_000 {
        let (key, version, bytes) = &samples[random() % samples.len()];
        let mut bytes = bytes.to_vec();
        for _ in 0..=random() % 4 {
            let at = random() % bytes.len();
            bytes[at] = [random() as u8, 0, 0x7f, 0x80, 0xff][random() % 5];
        }
        if random().is_multiple_of(4) {
            bytes.truncate(random() % bytes.len());
        }
        if walk(&bytes, shape(*key).unwrap(), *version, flexible(*key, *version)).is_ok() {
            passed += 1;
            crate::api::dispatch::decode_any(*key, *version, bytes.into());
        }
    }
    assert!(passed > 10_000, "{passed}");
}
