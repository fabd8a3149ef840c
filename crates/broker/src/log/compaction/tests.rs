//! Logs are compacted: what must stay stays, what must go goes, whatever happens meanwhile.

use super::*;
use crate::log::{
    Rules,
    tests::{self, open},
};
use flumen_wire::{
    BatchWriter, Batches, Compression,
    batch::{Marker, Producer},
};
use parking_lot::Mutex;
use std::{collections::BTreeMap, path::Path, sync::atomic::AtomicBool};

const RULES: Rules = Rules { segment_bytes: 600, ..tests::RULES };

const AT_ONCE: CompactionRules =
    CompactionRules { min_dirty_ratio: 0.0, min_lag_ms: 0, max_lag_ms: i64::MAX, delete_retention_ms: 1000, segment_bytes: 2000 };

static GO_ON: AtomicBool = AtomicBool::new(false);

fn batch(records: &[(&str, Option<&str>)], timestamp: i64, compression: Compression, producer: Producer) -> Vec<u8> {
    let mut writer = BatchWriter::default();
    for (key, value) in records {
        writer.push(timestamp, Some(key.as_bytes()), value.map(str::as_bytes), &[4, 2, b'h', 2, b'1', 2, b'h', 1]).unwrap();
    }
    writer.finish(compression, producer).unwrap()
}

fn put(log: &mut Log, records: &[(&str, Option<&str>)], now: i64) {
    log.append(&batch(records, now, Compression::None, Producer::PLAIN), &RULES, now).unwrap();
}

fn compact_now(log: Log, rules: &CompactionRules, now: i64) -> (Log, bool) {
    let log = Mutex::new(log);
    let done = compact(|| log.lock(), rules, &mut Pace::new(0, &GO_ON), || now).unwrap();
    (log.into_inner(), done)
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    offset: i64,
    key: String,
    value: Option<String>,
}

/// The records a reader gets from `offset` on; with `committed` as a read_committed consumer sees them.
fn read(log: &Log, mut offset: i64, committed: bool) -> Vec<Seen> {
    let mut seen = Vec::new();
    let until = if committed { log.stable_end() } else { log.end() };
    while let Some(plan) = log.plan_read(offset, until) {
        let (bytes, next) = plan.read(700, true).unwrap();
        if bytes.is_empty() {
            match plan.next_segment() {
                Some(next) => offset = next,
                // All before the open transaction is gone: a reader waits for its end.
                None if committed => break,
                None => panic!("the end cannot be reached from {offset}"),
            }
            continue;
        }
        let mut aborted = log.aborted_between(offset, next);
        for b in Batches(&bytes) {
            let b = b.unwrap();
            b.check_crc().unwrap();
            let header = b.header;
            if header.attributes.is_control() {
                if b.marker().unwrap() == Some(Marker::Abort)
                    && let Some(at) =
                        aborted.iter().position(|a| a.producer_id == header.producer_id && a.first_offset <= header.base_offset)
                {
                    aborted.remove(at);
                }
                continue;
            }
            let hidden = header.attributes.is_transactional()
                && aborted.iter().any(|a| a.producer_id == header.producer_id && a.first_offset <= header.base_offset);
            if committed && hidden {
                continue;
            }
            for record in b.records(&mut Vec::new(), 1 << 20).unwrap() {
                let record = record.unwrap();
                assert_eq!(record.headers, [4, 2, b'h', 2, b'1', 2, b'h', 1]);
                let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
                seen.push(Seen { offset: record.offset, key: text(record.key.unwrap()), value: record.value.map(text) });
            }
        }
        offset = next;
    }
    seen
}

fn table(seen: &[Seen]) -> BTreeMap<String, String> {
    let mut table = BTreeMap::new();
    for s in seen {
        match &s.value {
            Some(value) => table.insert(s.key.clone(), value.clone()),
            None => table.remove(&s.key),
        };
    }
    table
}

