//! Groups with a clock moved by hand.

use super::*;
use bytes::Bytes;
use std::time::Duration;

const SETTINGS: GroupSettings = GroupSettings {
    initial_rebalance_delay: Duration::from_millis(100),
    min_session_timeout: Duration::from_millis(1),
    max_session_timeout: Duration::from_secs(100),
    max_offset_metadata: 100,
    offsets_retention: Duration::from_secs(100),
};

struct Bench {
    group: Group,
    now: Instant,
}

impl Bench {
    fn new() -> Self {
        Self { group: Group::default(), now: Instant::now() }
    }

    fn join(&mut self, member: &str, instance: Option<&str>, metadata: &'static [u8]) -> Answer<Joined> {
        let request = JoinRequest {
            identity: Identity { member: member.into(), instance: instance.map(Into::into) },
            client_id: "client".into(),
            client_host: "/127.0.0.1".into(),
            session: Duration::from_secs(10),
            rebalance: Duration::from_secs(60),
            protocol_type: "consumer".into(),
            protocols: vec![("range".into(), Bytes::from_static(metadata)), ("sticky".into(), Bytes::new())],
            takes_id_first: instance.is_none(),
            can_skip_assignment: false,
        };
        self.group.join(request, &SETTINGS, self.now)
    }

    /// The id a new dynamic member is given first.
    fn id(&mut self) -> String {
        match self.join("", None, b"") {
            Answer::Now(Joined { error: Some(ResponseError::MemberIdRequired), member, .. }) => member,
            other => panic!("{other:?}"),
        }
    }

    fn pass(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
        self.group.tick(self.now);
    }

    fn sync(&mut self, joined: &Joined, assignments: Vec<(String, Bytes)>) -> Answer<Synced> {
        let request = SyncRequest {
            identity: Identity { member: joined.member.clone(), instance: None },
            generation: joined.generation,
            protocol_type: None,
            protocol: None,
            assignments,
        };
        self.group.sync(request, self.now)
    }

    fn beat(&mut self, joined: &Joined) -> Result<(), ResponseError> {
        let identity = Identity { member: joined.member.clone(), instance: None };
        self.group.heartbeat(&identity, joined.generation, self.now)
    }
}

fn later<T>(answer: Answer<T>) -> oneshot::Receiver<T> {
    match answer {
        Answer::Later(receiver) => receiver,
        Answer::Now(_) => panic!("answered at once"),
    }
}

fn got<T>(receiver: &mut oneshot::Receiver<T>) -> T {
    receiver.try_recv().expect("an answer")
}

/// Two members in a stable group: leader, follower.
fn two(bench: &mut Bench) -> (Joined, Joined) {
    let (a, b) = (bench.id(), bench.id());
    let mut first = later(bench.join(&a, None, b"a"));
    let mut second = later(bench.join(&b, None, b"b"));
    bench.pass(100);
    let (first, second) = (got(&mut first), got(&mut second));
    let (leader, follower) = if first.member == first.leader { (first, second) } else { (second, first) };
    let mut waiting = later(bench.sync(&follower, vec![]));
    let assignments = vec![(leader.member.clone(), Bytes::from_static(b"L")), (follower.member.clone(), Bytes::from_static(b"F"))];
    let mut own = later(bench.sync(&leader, assignments));
    assert_eq!((got(&mut waiting).assignment, got(&mut own).assignment), (Bytes::from_static(b"F"), Bytes::from_static(b"L")));
    assert_eq!(bench.group.state(), State::Stable);
    (leader, follower)
}

#[test]
fn members_join_sync_and_are_stable() {
    let mut bench = Bench::new();
    let (leader, follower) = two(&mut bench);
    assert_eq!((leader.generation, leader.protocol.as_str()), (1, "range"));
    assert_eq!((leader.members.len(), follower.members.len()), (2, 0));
    assert_eq!(bench.beat(&follower), Ok(()));
    let stranger = Joined { member: "x".into(), ..leader.clone() };
    assert_eq!(bench.beat(&stranger), Err(ResponseError::UnknownMemberId));
    let old = Joined { generation: 0, ..leader };
    assert_eq!(bench.beat(&old), Err(ResponseError::IllegalGeneration));
}

#[test]
fn an_id_nobody_gave_out_is_refused() {
    let mut bench = Bench::new();
    match bench.join("invented", None, b"") {
        Answer::Now(joined) => assert_eq!(joined.error, Some(ResponseError::UnknownMemberId)),
        Answer::Later(_) => panic!("taken"),
    }
}

#[test]
fn a_follower_that_asks_again_gets_the_current_generation_and_a_leader_starts_a_round() {
    let mut bench = Bench::new();
    let (leader, follower) = two(&mut bench);
    let (leader_meta, follower_meta): (&[u8], &[u8]) = (b"a", b"b");
    let by_id = |id: &str| leader.members.iter().find(|m| m.id == id).unwrap().metadata.clone();
    let meta = |id: &str| if by_id(id) == Bytes::from_static(b"a") { leader_meta } else { follower_meta };
    match bench.join(&follower.member, None, if meta(&follower.member) == b"a" { b"a" } else { b"b" }) {
        Answer::Now(joined) => assert_eq!((joined.error, joined.generation), (None, 1)),
        Answer::Later(_) => panic!("a round began"),
    }
    let _waiting = later(bench.join(&leader.member, None, if meta(&leader.member) == b"a" { b"a" } else { b"b" }));
    assert_eq!(bench.beat(&follower), Err(ResponseError::RebalanceInProgress));
}

