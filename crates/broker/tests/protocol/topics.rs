//! Topics, partitions and configs.

use crate::client::*;
use kafka_protocol::{ResponseError, messages::*};

fn describe(client: &mut Client, name: &str) -> Vec<(String, String, i8)> {
    let resource = describe_configs_request::DescribeConfigsResource::default()
        .with_resource_type(2)
        .with_resource_name(text(name))
        .with_configuration_keys(None);
    let response = client.call(4, &DescribeConfigsRequest::default().with_resources(vec![resource]));
    let configs = response.results[0].configs.iter();
    configs.map(|c| (c.name.to_string(), c.value.as_ref().unwrap().to_string(), c.config_source)).collect()
}

fn value(client: &mut Client, name: &str, config: &str) -> (String, i8) {
    describe(client, name).into_iter().find(|(n, _, _)| n == config).map(|(_, v, s)| (v, s)).unwrap()
}

fn partitions(client: &mut Client, name: &str) -> Result<usize, i16> {
    let wanted = metadata_request::MetadataRequestTopic::default().with_name(Some(topic(name)));
    let request = MetadataRequest::default().with_topics(Some(vec![wanted])).with_allow_auto_topic_creation(false);
    let response = client.call(12, &request);
    assert_eq!(response.brokers.len(), 1);
    match response.topics[0].error_code {
        0 => Ok(response.topics[0].partitions.len()),
        code => Err(code),
    }
}

#[test]
fn topics_are_made_validated_and_removed() {
    let mut bench = Bench::start();
    let mut client = bench.client();
    assert_eq!(client.create("t", 3, &[("retention.ms", "1000")]), 0);
    for (name, count, configs, expected) in [
        ("t", 1, vec![], ResponseError::TopicAlreadyExists),
        ("bad name", 1, vec![], ResponseError::InvalidTopicException),
        ("n", 0, vec![], ResponseError::InvalidPartitions),
        ("n", 1, vec![("no.such", "1")], ResponseError::InvalidConfig),
        ("n", 1, vec![("cleanup.policy", "nonsense")], ResponseError::InvalidConfig),
    ] {
        assert_eq!(client.create(name, count, &configs), expected.code(), "{expected:?}");
    }
    let wanted = create_topics_request::CreatableTopic::default().with_name(topic("v")).with_num_partitions(-1).with_replication_factor(-1);
    let request = CreateTopicsRequest::default().with_topics(vec![wanted]).with_validate_only(true);
    let validated = client.call(7, &request).topics[0].clone();
    assert_eq!((validated.error_code, validated.num_partitions), (0, 1));
    let missing = ResponseError::UnknownTopicOrPartition.code();
    assert_eq!(partitions(&mut client, "v"), Err(missing));
    assert_eq!(partitions(&mut client, "t"), Ok(3));

    let grown = create_partitions_request::CreatePartitionsTopic::default().with_name(topic("t")).with_count(5).with_assignments(None);
    let request = CreatePartitionsRequest::default().with_topics(vec![grown]);
    assert_eq!(client.call(3, &request).results[0].error_code, 0);
    assert_eq!(client.call(3, &request).results[0].error_code, ResponseError::InvalidPartitions.code());
    bench.restart();
    let mut client = bench.client();
    assert_eq!(partitions(&mut client, "t"), Ok(5));
    assert_eq!(value(&mut client, "t", "retention.ms"), ("1000".into(), 1));

    client.produce("t", 0, batch(&["old"]));
    let wanted = delete_topics_request::DeleteTopicState::default().with_name(Some(topic("t")));
    let request = DeleteTopicsRequest::default().with_topics(vec![wanted]);
    assert_eq!(client.call(6, &request).responses[0].error_code, 0);
    assert_eq!(client.call(6, &request).responses[0].error_code, missing);
    assert_eq!(partitions(&mut client, "t"), Err(missing));
    client.create("t", 1, &[]);
    assert!(client.read_all("t", 0, false).is_empty());
}