#[test]
fn the_latest_of_each_key_stays_in_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    for i in 0..200 {
        put(&mut log, &[(&format!("k{}", i % 10), Some(&format!("v{i}"))), ("always", Some(&format!("v{i}")))], i);
    }
    let (before, end, segments) = (read(&log, 0, true), log.end(), log.segments.len());
    let (log, done) = compact_now(log, &AT_ONCE, 1000);
    assert!(done && log.end() == end && log.start() == 0);
    assert!(log.segments.len() < segments / 2, "small segments are merged: {} of {segments}", log.segments.len());
    let after = read(&log, 0, true);
    assert!(after.len() < 40, "{} records left", after.len());
    assert_eq!(table(&after), table(&before));
    assert!(after.iter().all(|s| before.contains(s)));
    for offset in 0..end {
        let from_here: Vec<_> = after.iter().filter(|s| s.offset >= offset).cloned().collect();
        let seen: Vec<_> = read(&log, offset, true).into_iter().filter(|s| s.offset >= offset).collect();
        assert_eq!(seen, from_here, "from {offset}");
        let by_time = log.offset_for_time(offset / 2).unwrap().map(|t| t.offset);
        assert_eq!(by_time, after.iter().map(|s| s.offset).find(|o| *o / 2 >= offset / 2), "time {}", offset / 2);
    }
    let (log, again) = compact_now(log, &AT_ONCE, 1000);
    assert!(!again, "nothing is new");
    drop(log);
    assert_eq!(read(&open(dir.path()), 0, true), after);
    std::fs::remove_file(dir.path().join("snapshot")).unwrap();
    let log = open(dir.path());
    assert_eq!((read(&log, 0, true), log.end()), (after, end));
}

#[test]
fn compressed_batches_keep_their_codec() {
    for codec in [Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd] {
        let dir = tempfile::tempdir().unwrap();
        let mut log = open(dir.path());
        for i in 0..60 {
            let key = format!("k{i}");
            let records = [(key.as_str(), Some("x")), ("same", Some("y"))];
            log.append(&batch(&records, 1, codec, Producer::PLAIN), &RULES, 1).unwrap();
        }
        let expected = table(&read(&log, 0, true));
        let (log, _) = compact_now(log, &AT_ONCE, 1);
        assert_eq!(table(&read(&log, 0, true)), expected);
        let (bytes, _) = log.plan_read(0, i64::MAX).unwrap().read(1 << 20, true).unwrap();
        let header = Batches(&bytes).next().unwrap().unwrap().header;
        assert_eq!((header.attributes.compression().unwrap(), header.count), (codec, 1));
    }
}

#[test]
fn tombstones_stay_until_everyone_could_see_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    put(&mut log, &[("gone", Some("1"))], 0);
    put(&mut log, &[("gone", None)], 0);
    let pad = "p".repeat(700);
    put(&mut log, &[("pad", Some(&pad))], 0);
    put(&mut log, &[("pad", Some(&pad))], 0);
    let tombstones = |log: &Log| read(log, 0, true).iter().filter(|s| s.key == "gone").map(|s| s.value.clone()).collect::<Vec<_>>();
    let (mut log, done) = compact_now(log, &AT_ONCE, 5000);
    assert!(done);
    assert_eq!(tombstones(&log), [None], "the record is gone, the tombstone is there");
    put(&mut log, &[("pad", Some(&pad))], 0);
    let (mut log, done) = compact_now(log, &AT_ONCE, 5999);
    assert!(done);
    assert_eq!(tombstones(&log), [None], "delete.retention.ms has not passed");
    put(&mut log, &[("pad", Some(&pad))], 0);
    let (log, _) = compact_now(log, &AT_ONCE, 6000);
    assert_eq!(tombstones(&log), []);
    drop(log);
    assert_eq!(tombstones(&open(dir.path())), []);
}

#[test]
fn lag_and_ratio_decide_when() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    for i in 0..100 {
        put(&mut log, &[("k", Some("some value"))], i * 10);
    }
    let (log, done) = compact_now(log, &CompactionRules { min_lag_ms: 10_000, ..AT_ONCE }, 5000);
    assert!(!done, "all records are too young");
    let (log, done) = compact_now(log, &CompactionRules { min_lag_ms: 4500, ..AT_ONCE }, 5000);
    assert!(done);
    let left = read(&log, 0, true).len();
    assert!((51..60).contains(&left), "the young half stays: {left}");
    let (mut log, _) = compact_now(log, &AT_ONCE, 5000);
    for _ in 0..20 {
        put(&mut log, &[("x", Some(&"x".repeat(100)))], 5000);
    }
    let (mut log, done) = compact_now(log, &CompactionRules { min_dirty_ratio: 1.0, ..AT_ONCE }, 5000);
    assert!(!done, "a part of the log is clean");
    put(&mut log, &[("x", Some("last"))], 5000);
    let (log, done) = compact_now(log, &CompactionRules { min_dirty_ratio: 1.0, max_lag_ms: 50, ..AT_ONCE }, 5051);
    assert!(done, "a record has waited too long");
    assert_eq!(log.segments.last().unwrap().size(), 0, "and the last segment was closed for that");
}

