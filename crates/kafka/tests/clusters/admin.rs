//! Topics, offsets and groups by the admin client.

use crate::{
    lease::member,
    support::{WAIT, eventually, send, topic},
};
use flumen_kafka::{Admin, ClientSettings, Created, ErrorKind, LeaseEvent, NewTopic, OffsetSpec};
use std::time::Duration;

pub fn topics_are_made_described_grown_and_deleted(settings: &ClientSettings) {
    let admin = Admin::new(settings).unwrap();
    assert!(!admin.cluster_id(WAIT).unwrap().is_empty());
    admin.check(WAIT).unwrap();

    let name = format!("life-{}", std::process::id());
    let new = NewTopic { name: name.clone(), partitions: 3, replication: 1, configs: vec![("cleanup.policy".into(), "compact".into())] };
    assert_eq!(admin.describe_topic(&name, WAIT).unwrap(), None);
    assert_eq!(admin.create_topic(&new, WAIT).unwrap(), Created::Created);
    assert_eq!(admin.create_topic(&new, WAIT).unwrap(), Created::AlreadyExists);

    let info = eventually("the topic", || admin.describe_topic(&name, WAIT).unwrap());
    assert_eq!((info.name.as_str(), info.partitions, info.replication), (name.as_str(), 3, 1));
    assert!(admin.list_topics(WAIT).unwrap().contains(&info));
    assert_eq!(admin.topic_configs(&name, WAIT).unwrap().get("cleanup.policy").map(String::as_str), Some("compact"));

    admin.add_partitions(&name, 5, WAIT).unwrap();
    eventually("the growth", || admin.describe_topic(&name, WAIT).unwrap().filter(|info| info.partitions == 5));

    let outcomes = admin.delete_topics(&[&name, "never-made"], WAIT).unwrap();
    assert!(matches!(outcomes.first(), Some((n, Ok(()))) if *n == name), "{outcomes:?}");
    assert_eq!(outcomes.get(1).and_then(|(_, r)| r.as_ref().err()).map(|e| e.kind), Some(ErrorKind::NotFound));
    eventually("the deletion", || admin.describe_topic(&name, WAIT).unwrap().is_none().then_some(()));
}

pub fn what_is_wrong_is_typed(settings: &ClientSettings) {
    let admin = Admin::new(settings).unwrap();
    let name = topic(settings, "wrong", 2);
    let kind = |result: Result<(), flumen_kafka::KafkaError>| result.unwrap_err().kind;
    let new = |name: &str, configs: &[(&str, &str)]| NewTopic {
        name: name.into(),
        partitions: 1,
        replication: 1,
        configs: configs.iter().map(|(n, v)| ((*n).to_string(), (*v).to_string())).collect(),
    };
    assert_eq!(kind(admin.create_topic(&new("no good", &[]), WAIT).map(|_| ())), ErrorKind::Invalid);
    assert_eq!(kind(admin.create_topic(&new("bad\0name", &[]), WAIT).map(|_| ())), ErrorKind::Invalid);
    assert_eq!(kind(admin.create_topic(&new("bad-config", &[("cleanup.policy", "burn")]), WAIT).map(|_| ())), ErrorKind::Invalid);
    assert_eq!(kind(admin.add_partitions(&name, 1, WAIT)), ErrorKind::Invalid);
    assert_eq!(kind(admin.topic_configs("never-made", WAIT).map(|_| ())), ErrorKind::NotFound);
    assert_eq!(kind(admin.offsets(&[("never-made", 0, OffsetSpec::Latest)], Duration::from_secs(5)).map(|_| ())), ErrorKind::NotFound);
    assert_eq!(kind(Admin::new(&settings.clone().with_property("no.such.property", "1")).map(|_| ())), ErrorKind::Config);
}

pub fn offsets_by_end_and_by_time(settings: &ClientSettings) {
    let admin = Admin::new(settings).unwrap();
    let name = topic(settings, "times", 2);
    send(settings, &name, 1, &["a", "b", "c"]); // at 1000, 1001, 1002
    let ask = [(name.as_str(), 0, OffsetSpec::Latest), (name.as_str(), 1, OffsetSpec::Latest)];
    assert_eq!(admin.offsets(&ask, WAIT).unwrap(), [0, 3]);
    assert_eq!(admin.offsets(&[(&name, 1, OffsetSpec::AtTime(1_001))], WAIT).unwrap(), [1]);
    assert_eq!(admin.offsets(&[(&name, 1, OffsetSpec::AtTime(5_000))], WAIT).unwrap(), [-1]);
    assert_eq!(admin.watermarks(&name, 1, WAIT).unwrap(), (0, 3));
}

pub fn deleted_records_move_the_start(settings: &ClientSettings) {
    let admin = Admin::new(settings).unwrap();
    let name = topic(settings, "shorter", 1);
    send(settings, &name, 0, &["a", "b", "c"]);
    admin.delete_records(&[(&name, 0, 2)], WAIT).unwrap();
    assert_eq!(admin.watermarks(&name, 0, WAIT).unwrap(), (2, 3));
    assert_eq!(admin.delete_records(&[(&name, 0, 9)], WAIT).unwrap_err().kind, ErrorKind::OffsetOutOfRange);
}

pub fn groups_are_listed_described_and_deleted(settings: &ClientSettings) {
    let admin = Admin::new(settings).unwrap();
    let slots = topic(settings, "groups", 2);
    let group = format!("{slots}-group");
    let mut lease = member(settings, &slots, "node-1");
    eventually("the assignment", || lease.poll(Duration::from_millis(100)).unwrap().filter(|e| matches!(e, LeaseEvent::Assigned(_))));
    assert!(admin.list_groups(WAIT).unwrap().contains(&group));
    let info = admin.describe_group(&group, WAIT).unwrap();
    assert_eq!(info.state, "Stable");
    assert_eq!(info.members.iter().map(|m| m.instance_id.as_deref()).collect::<Vec<_>>(), [Some("node-1")]);
    assert_eq!(admin.delete_group(&group, WAIT).unwrap_err().kind, ErrorKind::Invalid);

    // A group that only ever had offsets has no members.
    assert!(admin.delete_group("never-there", WAIT).is_err());
}
