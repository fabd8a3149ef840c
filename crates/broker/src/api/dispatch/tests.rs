//! Every request is answered in every version, also when it asks for something impossible.

use super::*;
use crate::{api::walk::tests::samples, config::BrokerConfig};
use kafka_protocol::protocol::StrBytes;
use std::collections::BTreeMap;

#[tokio::test]
async fn every_version_of_every_request_gets_an_answer() {
    let dir = tempfile::tempdir().unwrap();
    let node = Node::open(BrokerConfig::new(dir.path())).unwrap();
    let anywhere = std::net::SocketAddr::from(([127, 0, 0, 1], 9092));
    let connected = Connected { local: anywhere, peer: anywhere };
    for exists in [false, true] {
        for (key, version, body) in samples() {
            if exists {
                let _ = node.topics.create("topic", 3, BTreeMap::new());
            }
            let request = Request { key, version, correlation_id: 7, client_id: "test".into(), body: body.freeze() };
            match answer(&node, &connected, request).await {
                Ok(Some(_)) => {}
                // The samples want no answer to what cannot be taken.
                Err(Unanswered::Unasked) if key == ApiKey::Produce => {}
                other => panic!("{key:?} version {version}: {other:?}"),
            }
        }
    }
}

/// A node with a topic of many partitions, in a folder that is there as long as it.
fn node_with_large_topic() -> (Node, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let node = Node::open(BrokerConfig::new(dir.path())).unwrap();
    node.topics.create("topic", 10_000, BTreeMap::new()).unwrap();
    (node, dir)
}

fn text(text: &'static str) -> StrBytes {
    StrBytes::from_static_str(text)
}

/// The answer to a request.
async fn ask<M: Encodable>(node: &Node, key: ApiKey, version: i16, message: &M) -> Vec<u8> {
    let anywhere = std::net::SocketAddr::from(([127, 0, 0, 1], 9092));
    let mut body = BytesMut::new();
    message.encode(&mut body, version).unwrap();
    let request = Request { key, version, correlation_id: 7, client_id: "test".into(), body: body.freeze() };
    let reply = answer(node, &Connected { local: anywhere, peer: anywhere }, request).await;
    reply.unwrap().unwrap().bytes.to_vec()
}

#[tokio::test]
async fn what_is_asked_for_many_times_is_described_once() {
    let (node, _dir) = node_with_large_topic();
    for many in [1, 50_000] {
        // Said anew for each of them, the partitions alone would take gigabytes.
        let topic = metadata_request::MetadataRequestTopic::default().with_name(Some(TopicName(text("topic"))));
        let request = MetadataRequest::default().with_topics(Some(vec![topic; many]));
        let one = ask(&node, ApiKey::Metadata, 12, &request).await.len();
        assert!((100_000..1_000_000).contains(&one), "{one}");
        let resource = describe_configs_request::DescribeConfigsResource::default().with_resource_type(2);
        let resource = resource.with_resource_name(text("topic")).with_configuration_keys(None);
        let request = DescribeConfigsRequest::default().with_resources(vec![resource; many]);
        let one = ask(&node, ApiKey::DescribeConfigs, 4, &request).await.len();
        assert!((500..20_000).contains(&one), "{one}");
        let request = DescribeGroupsRequest::default().with_groups(vec![GroupId(text("g")); many]);
        assert!(ask(&node, ApiKey::DescribeGroups, 5, &request).await.len() < 100);
        let group = offset_fetch_request::OffsetFetchRequestGroup::default().with_group_id(GroupId(text("g"))).with_topics(None);
        let request = OffsetFetchRequest::default().with_groups(vec![group; many]);
        assert!(ask(&node, ApiKey::OffsetFetch, 8, &request).await.len() < 100);
    }
}

#[tokio::test]
async fn the_work_grows_with_the_request_and_not_with_its_square() {
    let (node, _dir) = node_with_large_topic();
    let producer = node.transactions.init(node.reach(), "tx", 60_000, None).unwrap();
    let (id, epoch) = (ProducerId(producer.id), producer.epoch);
    let all = || (0..90_000).map(|i| i % 10_000);
    let topic = add_partitions_to_txn_request::AddPartitionsToTxnTopic::default().with_name(TopicName(text("topic")));
    let request = AddPartitionsToTxnRequest::default().with_v3_and_below_transactional_id(TransactionalId(text("tx")));
    let request = request.with_v3_and_below_producer_id(id).with_v3_and_below_producer_epoch(epoch);
    ask(&node, ApiKey::AddPartitionsToTxn, 3, &request.with_v3_and_below_topics(vec![topic.with_partitions(all().collect())])).await;
    node.transactions.add_group(node.reach(), "tx", producer, "g").unwrap();
    // Once all of them are there, each named nine times, and once none is.
    for from in [0, 10_000] {
        let partition = |i: i32| txn_offset_commit_request::TxnOffsetCommitRequestPartition::default().with_partition_index(i);
        let partitions = if from == 0 { all().map(partition).collect() } else { (from..90_000).map(partition).collect() };
        let topic = txn_offset_commit_request::TxnOffsetCommitRequestTopic::default().with_name(TopicName(text("topic")));
        let request =
            TxnOffsetCommitRequest::default().with_transactional_id(TransactionalId(text("tx"))).with_group_id(GroupId(text("g")));
        let request = request.with_producer_id(id).with_producer_epoch(epoch).with_topics(vec![topic.with_partitions(partitions)]);
        ask(&node, ApiKey::TxnOffsetCommit, 3, &request).await;
    }
    node.transactions.end(node.reach(), "tx", producer, true).unwrap();
    assert_eq!(node.groups.committed_keys("g").len(), 10_000);
}
