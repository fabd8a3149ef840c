//! Old clients: every API answers in every version it announces, when things go well.

use crate::client::*;
use kafka_protocol::{messages::*, protocol::Request};

fn each<Q: Request>(client: &mut Client, versions: std::ops::RangeInclusive<i16>, request: impl Fn(i16) -> Q) -> Vec<Q::Response> {
    versions
        .map(|v| client.try_call(v, &request(v)).unwrap_or_else(|e| panic!("API {} version {v} is not answered: {e}", Q::KEY)))
        .collect()
}

#[test]
fn topics_and_records_in_every_version() {
    let bench = Bench::start();
    let mut client = bench.client();
    let created = each(&mut client, 2..=7, |v| {
        let wanted = create_topics_request::CreatableTopic::default().with_name(topic(&format!("t{v}"))).with_replication_factor(1);
        CreateTopicsRequest::default().with_topics(vec![wanted.with_num_partitions(1)])
    });
    assert!(created.iter().all(|r| r.topics[0].error_code == 0));
    let produced = each(&mut client, 3..=11, |v| {
        let data = produce_request::PartitionProduceData::default().with_records(Some(batch(&[&v.to_string()]).into()));
        let data = produce_request::TopicProduceData::default().with_name(topic("t2")).with_partition_data(vec![data]);
        ProduceRequest::default().with_acks(1).with_timeout_ms(1000).with_topic_data(vec![data])
    });
    assert!(produced.iter().all(|r| r.responses[0].partition_responses[0].error_code == 0));
    let fetched = each(&mut client, 4..=12, |_| fetch_request("t2", 0, 0, true, 0));
    assert!(fetched.iter().all(|r| !r.responses[0].partitions[0].records.as_ref().unwrap().is_empty()));
    for (timestamp, since, expected) in [(-1, 1, 9), (-2, 1, 0), (1000, 1, 0), (-3, 7, 0)] {
        let listed = each(&mut client, since..=7, |_| {
            let wanted = list_offsets_request::ListOffsetsPartition::default().with_timestamp(timestamp);
            let wanted = list_offsets_request::ListOffsetsTopic::default().with_name(topic("t2")).with_partitions(vec![wanted]);
            ListOffsetsRequest::default().with_replica_id((-1).into()).with_topics(vec![wanted])
        });
        assert!(listed.iter().all(|r| r.topics[0].partitions[0].offset == expected), "{timestamp}: {listed:?}");
    }
    let metadata = each(&mut client, 0..=12, |_| {
        let wanted = metadata_request::MetadataRequestTopic::default().with_name(Some(topic("t2")));
        MetadataRequest::default().with_topics(Some(vec![wanted]))
    });
    assert!(metadata.iter().all(|r| r.topics[0].partitions.len() == 1));
    let resource =
        |kind| describe_configs_request::DescribeConfigsResource::default().with_resource_type(kind).with_configuration_keys(None);
    let described = each(&mut client, 1..=4, |_| {
        DescribeConfigsRequest::default()
            .with_resources(vec![resource(2).with_resource_name(text("t2")), resource(4).with_resource_name(text("1"))])
            .with_include_synonyms(true)
    });
    assert!(described.iter().all(|r| r.results.len() == 2 && r.results.iter().all(|r| r.error_code == 0 && !r.configs.is_empty())));
    each(&mut client, 0..=2, |_| {
        let config = alter_configs_request::AlterableConfig::default().with_name(text("retention.ms")).with_value(Some(text("5000000")));
        let resource = alter_configs_request::AlterConfigsResource::default().with_resource_type(2).with_resource_name(text("t2"));
        AlterConfigsRequest::default().with_resources(vec![resource.with_configs(vec![config])])
    });
    each(&mut client, 0..=1, |_| {
        let config = incremental_alter_configs_request::AlterableConfig::default().with_name(text("retention.ms"));
        let resource = incremental_alter_configs_request::AlterConfigsResource::default().with_resource_type(2);
        let resource = resource.with_resource_name(text("t2")).with_configs(vec![config.with_config_operation(1)]);
        IncrementalAlterConfigsRequest::default().with_resources(vec![resource])
    });
    let grown = each(&mut client, 0..=3, |v| {
        let wanted = create_partitions_request::CreatePartitionsTopic::default()
            .with_name(topic("t3"))
            .with_count(i32::from(v) + 2)
            .with_assignments(None);
        CreatePartitionsRequest::default().with_topics(vec![wanted])
    });
    assert!(grown.iter().all(|r| r.results[0].error_code == 0));
    let removed = each(&mut client, 0..=2, |v| {
        let wanted = delete_records_request::DeleteRecordsPartition::default().with_offset(i64::from(v));
        let wanted = delete_records_request::DeleteRecordsTopic::default().with_name(topic("t2")).with_partitions(vec![wanted]);
        DeleteRecordsRequest::default().with_topics(vec![wanted])
    });
    assert!(removed.iter().all(|r| r.topics[0].partitions[0].error_code == 0));
    let deleted = each(&mut client, 1..=6, |v| match v {
        6 => DeleteTopicsRequest::default()
            .with_topics(vec![delete_topics_request::DeleteTopicState::default().with_name(Some(topic("t7")))]),
        v => DeleteTopicsRequest::default().with_topic_names(vec![topic(&format!("t{}", v + 1))]),
    });
    assert!(deleted.iter().all(|r| r.responses[0].error_code == 0), "{deleted:?}");
    each(&mut client, 0..=1, |_| DescribeClusterRequest::default());
    each(&mut client, 0..=4, |_| ApiVersionsRequest::default());
}