#[test]
fn aborted_records_go_and_markers_when_they_mark_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    let mut sequence = 0;
    let mut transaction = |log: &mut Log, key: &str, value: &str, marker: Marker| {
        let by = Producer { id: 7, epoch: 0, sequence, transactional: true };
        sequence += 1;
        log.append(&batch(&[(key, Some(value))], 1, Compression::None, by), &RULES, 1).unwrap();
        log.append_marker(marker, 7, 0, 1).unwrap();
    };
    for i in 0..20 {
        transaction(&mut log, "a", &format!("good {i}"), Marker::Commit);
        transaction(&mut log, "a", "bad", Marker::Abort);
        transaction(&mut log, "b", "bad", Marker::Abort);
    }
    let open_at = log.end();
    let by = Producer { id: 8, epoch: 0, sequence: 0, transactional: true };
    log.append(&batch(&[("a", Some("open"))], 1, Compression::None, by), &RULES, 1).unwrap();
    for _ in 0..20 {
        put(&mut log, &[("a", Some("later"))], 1);
    }
    let check = |log: &Log| {
        let seen = read(log, 0, true);
        assert_eq!(table(&seen), BTreeMap::from([("a".to_string(), "good 19".to_string())]));
        assert_eq!(log.stable_end(), open_at);
    };
    let (log, done) = compact_now(log, &AT_ONCE, 1000);
    assert!(done);
    check(&log);
    assert!(read(&log, 0, false).iter().filter(|s| s.offset < open_at).all(|s| s.value.as_deref() != Some("bad")));
    assert!(!log.aborted_between(0, open_at).is_empty(), "markers have not been seen long enough");
    let (mut log, _) = compact_now(log, &AT_ONCE, 1000);
    // The open transaction ends, so that there is something new to compact, long after.
    log.append_marker(Marker::Abort, 8, 0, 1).unwrap();
    for _ in 0..20 {
        put(&mut log, &[("z", Some("later"))], 1);
    }
    let (log, done) = compact_now(log, &AT_ONCE, 9000);
    assert!(done);
    assert_eq!(log.aborted_between(0, open_at), [], "with the markers the aborted transactions are forgotten");
    let seen = read(&log, 0, true);
    assert_eq!(table(&seen), BTreeMap::from([("a".into(), "later".into()), ("z".into(), "later".into())]));
    drop(log);
    std::fs::remove_file(dir.path().join("snapshot")).unwrap();
    assert_eq!(read(&open(dir.path()), 0, true), seen);
}

#[test]
fn too_many_keys_take_several_passes() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    for round in 0..3 {
        for i in 0..30 {
            put(&mut log, &[(&format!("k{i}"), Some(&format!("{round}")))], 1);
        }
    }
    let expected = table(&read(&log, 0, true));
    let mut work = log.plan_compaction(&AT_ONCE, 1).unwrap().unwrap();
    let whole = work.until;
    let latest = Latest::bounded(&mut work, &mut Pace::new(0, &GO_ON), 10).unwrap();
    assert_eq!(work.until, 10, "the work ends before the batch that was too much");
    assert!(!latest.supersedes(b"k3", 3) && whole > 60);
    let (log, _) = compact_now(log, &AT_ONCE, 1);
    assert_eq!(table(&read(&log, 0, true)), expected);
}

/// Copies a folder as it would be found after a crash.
fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn a_crash_at_any_step_of_a_swap_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let crashed = tempfile::tempdir().unwrap();
    let crashed = crashed.path().join("log");
    let mut log = open(dir.path());
    for i in 0..100 {
        put(&mut log, &[(&format!("k{}", i % 7), Some(&format!("v{i}")))], 1);
    }
    let (expected, end) = (table(&read(&log, 0, true)), log.end());
    let check = |step: &str| {
        copy(dir.path(), &crashed);
        let found = open(&crashed);
        assert_eq!((table(&read(&found, 0, true)), found.end()), (expected.clone(), end), "{step}");
        let left = std::fs::read_dir(&crashed).unwrap().filter(|e| e.as_ref().unwrap().path().extension().is_some_and(|e| e == "cleaned"));
        assert_eq!(left.count(), 0, "{step}");
        let (found, _) = compact_now(found, &AT_ONCE, 1);
        assert_eq!(table(&read(&found, 0, true)), expected, "{step}, compacted after");
        drop(found);
        assert_eq!(table(&read(&open(&crashed), 0, true)), expected, "{step}, compacted and opened after");
    };
    let mut pace = Pace::new(0, &GO_ON);
    let mut work = log.plan_compaction(&AT_ONCE, 1).unwrap().unwrap();
    let latest = Latest::read(&mut work, &mut pace).unwrap();
    log.allow_gaps(work.until).unwrap();
    let mut ended = work.ended.clone();
    let (mut rest, mut groups) = (work.sources.as_slice(), 0);
    while let Some(group) = next_group(rest, work.until, 2000) {
        rest = &rest[group.len()..];
        check("before rewriting");
        let rewritten = rewrite::rewrite(group, &work, &latest, &mut ended, dir.path(), 200, &mut pace).unwrap().unwrap();
        check("with a rewritten file beside");
        assert!(log.promise_swap(group, rewritten).unwrap());
        check("promised");
        for removed in group.iter().skip(1) {
            remove_segment(dir.path(), removed.base_offset);
            check("some sources removed");
        }
        log.finish_swap().unwrap();
        check("in place");
        groups += 1;
    }
    assert!(groups > 1);
    // A reader that began before goes on reading the old files.
    put(&mut log, &[("k1", Some("new"))], 1);
    assert_eq!(table(&read(&log, 0, true))["k1"], "new");
}

