//! Requests that have an effect: they name what is there, so that their mutations get far.

use crate::{
    api::served,
    chance::Dice,
    groups::{Answer, Identity, JoinRequest},
    node::Node,
    txns::ProducerName,
};
use bytes::BytesMut;
use flumen_wire::{
    BatchWriter, Compression,
    batch::{HEADER_LEN, Producer},
};
use kafka_protocol::{
    messages::{fetch_request::*, incremental_alter_configs_request as incremental, *},
    protocol::{Encodable, StrBytes},
};
use std::time::{Duration, Instant};

/// API, version and body of a request.
pub type Sample = (ApiKey, i16, Vec<u8>);

const TOPIC: &str = "topic";
const TRANSACTION: &str = "transaction";
const CODECS: [Compression; 5] = [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd];

fn text(value: impl Into<String>) -> StrBytes {
    StrBytes::from_string(value.into())
}

fn name(value: &str) -> TopicName {
    TopicName(text(value))
}

/// A batch of four records.
pub fn batch(compression: Compression, producer: Producer) -> Vec<u8> {
    let mut writer = BatchWriter::default();
    for i in 0..4u8 {
        let headers = [4, 2, b'h', 2, b'1', 2, b'h', 1];
        writer.push(1000 + i64::from(i), Some(&[b'k', i]), (i != 2).then_some(b"some value"), &headers).unwrap();
    }
    writer.finish(compression, producer).unwrap()
}

/// A request that writes a batch.
pub fn produce(topic: &str, version: i16, acks: i16, id: Option<&str>, batch: Vec<u8>) -> Sample {
    let data = produce_request::PartitionProduceData::default().with_index(0).with_records(Some(batch.into()));
    let topic = produce_request::TopicProduceData::default().with_name(name(topic)).with_partition_data(vec![data]);
    let request = ProduceRequest::default().with_acks(acks).with_transactional_id(id.map(|id| TransactionalId(text(id))));
    let mut body = BytesMut::new();
    request.with_topic_data(vec![topic]).encode(&mut body, version).unwrap();
    (ApiKey::Produce, version, body.to_vec())
}

/// A request to write a batch that is nonsense under a right checksum.
pub fn random_produce(dice: &mut Dice) -> Sample {
    let producer = Producer { id: dice.roll(4) as i64 - 1, epoch: 0, sequence: dice.roll(3) as i32 * 4, transactional: dice.once_in(8) };
    let mut bytes = batch(dice.pick(&CODECS), if dice.once_in(2) { Producer::PLAIN } else { producer });
    if dice.once_in(4) {
        dice.spoil(&mut bytes[21..HEADER_LEN]);
    } else {
        let mut records = bytes.split_off(HEADER_LEN);
        dice.mutate(&mut records);
        bytes.extend(records);
    }
    let length = (bytes.len() - 12) as i32;
    bytes[8..12].copy_from_slice(&length.to_be_bytes());
    let crc = crc32c::crc32c(&bytes[21..]);
    bytes[17..21].copy_from_slice(&crc.to_be_bytes());
    let version = 3 + dice.roll(9) as i16;
    produce(dice.pick(&[TOPIC, "made"]), version, dice.pick(&[-1, 0, 1, 2]), dice.once_in(8).then_some(TRANSACTION), bytes)
}

/// Makes a member of a group; gives its id and generation. Nobody, if a mutated request has brought others into the group.
fn member(node: &Node, group: &str) -> (String, i32) {
    let request = JoinRequest {
        identity: Identity::default(),
        client_id: "f".into(),
        client_host: "/".into(),
        session: Duration::from_millis(200),
        rebalance: Duration::from_millis(200),
        protocol_type: "consumer".into(),
        protocols: vec![("range".into(), vec![0; 4].into())],
        takes_id_first: false,
        can_skip_assignment: false,
    };
    let now = Instant::now();
    let joined = match node.groups.join(group, request, now) {
        Answer::Now(joined) => Some(joined),
        Answer::Later(mut receiver) => {
            node.groups.tick(now + Duration::from_millis(1));
            receiver.try_recv().ok()
        }
    };
    joined.map_or((String::new(), -1), |joined| (joined.member, joined.generation))
}

/// Requests of all kinds in all versions.
pub fn lively(node: &Node, round: u64) -> Vec<Sample> {
    let group = format!("g{round}");
    let (member, generation) = member(node, &group);
    let producer = node.transactions.init(node.reach(), TRANSACTION, 60_000, None).unwrap();
    let mut all = Vec::new();
    records(&mut all, producer);
    topics(&mut all);
    members(&mut all, &group, &member, generation);
    offsets(&mut all, &group, &member, generation);
    transactions(&mut all, &group, producer);
    for version in 0..5 {
        all.push((ApiKey::ApiVersions, version, vec![2, b'a', 2, b'b', 0]));
    }
    all.push((ApiKey::ConsumerGroupHeartbeat, 0, vec![0; 30]));
    all
}