#[test]
fn a_silent_member_is_removed_and_the_rest_goes_on() {
    let mut bench = Bench::new();
    let (leader, follower) = two(&mut bench);
    bench.pass(6000);
    assert_eq!(bench.beat(&leader), Ok(()));
    bench.pass(5000);
    assert_eq!(bench.beat(&leader), Err(ResponseError::RebalanceInProgress));
    let mut again = later(bench.join(&leader.member, None, b"a"));
    let joined = got(&mut again);
    assert_eq!((joined.error, joined.generation, joined.members.len()), (None, 2, 1));
    assert_eq!(bench.beat(&Joined { generation: 2, ..follower }), Err(ResponseError::UnknownMemberId));
}

#[test]
fn who_does_not_join_in_time_is_out() {
    let mut bench = Bench::new();
    let (leader, follower) = two(&mut bench);
    let mut waiting = later(bench.join(&leader.member, None, b"other"));
    for _ in 0..59 {
        bench.pass(1000);
        assert_eq!(bench.beat(&follower), Err(ResponseError::RebalanceInProgress));
    }
    bench.pass(1000);
    assert_eq!(got(&mut waiting).members.len(), 1);
}

#[test]
fn a_leader_that_never_assigns_is_out() {
    let mut bench = Bench::new();
    let (a, b) = (bench.id(), bench.id());
    let (mut first, mut second) = (later(bench.join(&a, None, b"")), later(bench.join(&b, None, b"")));
    bench.pass(100);
    let (first, second) = (got(&mut first), got(&mut second));
    let follower = if first.member == first.leader { second } else { first };
    let mut waiting = later(bench.sync(&follower, vec![]));
    bench.pass(60_000);
    assert_eq!(got(&mut waiting).error, Some(ResponseError::RebalanceInProgress));
    let mut again = later(bench.join(&follower.member, None, b""));
    bench.pass(0);
    assert_eq!(got(&mut again).leader, follower.member);
}

#[test]
fn a_static_member_comes_back_without_a_round_and_fences_its_earlier_self() {
    let mut bench = Bench::new();
    let mut first = later(bench.join("", Some("i1"), b"m"));
    bench.pass(100);
    let first = got(&mut first);
    let assignments = vec![(first.member.clone(), Bytes::from_static(b"all"))];
    let identity = Identity { member: first.member.clone(), instance: Some("i1".into()) };
    let sync = SyncRequest { identity: identity.clone(), generation: 1, protocol_type: None, protocol: None, assignments };
    later(bench.group.sync(sync, bench.now));
    let second = match bench.join("", Some("i1"), b"m") {
        Answer::Now(joined) => joined,
        Answer::Later(_) => panic!("a round began"),
    };
    assert_eq!((second.error, second.generation), (None, 1));
    assert_ne!(second.leader, second.member, "it must not believe to be leader");
    assert_eq!(bench.group.heartbeat(&identity, 1, bench.now), Err(ResponseError::FencedInstanceId));
    let again = Identity { member: second.member, instance: Some("i1".into()) };
    let sync = SyncRequest { identity: again, generation: 1, protocol_type: None, protocol: None, assignments: vec![] };
    match bench.group.sync(sync, bench.now) {
        Answer::Now(synced) => assert_eq!(synced.assignment, Bytes::from_static(b"all")),
        Answer::Later(_) => panic!("no assignment"),
    }
    let by_instance = Identity { member: String::new(), instance: Some("i1".into()) };
    assert!(bench.group.leave(&by_instance, bench.now).is_ok());
    assert!(bench.group.is_unused());
}

#[test]
fn leaving_starts_a_round_and_the_last_one_leaves_an_empty_group() {
    let mut bench = Bench::new();
    let (leader, follower) = two(&mut bench);
    let identity = |joined: &Joined| Identity { member: joined.member.clone(), instance: None };
    bench.group.leave(&identity(&follower), bench.now).unwrap();
    assert_eq!(bench.beat(&leader), Err(ResponseError::RebalanceInProgress));
    assert_eq!(bench.group.leave(&identity(&follower), bench.now), Err(ResponseError::UnknownMemberId));
    bench.group.leave(&identity(&leader), bench.now).unwrap();
    assert_eq!(bench.group.state(), State::Empty);
}