#[test]
fn records_deleted_meanwhile_do_not_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    for i in 0..100 {
        put(&mut log, &[(&format!("k{i}"), Some("v"))], 1);
    }
    let log = Mutex::new(log);
    let mut work = log.lock().plan_compaction(&AT_ONCE, 1).unwrap().unwrap();
    let mut pace = Pace::new(0, &GO_ON);
    let latest = Latest::read(&mut work, &mut pace).unwrap();
    let group = next_group(&work.sources, work.until, 2000).unwrap();
    let rewritten = rewrite::rewrite(group, &work, &latest, &mut work.ended.clone(), dir.path(), 200, &mut pace).unwrap().unwrap();
    log.lock().delete_before(60).unwrap();
    assert!(!log.lock().swap(group, rewritten).unwrap());
    let log = log.into_inner();
    assert_eq!(read(&log, 60, true).len(), 40);
    drop(log);
    let log = open(dir.path());
    assert_eq!((log.start(), read(&log, 60, true).len()), (60, 40));
}

/// Numbers that look random, the same ones every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

#[test]
fn whatever_happens_the_table_is_the_same() {
    for seed in 1..=5u64 {
        let dir = tempfile::tempdir().unwrap();
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut log = open(dir.path());
        let mut plain = BTreeMap::new();
        // Each producer's sequence and what its open transaction would change.
        let mut producers = [(0i32, Vec::<(String, Option<String>)>::new()), (0, Vec::new()), (0, Vec::new())];
        let mut now = 0;
        for step in 0..400 {
            now += 7;
            let key = format!("k{}", dice.roll(12));
            let value = (dice.roll(4) > 0).then(|| format!("v{step}"));
            let which = dice.roll(3) as usize;
            let (sequence, changes) = &mut producers[which];
            match dice.roll(20) {
                0 => {
                    let log_again = compact_now(log, &AT_ONCE, now).0;
                    log = log_again;
                }
                1 => {
                    if dice.roll(2) == 0 {
                        log.close();
                    }
                    drop(log);
                    if dice.roll(4) == 0 {
                        let _ = std::fs::remove_file(dir.path().join("snapshot"));
                    }
                    log = open(dir.path());
                }
                2..=6 if !changes.is_empty() => {
                    let commit = dice.roll(2) == 0;
                    log.append_marker(if commit { Marker::Commit } else { Marker::Abort }, which as i64, 0, now).unwrap();
                    for (key, value) in changes.drain(..).filter(|_| commit) {
                        plain.insert(key, value);
                    }
                }
                _ => {
                    // One key is written by one producer only, so that the order of commits does not matter.
                    let key = format!("{which}-{key}");
                    let by = Producer { id: which as i64, epoch: 0, sequence: *sequence, transactional: true };
                    let records = [(key.as_str(), value.as_deref())];
                    let sent = log.append(&batch(&records, now, Compression::Lz4, by), &RULES, now);
                    if sent.is_err() {
                        // Without a snapshot an older sequence may be what is known; a client would begin a new epoch.
                        continue;
                    }
                    *sequence += 1;
                    changes.push((key, value));
                }
            }
        }
        for (which, (_, changes)) in producers.iter_mut().enumerate().filter(|(_, (_, c))| !c.is_empty()) {
            log.append_marker(Marker::Commit, which as i64, 0, now).unwrap();
            plain.extend(changes.drain(..));
        }
        let expected: BTreeMap<String, String> = plain.into_iter().filter_map(|(k, v)| Some((k, v?))).collect();
        assert_eq!(table(&read(&log, log.start(), true)), expected, "seed {seed}");
        let (log, _) = compact_now(log, &AT_ONCE, now + 5000);
        assert_eq!(table(&read(&log, log.start(), true)), expected, "seed {seed}, compacted at the end");
    }
}