#[test]
fn asking_for_an_unknown_topic_may_make_it() {
    let bench = Bench::start();
    let mut client = bench.client();
    let wanted = metadata_request::MetadataRequestTopic::default().with_name(Some(topic("auto")));
    let response = client.call(12, &MetadataRequest::default().with_topics(Some(vec![wanted])).with_allow_auto_topic_creation(true));
    assert_eq!((response.topics[0].error_code, response.topics[0].partitions.len()), (0, 1));
    assert_eq!(client.call(12, &MetadataRequest::default().with_topics(None)).topics.len(), 1);
    assert_eq!(client.call(0, &MetadataRequest::default().with_topics(Some(vec![]))).topics.len(), 1);
}

#[test]
fn configs_are_changed_one_by_one_and_all_together() {
    use incremental_alter_configs_request::*;
    let bench = Bench::start();
    let mut client = bench.client();
    client.create("t", 1, &[]);
    assert_eq!(value(&mut client, "t", "cleanup.policy"), ("delete".into(), 5));
    let mut change = |name: &str, operation: i8, to: &str| {
        let config = AlterableConfig::default().with_name(text(name)).with_config_operation(operation).with_value(Some(text(to)));
        let resource = AlterConfigsResource::default().with_resource_type(2).with_resource_name(text("t")).with_configs(vec![config]);
        let request = IncrementalAlterConfigsRequest::default().with_resources(vec![resource]);
        let code = client.call(1, &request).responses[0].error_code;
        (code, value(&mut client, "t", name))
    };
    assert_eq!(change("cleanup.policy", 2, "compact"), (0, ("delete,compact".into(), 1)));
    assert_eq!(change("cleanup.policy", 3, "delete"), (0, ("compact".into(), 1)));
    assert_eq!(change("retention.ms", 0, "5"), (0, ("5".into(), 1)));
    let invalid = ResponseError::InvalidConfig.code();
    assert_eq!(change("retention.ms", 0, "soon"), (invalid, ("5".into(), 1)));
    assert_eq!(change("retention.ms", 2, "6"), (invalid, ("5".into(), 1)));
    assert_eq!(change("retention.ms", 1, ""), (0, ("604800000".into(), 5)));

    let config = alter_configs_request::AlterableConfig::default().with_name(text("segment.ms")).with_value(Some(text("7")));
    let resource = alter_configs_request::AlterConfigsResource::default()
        .with_resource_type(2)
        .with_resource_name(text("t"))
        .with_configs(vec![config]);
    let response = client.call(2, &AlterConfigsRequest::default().with_resources(vec![resource]));
    assert_eq!(response.responses[0].error_code, 0);
    assert_eq!(value(&mut client, "t", "segment.ms"), ("7".into(), 1));
    assert_eq!(value(&mut client, "t", "cleanup.policy"), ("delete".into(), 5), "the others are back at their defaults");
}

#[test]
fn the_cluster_is_one_broker() {
    let bench = Bench::start();
    let mut client = bench.client();
    let response = client.call(1, &DescribeClusterRequest::default().with_endpoint_type(1));
    assert_eq!(response.brokers.len(), 1);
    assert_eq!(response.brokers[0].port, i32::from(bench.address().port()));
    let metadata = client.call(12, &MetadataRequest::default().with_topics(Some(vec![])));
    assert_eq!(metadata.cluster_id, Some(response.cluster_id));
}

#[test]
fn the_sizes_of_partitions_are_told() {
    let bench = Bench::start();
    let mut client = bench.client();
    assert_eq!(client.create("t", 2, &[]), 0);
    let sent = batch(&["one", "two"]);
    client.produce("t", 1, sent.clone());
    for version in 1..=4 {
        let all = client.call(version, &DescribeLogDirsRequest::default().with_topics(None));
        assert_eq!((all.error_code, all.results.len()), (0, 1));
        let sizes: Vec<_> = all.results[0].topics[0].partitions.iter().map(|p| (p.partition_index, p.partition_size)).collect();
        assert_eq!(sizes, [(0, 0), (1, sent.len() as i64)]);
        let wanted = |name: &str, partitions: Vec<i32>| {
            describe_log_dirs_request::DescribableLogDirTopic::default().with_topic(topic(name)).with_partitions(partitions)
        };
        let some = DescribeLogDirsRequest::default().with_topics(Some(vec![wanted("t", vec![1, 7]), wanted("missing", vec![0])]));
        let some = client.call(version, &some);
        assert_eq!(some.results[0].topics.len(), 1);
        assert_eq!(some.results[0].topics[0].partitions.len(), 1);
    }
}
