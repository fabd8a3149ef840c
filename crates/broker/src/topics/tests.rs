//! Topics are made, changed, removed, and found again.

use super::*;

fn open(dir: &std::path::Path) -> Topics {
    Topics::open(&DataDir::open(dir, crate::config::Fsync::System).unwrap(), LogSettings::default()).unwrap()
}

#[test]
fn topics_survive_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let topics = open(dir.path());
    let made = topics.create("a", 2, BTreeMap::from([("retention.ms".into(), "5".into())])).unwrap();
    assert_eq!(topics.create("a", 2, BTreeMap::new()).unwrap_err(), ResponseError::TopicAlreadyExists);
    topics.grow("a", 5).unwrap();
    topics.create("b", 1, BTreeMap::new()).unwrap();
    topics
        .configure("b", |c| {
            c.insert("retention.ms".into(), "7".into());
            Ok(())
        })
        .unwrap();
    topics.create("gone", 1, BTreeMap::new()).unwrap();
    topics.delete("gone").unwrap();
    assert_eq!(topics.delete("gone").unwrap_err(), ResponseError::UnknownTopicOrPartition);
    let id = made.id();
    drop((topics, made));
    let topics = open(dir.path());
    assert_eq!(topics.all().iter().map(|t| t.name().to_string()).collect::<Vec<_>>(), ["a", "b"]);
    let a = topics.get_by_id(id).unwrap();
    assert_eq!((a.partition_count(), a.config().retention_ms), (5, 5));
    assert_eq!(topics.get("b").unwrap().config().retention_ms, 7);
}

#[test]
fn what_a_deleted_topic_left_is_removed_at_the_next_start() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let orphan = dir.path().join("logs").join(Uuid::new_v4().to_string());
    std::fs::create_dir_all(orphan.join("0")).unwrap();
    drop(open(dir.path()));
    assert!(!orphan.exists());
}