#[test]
fn groups_and_transactions_in_every_version() {
    let bench = Bench::start();
    let mut client = bench.client();
    client.create("t", 1, &[]);
    let group = || GroupId(text("g"));
    each(&mut client, 0..=4, |v| match v {
        4 => FindCoordinatorRequest::default().with_coordinator_keys(vec![text("g")]),
        _ => FindCoordinatorRequest::default().with_key(text("g")),
    });
    let mut last = None;
    for v in 0..=9 {
        // A member of its own group in every version, as only one client may join at a time here.
        let id = GroupId(text(&format!("join{v}")));
        let protocol = join_group_request::JoinGroupRequestProtocol::default().with_name(text("range")).with_metadata(vec![1].into());
        let request = JoinGroupRequest::default()
            .with_group_id(id.clone())
            .with_session_timeout_ms(30_000)
            .with_rebalance_timeout_ms(30_000)
            .with_protocol_type(text("consumer"))
            .with_protocols(vec![protocol]);
        let mut joined = client.try_call(v, &request).unwrap_or_else(|e| panic!("JoinGroup version {v}: {e}"));
        if joined.error_code != 0 {
            joined = client.call(v, &request.with_member_id(joined.member_id));
        }
        assert_eq!(joined.error_code, 0, "version {v}");
        let sync = SyncGroupRequest::default().with_group_id(id.clone()).with_generation_id(joined.generation_id);
        let assignment = sync_group_request::SyncGroupRequestAssignment::default().with_member_id(joined.member_id.clone());
        let sync = sync.with_member_id(joined.member_id.clone()).with_assignments(vec![assignment]);
        let synced = client.try_call(v.min(5), &sync).unwrap_or_else(|e| panic!("SyncGroup version {v}: {e}"));
        assert_eq!(synced.error_code, 0);
        let alive = HeartbeatRequest::default().with_group_id(id.clone()).with_generation_id(joined.generation_id);
        assert_eq!(client.call(v.min(4), &alive.with_member_id(joined.member_id.clone())).error_code, 0);
        last = Some((id, joined));
    }
    let (joined_group, joined) = last.unwrap();
    let described = each(&mut client, 0..=5, |_| DescribeGroupsRequest::default().with_groups(vec![joined_group.clone()]));
    assert!(described.iter().all(|r| r.groups[0].members.len() == 1));
    each(&mut client, 0..=5, |_| ListGroupsRequest::default());
    each(&mut client, 0..=5, |v| match v {
        0..=2 => LeaveGroupRequest::default().with_group_id(joined_group.clone()).with_member_id(joined.member_id.clone()),
        _ => {
            let member = leave_group_request::MemberIdentity::default().with_member_id(joined.member_id.clone());
            LeaveGroupRequest::default().with_group_id(joined_group.clone()).with_members(vec![member])
        }
    });
    let committed = each(&mut client, 2..=8, |v| {
        let partition = offset_commit_request::OffsetCommitRequestPartition::default().with_committed_offset(v.into());
        let partition = if v >= 6 { partition.with_committed_leader_epoch(0) } else { partition };
        let wanted = offset_commit_request::OffsetCommitRequestTopic::default().with_name(topic("t")).with_partitions(vec![partition]);
        OffsetCommitRequest::default().with_group_id(group()).with_generation_id_or_member_epoch(-1).with_topics(vec![wanted])
    });
    assert!(committed.iter().all(|r| r.topics[0].partitions[0].error_code == 0));
    let found = each(&mut client, 1..=9, |v| match v {
        0..=7 => {
            let wanted = offset_fetch_request::OffsetFetchRequestTopic::default().with_name(topic("t")).with_partition_indexes(vec![0]);
            OffsetFetchRequest::default().with_group_id(group()).with_topics(Some(vec![wanted]))
        }
        _ => {
            let wanted = offset_fetch_request::OffsetFetchRequestGroup::default().with_group_id(group()).with_topics(None);
            OffsetFetchRequest::default().with_groups(vec![wanted])
        }
    });
    let offsets: Vec<i64> = found
        .iter()
        .map(|r| {
            r.topics.first().map_or_else(|| r.groups[0].topics[0].partitions[0].committed_offset, |t| t.partitions[0].committed_offset)
        })
        .collect();
    assert_eq!(offsets, [8; 9]);
    for v in 0..=3 {
        let id = TransactionalId(text("x"));
        let init = InitProducerIdRequest::default().with_transactional_id(Some(id.clone())).with_transaction_timeout_ms(60_000);
        let init = if v >= 3 { init.with_producer_id((-1).into()).with_producer_epoch(-1) } else { init };
        let given = client.try_call(v, &init).unwrap_or_else(|e| panic!("InitProducerId version {v}: {e}"));
        let added = add_partitions_to_txn_request::AddPartitionsToTxnTopic::default().with_name(topic("t")).with_partitions(vec![0]);
        let add = AddPartitionsToTxnRequest::default()
            .with_v3_and_below_transactional_id(id.clone())
            .with_v3_and_below_producer_id(given.producer_id)
            .with_v3_and_below_producer_epoch(given.producer_epoch)
            .with_v3_and_below_topics(vec![added]);
        let added = client.call(v, &add);
        assert_eq!(added.results_by_topic_v3_and_below[0].results_by_partition[0].partition_error_code, 0, "version {v}");
        let add = AddOffsetsToTxnRequest::default().with_transactional_id(id.clone()).with_group_id(group());
        let add = add.with_producer_id(given.producer_id).with_producer_epoch(given.producer_epoch);
        assert_eq!(client.call(v, &add).error_code, 0);
        let partition = txn_offset_commit_request::TxnOffsetCommitRequestPartition::default().with_committed_offset(20);
        let wanted = txn_offset_commit_request::TxnOffsetCommitRequestTopic::default().with_name(topic("t"));
        let commit = TxnOffsetCommitRequest::default()
            .with_transactional_id(id.clone())
            .with_group_id(group())
            .with_producer_id(given.producer_id)
            .with_producer_epoch(given.producer_epoch)
            .with_topics(vec![wanted.with_partitions(vec![partition])]);
        assert_eq!(client.call(v, &commit).topics[0].partitions[0].error_code, 0);
        let end = EndTxnRequest::default().with_transactional_id(id).with_committed(true);
        assert_eq!(client.call(v, &end.with_producer_id(given.producer_id).with_producer_epoch(given.producer_epoch)).error_code, 0);
    }
    let wanted = offset_delete_request::OffsetDeleteRequestTopic::default().with_name(topic("t"));
    let wanted = wanted.with_partitions(vec![offset_delete_request::OffsetDeleteRequestPartition::default()]);
    let removed = client.call(0, &OffsetDeleteRequest::default().with_group_id(group()).with_topics(vec![wanted]));
    assert_eq!(removed.topics[0].partitions[0].error_code, 0);
    each(&mut client, 0..=2, |_| DeleteGroupsRequest::default().with_groups_names(vec![group()]));
}