#[test]
fn members_without_a_common_assignor_are_refused() {
    let mut bench = Bench::new();
    two(&mut bench);
    let id = bench.id();
    let request = JoinRequest {
        identity: Identity { member: id, instance: None },
        client_id: String::new(),
        client_host: String::new(),
        session: Duration::from_secs(10),
        rebalance: Duration::from_secs(60),
        protocol_type: "consumer".into(),
        protocols: vec![("roundrobin".into(), Bytes::new())],
        takes_id_first: true,
        can_skip_assignment: true,
    };
    match bench.group.join(request, &SETTINGS, bench.now) {
        Answer::Now(joined) => assert_eq!(joined.error, Some(ResponseError::InconsistentGroupProtocol)),
        Answer::Later(_) => panic!("taken"),
    }
}

#[test]
fn commits_are_checked_against_the_generation() {
    let mut bench = Bench::new();
    let nobody = Committer { identity: Identity::default(), generation: -1 };
    assert_eq!(bench.group.check_commit(&nobody, false, bench.now), Ok(()));
    let (leader, _) = two(&mut bench);
    let who = |generation| Committer { identity: Identity { member: leader.member.clone(), instance: None }, generation };
    assert_eq!(bench.group.check_commit(&who(1), false, bench.now), Ok(()));
    assert_eq!(bench.group.check_commit(&who(0), true, bench.now), Err(ResponseError::IllegalGeneration));
    assert_eq!(bench.group.check_commit(&nobody, false, bench.now), Err(ResponseError::UnknownMemberId));
    assert_eq!(bench.group.check_commit(&nobody, true, bench.now), Ok(()));
}

#[test]
fn offsets_survive_reopening_and_pending_ones_are_unstable() {
    let dir = tempfile::tempdir().unwrap();
    let open = || Groups::open(&DataDir::open(dir.path(), crate::config::Fsync::System).unwrap(), SETTINGS).unwrap();
    let key = |topic: &str| OffsetKey { group: "g".into(), topic: topic.into(), partition: 0 };
    let at = |offset| Committed { offset, leader_epoch: -1, metadata: "m".into(), at: 0 };
    let nobody = Committer { identity: Identity::default(), generation: -1 };
    let groups = open();
    groups.commit("g", &nobody, vec![(key("a"), at(5)), (key("b"), at(6))], Instant::now()).unwrap();
    groups.commit_pending("g", &nobody, 7, &[key("a")], Instant::now()).unwrap();
    assert_eq!(groups.committed(&key("a"), true), Err(ResponseError::UnstableOffsetCommit));
    assert_eq!(groups.committed(&key("a"), false), Ok(Some(at(5))));
    groups.end_pending(7, vec![(key("a"), at(9))]).unwrap();
    assert_eq!(groups.committed(&key("a"), true), Ok(Some(at(9))));
    groups.forget_topic("b").unwrap();
    drop(groups);
    let groups = open();
    assert_eq!(groups.committed_keys("g"), [key("a")]);
    assert_eq!(groups.list(), [("g".to_string(), String::new(), State::Empty)]);
    groups.delete("g").unwrap();
    assert_eq!(groups.delete("g"), Err(ResponseError::GroupIdNotFound));
}

#[test]
fn offsets_of_groups_long_without_members_go() {
    let dir = tempfile::tempdir().unwrap();
    let groups = Groups::open(&DataDir::open(dir.path(), crate::config::Fsync::System).unwrap(), SETTINGS).unwrap();
    let nobody = Committer { identity: Identity { member: String::new(), instance: None }, generation: -1 };
    let key = |group: &str| OffsetKey { group: group.into(), topic: "t".into(), partition: 0 };
    let commit = |group: &str, at: i64| {
        let committed = Committed { offset: 1, leader_epoch: -1, metadata: String::new(), at };
        groups.commit(group, &nobody, vec![(key(group), committed)], Instant::now()).unwrap();
    };
    let has = |group: &str| groups.committed(&key(group), false).unwrap().is_some();
    commit("old", 0);
    commit("used", 0);
    commit("pending", 0);
    groups.restore_pending(1, &[key("pending")]);
    groups.expire(1_000_000).unwrap();
    assert!(has("old") && has("used"), "they may have had members until the start");
    groups.inner.lock().groups.insert("used".into(), {
        let mut group = Bench::new();
        let _ = two(&mut group);
        group.group
    });
    commit("new", 1_100_002);
    groups.expire(1_100_001).unwrap();
    assert!(!has("old") && has("used") && has("new") && has("pending"));
    groups.inner.lock().groups.clear();
    groups.expire(1_200_001).unwrap();
    assert!(has("used"), "its members left just now");
    groups.expire(1_200_002).unwrap();
    assert!(!has("used") && has("new"));
    groups.expire(1_200_003).unwrap();
    assert!(!has("new"));
}

#[test]
fn a_group_takes_so_many_clients_and_no_more() {
    let mut bench = Bench::new();
    let first = bench.id();
    for _ in 1..join::MOST_MEMBERS {
        bench.id();
    }
    let full = |answer| matches!(answer, Answer::Now(Joined { error: Some(ResponseError::GroupMaxSizeReached), .. }));
    assert!(full(bench.join("", None, b"")) && full(bench.join("", Some("static"), b"")));
    assert!(matches!(bench.join(&first, None, b""), Answer::Later(_)), "who was given an id may come");
    // Those who do not come back are forgotten.
    bench.pass(10_001);
    bench.id();
}