/// Adds the request in every version that can say it.
fn add<M: Encodable + Clone>(all: &mut Vec<Sample>, key: ApiKey, message: &M) {
    let (min, max) = served().find(|(served, ..)| *served == key).map_or((0, -1), |(_, min, max)| (min, max));
    let before = all.len();
    for version in min..=max {
        let mut body = BytesMut::new();
        if message.encode(&mut body, version).is_ok() {
            all.push((key, version, body.to_vec()));
        }
    }
    assert!(all.len() > before, "no version of {key:?} can say this");
}

fn records(all: &mut Vec<Sample>, producer: ProducerName) {
    for (version, codec) in (3..).zip(CODECS) {
        all.push(produce(TOPIC, version, 1, None, batch(codec, Producer::PLAIN)));
    }
    let ProducerName { id, epoch } = producer;
    for sequence in [0, 4] {
        all.push(produce(TOPIC, 9, -1, None, batch(Compression::None, Producer { id: 77, epoch: 0, sequence, transactional: false })));
        let batch = batch(Compression::Lz4, Producer { id, epoch, sequence, transactional: true });
        all.push(produce(TOPIC, 11, -1, Some(TRANSACTION), batch));
    }
    for isolation in [0, 1] {
        let partition = FetchPartition::default().with_partition_max_bytes(1 << 20);
        let topic = FetchTopic::default().with_topic(name(TOPIC)).with_partitions(vec![partition]);
        let request = FetchRequest::default().with_isolation_level(isolation).with_max_bytes(1 << 20).with_max_wait_ms(100);
        add(all, ApiKey::Fetch, &request.with_min_bytes(1).with_topics(vec![topic]));
    }
    let times = [-1, -2, -3, 1001].map(|timestamp| list_offsets_request::ListOffsetsPartition::default().with_timestamp(timestamp));
    let topic = list_offsets_request::ListOffsetsTopic::default().with_name(name(TOPIC)).with_partitions(times.to_vec());
    add(all, ApiKey::ListOffsets, &ListOffsetsRequest::default().with_topics(vec![topic]));
    let partition = delete_records_request::DeleteRecordsPartition::default().with_offset(1);
    let topic = delete_records_request::DeleteRecordsTopic::default().with_name(name(TOPIC)).with_partitions(vec![partition]);
    add(all, ApiKey::DeleteRecords, &DeleteRecordsRequest::default().with_topics(vec![topic]));
}

fn topics(all: &mut Vec<Sample>) {
    let config = create_topics_request::CreatableTopicConfig::default().with_name(text("cleanup.policy")).with_value(Some(text("compact")));
    let topic = create_topics_request::CreatableTopic::default().with_name(name("made")).with_num_partitions(2);
    let topic = topic.with_replication_factor(1).with_configs(vec![config]);
    add(all, ApiKey::CreateTopics, &CreateTopicsRequest::default().with_topics(vec![topic]));
    let topic = create_partitions_request::CreatePartitionsTopic::default().with_name(name(TOPIC)).with_count(4);
    add(all, ApiKey::CreatePartitions, &CreatePartitionsRequest::default().with_topics(vec![topic.with_assignments(None)]));
    add(all, ApiKey::DeleteTopics, &DeleteTopicsRequest::default().with_topic_names(vec![name("made")]));
    add(all, ApiKey::Metadata, &MetadataRequest::default().with_topics(None));
    add(all, ApiKey::DescribeLogDirs, &DescribeLogDirsRequest::default().with_topics(None));
    for (kind, resource) in [(2, TOPIC), (4, "1")] {
        let resource =
            describe_configs_request::DescribeConfigsResource::default().with_resource_type(kind).with_resource_name(text(resource));
        add(all, ApiKey::DescribeConfigs, &DescribeConfigsRequest::default().with_resources(vec![resource.with_configuration_keys(None)]));
    }
    for (key, value) in
        [("cleanup.policy", "compact,delete"), ("retention.ms", "1"), ("min.cleanable.dirty.ratio", "0"), ("segment.bytes", "99")]
    {
        let config = incremental::AlterableConfig::default().with_name(text(key)).with_value(Some(text(value)));
        let resource = incremental::AlterConfigsResource::default().with_resource_type(2).with_resource_name(text(TOPIC));
        let request = IncrementalAlterConfigsRequest::default().with_resources(vec![resource.with_configs(vec![config])]);
        add(all, ApiKey::IncrementalAlterConfigs, &request);
        let config = alter_configs_request::AlterableConfig::default().with_name(text(key)).with_value(Some(text(value)));
        let resource = alter_configs_request::AlterConfigsResource::default().with_resource_type(2).with_resource_name(text(TOPIC));
        add(all, ApiKey::AlterConfigs, &AlterConfigsRequest::default().with_resources(vec![resource.with_configs(vec![config])]));
    }
}

fn members(all: &mut Vec<Sample>, group: &str, member: &str, generation: i32) {
    let id = || GroupId(text(group));
    for known in ["", member] {
        let protocol = join_group_request::JoinGroupRequestProtocol::default().with_name(text("range")).with_metadata(vec![0; 4].into());
        let request = JoinGroupRequest::default().with_group_id(id()).with_session_timeout_ms(200).with_rebalance_timeout_ms(200);
        let request = request.with_member_id(text(known)).with_protocol_type(text("consumer")).with_protocols(vec![protocol]);
        add(all, ApiKey::JoinGroup, &request);
    }
    let assignment = sync_group_request::SyncGroupRequestAssignment::default().with_member_id(text(member)).with_assignment(vec![1].into());
    let request = SyncGroupRequest::default().with_group_id(id()).with_generation_id(generation).with_member_id(text(member));
    add(all, ApiKey::SyncGroup, &request.with_assignments(vec![assignment]));
    let request = HeartbeatRequest::default().with_group_id(id()).with_generation_id(generation).with_member_id(text(member));
    add(all, ApiKey::Heartbeat, &request);
    add(all, ApiKey::LeaveGroup, &LeaveGroupRequest::default().with_group_id(id()).with_member_id(text("nobody")));
    let leaving = leave_group_request::MemberIdentity::default().with_member_id(text(member));
    add(all, ApiKey::LeaveGroup, &LeaveGroupRequest::default().with_group_id(id()).with_members(vec![leaving]));
    add(all, ApiKey::DescribeGroups, &DescribeGroupsRequest::default().with_groups(vec![id()]));
    add(all, ApiKey::DeleteGroups, &DeleteGroupsRequest::default().with_groups_names(vec![id()]));
}

fn offsets(all: &mut Vec<Sample>, group: &str, member: &str, generation: i32) {
    let id = || GroupId(text(group));
    for (member, generation) in [(member, generation), ("", -1)] {
        let partition = offset_commit_request::OffsetCommitRequestPartition::default().with_committed_offset(3);
        let topic = offset_commit_request::OffsetCommitRequestTopic::default().with_name(name(TOPIC));
        let topic = topic.with_partitions(vec![partition.with_committed_metadata(Some(text("m")))]);
        let request = OffsetCommitRequest::default().with_group_id(id()).with_member_id(text(member));
        add(all, ApiKey::OffsetCommit, &request.with_generation_id_or_member_epoch(generation).with_topics(vec![topic]));
    }
    add(all, ApiKey::OffsetFetch, &OffsetFetchRequest::default().with_group_id(id()).with_topics(None));
    let wanted = offset_fetch_request::OffsetFetchRequestGroup::default().with_group_id(id()).with_topics(None);
    add(all, ApiKey::OffsetFetch, &OffsetFetchRequest::default().with_groups(vec![wanted]));
    let topic = offset_delete_request::OffsetDeleteRequestTopic::default().with_name(name(TOPIC)).with_partitions(vec![Default::default()]);
    add(all, ApiKey::OffsetDelete, &OffsetDeleteRequest::default().with_group_id(id()).with_topics(vec![topic]));
}

fn transactions(all: &mut Vec<Sample>, group: &str, producer: ProducerName) {
    let id = || TransactionalId(text(TRANSACTION));
    let (producer_id, epoch) = (ProducerId(producer.id), producer.epoch);
    add(all, ApiKey::InitProducerId, &InitProducerIdRequest::default().with_transactional_id(None).with_transaction_timeout_ms(1000));
    let topic = add_partitions_to_txn_request::AddPartitionsToTxnTopic::default().with_name(name(TOPIC)).with_partitions(vec![0, 1]);
    let request = AddPartitionsToTxnRequest::default().with_v3_and_below_transactional_id(id()).with_v3_and_below_producer_id(producer_id);
    add(all, ApiKey::AddPartitionsToTxn, &request.with_v3_and_below_producer_epoch(epoch).with_v3_and_below_topics(vec![topic]));
    let request = AddOffsetsToTxnRequest::default().with_transactional_id(id()).with_producer_id(producer_id).with_producer_epoch(epoch);
    add(all, ApiKey::AddOffsetsToTxn, &request.with_group_id(GroupId(text(group))));
    let topic = txn_offset_commit_request::TxnOffsetCommitRequestTopic::default().with_name(name(TOPIC));
    let request = TxnOffsetCommitRequest::default().with_transactional_id(id()).with_group_id(GroupId(text(group)));
    let request = request.with_producer_id(producer_id).with_producer_epoch(epoch);
    add(all, ApiKey::TxnOffsetCommit, &request.with_topics(vec![topic.with_partitions(vec![Default::default()])]));
    for committed in [true, false] {
        let request = EndTxnRequest::default().with_transactional_id(id()).with_producer_id(producer_id).with_producer_epoch(epoch);
        add(all, ApiKey::EndTxn, &request.with_committed(committed));
    }
}
