//! A log is written, read, reopened and damaged.

use super::*;
use flumen_wire::{
    BatchWriter, Batches, Compression,
    batch::{Marker, Producer},
};
use std::path::Path;

pub(super) const RULES: Rules = Rules {
    max_batch_bytes: 1 << 20,
    append_time: false,
    needs_keys: false,
    max_ahead_ms: i64::MAX,
    max_behind_ms: i64::MAX,
    segment_bytes: 2000,
    segment_ms: i64::MAX,
    flush_messages: u64::MAX,
    flush_ms: i64::MAX,
};

pub(super) fn settings() -> LogSettings {
    LogSettings { index_interval_bytes: 200, snapshot_interval_bytes: 5000, ..LogSettings::default() }
}

pub(super) fn open(folder: &Path) -> Log {
    Log::open(folder.to_path_buf(), settings()).unwrap()
}

fn batch(records: i64, timestamp: i64, producer: Producer) -> Vec<u8> {
    let mut writer = BatchWriter::default();
    for i in 0..records {
        writer.push(timestamp + i, Some(b"key"), Some(&[b'v'; 20]), &[]).unwrap();
    }
    writer.finish(Compression::None, producer).unwrap()
}

pub(super) fn plain(records: i64, timestamp: i64) -> Vec<u8> {
    batch(records, timestamp, Producer::PLAIN)
}

pub(super) fn sent(id: i64, sequence: i32, transactional: bool) -> Vec<u8> {
    batch(2, 5, Producer { id, epoch: 0, sequence, transactional })
}

fn fill(log: &mut Log, batches: i64) {
    for i in 0..batches {
        assert_eq!(log.append(&plain(3, i * 100), &RULES, 1).unwrap().base_offset, i * 3);
    }
}

/// All offsets from `offset` on, fetched in steps.
pub(super) fn offsets(log: &Log, mut offset: i64, until: i64, max: usize) -> Vec<i64> {
    let mut seen = Vec::new();
    while let Some(plan) = log.plan_read(offset, until) {
        let (bytes, next) = plan.read(max, true).unwrap();
        if bytes.is_empty() {
            offset = plan.next_segment().unwrap();
            continue;
        }
        for b in Batches(&bytes) {
            let b = b.unwrap();
            b.check_crc().unwrap();
            seen.extend(b.records(&mut Vec::new(), 1 << 20).unwrap().map(|r| r.unwrap().offset));
        }
        offset = next;
    }
    seen
}

#[test]
fn every_offset_is_read_whatever_the_size_of_a_fetch() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    fill(&mut log, 100);
    assert!(log.segments.len() > 5);
    for max in [0, 100, 500, 100_000] {
        assert_eq!(offsets(&log, 0, i64::MAX, max), (0..300).collect::<Vec<_>>(), "max {max}");
    }
    assert_eq!(offsets(&log, 151, 200, 1), (150..201).collect::<Vec<_>>(), "whole batches that begin before the bound");
    let (nothing, next) = log.plan_read(5, i64::MAX).unwrap().read(10, false).unwrap();
    assert!(nothing.is_empty() && next == 5);
    assert!(log.plan_read(300, i64::MAX).is_none());
}

#[test]
fn a_large_batch_is_read_whole() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    log.append(&plain(2000, 1), &RULES, 1).unwrap();
    log.append(&plain(2000, 1), &RULES, 1).unwrap();
    assert_eq!(offsets(&log, 0, i64::MAX, 10).len(), 4000);
    assert_eq!(offsets(&log, 3999, i64::MAX, 10), (2000..4000).collect::<Vec<_>>());
}

#[test]
fn reopening_finds_everything_with_and_without_a_clean_close() {
    for clean in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let mut log = open(dir.path());
        fill(&mut log, 100);
        log.append(&sent(7, 0, true), &RULES, 1).unwrap();
        log.append(&sent(8, 0, true), &RULES, 1).unwrap();
        log.append_marker(Marker::Abort, 7, 0, 1).unwrap();
        if clean {
            log.close();
        }
        let (end, producers) = (log.end(), log.producers.clone());
        drop(log);
        let mut log = open(dir.path());
        assert_eq!((log.end(), log.stable_end(), log.start()), (end, 302, 0));
        assert_eq!(log.aborted_between(0, end), producers.aborted_between(0, end));
        assert!(log.has_open(8) && !log.has_open(7));
        assert_eq!(offsets(&log, 0, i64::MAX, 1000).len(), 305);
        assert_eq!(log.append(&sent(8, 2, true), &RULES, 1).unwrap().base_offset, end);
        assert!(matches!(log.append(&sent(8, 9, true), &RULES, 1), Err(AppendError::Producer(Refusal::OutOfOrder { .. }))));
    }
}

#[test]
fn without_snapshot_and_index_all_is_found_by_reading() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    fill(&mut log, 100);
    log.close();
    drop(log);
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "log") {
            std::fs::remove_file(path).unwrap();
        }
    }
    let log = open(dir.path());
    assert_eq!(offsets(&log, 0, i64::MAX, 1000), (0..300).collect::<Vec<_>>());
    assert_eq!(log.offset_for_time(5001).unwrap(), Some(TimeOffset { offset: 151, timestamp: 5001 }));
}

#[test]
fn a_damaged_index_costs_no_data() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = Log::open(dir.path().to_path_buf(), settings()).unwrap();
    let rules = Rules { segment_bytes: 1 << 20, ..RULES };
    for i in 0..500 {
        log.append(&plain(3, i * 100), &rules, 1).unwrap();
    }
    log.close();
    let path = log.segments[0].path().with_extension("index");
    let mut bytes = std::fs::read(&path).unwrap();
    assert!(bytes.len() > 2400);
    for (i, byte) in bytes.iter_mut().enumerate() {
        if i % 24 > 12 {
            *byte = byte.wrapping_add(3);
        }
    }
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(offsets(&open(dir.path()), 900, i64::MAX, 1000), (900..1500).collect::<Vec<_>>());
}

#[test]
fn a_tail_cut_or_flipped_anywhere_leaves_a_sound_prefix() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = Log::open(dir.path().to_path_buf(), LogSettings { snapshot_interval_bytes: u64::MAX, ..settings() }).unwrap();
    let rules = Rules { segment_bytes: u64::MAX, ..RULES };
    for i in 0..4 {
        log.append(&plain(2, i), &rules, 1).unwrap();
    }
    let path = log.segments[0].path().to_path_buf();
    drop(log);
    let whole = std::fs::read(&path).unwrap();
    let two = whole.len() / 2;
    let check = |bytes: &[u8], what: &str| {
        std::fs::write(&path, bytes).unwrap();
        let mut log = open(dir.path());
        let end = log.end();
        assert!((4..=8).contains(&end) && end % 2 == 0, "{what}: end {end}");
        assert_eq!(offsets(&log, 0, i64::MAX, 1 << 20), (0..end).collect::<Vec<_>>(), "{what}");
        assert_eq!(log.append(&plain(1, 1), &rules, 1).unwrap().base_offset, end, "{what}");
        assert_eq!(offsets(&log, 0, i64::MAX, 1 << 20), (0..=end).collect::<Vec<_>>(), "{what}");
        end
    };
    for cut in two..whole.len() {
        assert!(check(&whole[..cut], &format!("cut at {cut}")) < 8);
    }
    for flip in two..whole.len() {
        let mut bytes = whole.clone();
        bytes[flip] ^= 0x55;
        check(&bytes, &format!("flipped {flip}"));
    }
}

#[test]
fn duplicates_are_answered_with_their_old_place() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    log.append(&sent(1, 0, false), &RULES, 1).unwrap();
    log.append(&sent(1, 2, false), &RULES, 1).unwrap();
    assert_eq!(log.append(&sent(1, 0, false), &RULES, 1).unwrap().base_offset, 0);
    assert_eq!(log.end(), 4);
}

#[test]
fn offsets_are_found_by_time() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    assert_eq!(log.latest_by_time().unwrap(), None);
    fill(&mut log, 100);
    let at = |timestamp| log.offset_for_time(timestamp).unwrap().map(|t| (t.offset, t.timestamp));
    assert_eq!(at(0), Some((0, 0)));
    assert_eq!(at(4200), Some((126, 4200)));
    assert_eq!(at(4203), Some((129, 4300)));
    assert_eq!(at(9903), None);
    assert_eq!(log.latest_by_time().unwrap(), Some(TimeOffset { offset: 299, timestamp: 9902 }));
}

#[test]
fn deleted_records_stay_deleted_and_offsets_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    fill(&mut log, 100);
    let before = log.segments.len();
    log.delete_before(250).unwrap();
    assert!(log.segments.len() < before);
    assert_eq!(log.offset_for_time(0).unwrap().unwrap().offset, 250);
    drop(log);
    let mut log = open(dir.path());
    assert_eq!((log.start(), log.end()), (250, 300));
    log.delete_before(300).unwrap();
    drop(log);
    let mut log = open(dir.path());
    assert_eq!((log.start(), log.end()), (300, 300));
    assert_eq!(log.append(&plain(1, 1), &RULES, 1).unwrap().base_offset, 300);
}

#[test]
fn retention_removes_old_segments_only() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    fill(&mut log, 100);
    log.retain(10_000, -1, -1).unwrap();
    assert_eq!(log.start(), 0);
    log.retain(10_000, 5000, -1).unwrap();
    let start = log.start();
    assert!(start > 100 && start < 150, "{start}");
    log.retain(10_000, -1, 3000).unwrap();
    assert!(log.size() >= 3000 && log.size() < 5100, "{}", log.size());
    log.retain(10_000, 0, 0).unwrap();
    assert_eq!(log.segments.len(), 1);
    assert!(log.start() < 300, "the last segment was written just now, whatever the timestamps say");
    log.retain(i64::MAX, 0, -1).unwrap();
    assert_eq!((log.start(), log.end(), log.size()), (300, 300, 0));
    assert_eq!(log.append(&plain(1, 1), &RULES, 1).unwrap().base_offset, 300);
}

#[test]
fn rules_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    let small = Rules { max_batch_bytes: 100, ..RULES };
    assert!(matches!(log.append(&plain(9, 1), &small, 1), Err(AppendError::TooLarge { .. })));
    let mut damaged = plain(1, 1);
    *damaged.last_mut().unwrap() ^= 1;
    assert!(matches!(log.append(&damaged, &RULES, 1), Err(AppendError::Batch(_))));
    let two = [plain(1, 1), plain(1, 1)].concat();
    assert!(matches!(log.append(&two, &RULES, 1), Err(AppendError::Invalid(_))));
    let mut keyless = BatchWriter::default();
    keyless.push(1, None, Some(b"v"), &[]).unwrap();
    let keyless = keyless.finish(Compression::Lz4, Producer::PLAIN).unwrap();
    assert!(matches!(log.append(&keyless, &Rules { needs_keys: true, ..RULES }, 1), Err(AppendError::Invalid(_))));
    let ahead = Rules { max_ahead_ms: 1000, ..RULES };
    assert!(matches!(log.append(&plain(1, 5000), &ahead, 1), Err(AppendError::Timestamp { timestamp: 5000 })));
    let behind = Rules { max_behind_ms: 1000, ..RULES };
    assert!(matches!(log.append(&plain(1, 5000), &behind, 9000), Err(AppendError::Timestamp { .. })));
    let control = flumen_wire::batch::control_batch(Marker::Commit, 1, 0, 1).unwrap();
    assert!(matches!(log.append(&control, &RULES, 1), Err(AppendError::Invalid(_))));
    assert_eq!(log.end(), 0);
    let stamped = log.append(&plain(2, 5), &Rules { append_time: true, ..RULES }, 777).unwrap();
    assert_eq!(stamped.append_time, Some(777));
    assert_eq!(log.offset_for_time(777).unwrap(), Some(TimeOffset { offset: 0, timestamp: 777 }));
}

#[test]
fn readers_hold_a_plan_over_the_removal_of_the_segment() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    fill(&mut log, 100);
    let plan = log.plan_read(0, i64::MAX).unwrap();
    log.delete_before(290).unwrap();
    assert!(!plan.read(1000, true).unwrap().0.is_empty());
}

#[test]
fn a_snapshot_knows_the_batch_that_made_it_due() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    // Whatever batch or marker happens to make a snapshot due, a start without a clean end finds the same producers.
    for i in 0..200 {
        log.append(&sent(7, i * 2, true), &RULES, 1).unwrap();
        assert!(open(dir.path()).has_open(7), "batch {i}");
        log.append_marker(Marker::Commit, 7, 0, 1).unwrap();
        assert!(!open(dir.path()).has_open(7), "marker {i}");
    }
}

#[test]
fn what_is_forced_to_the_disk_is_counted_over_segments() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    let rules = Rules { flush_messages: 10, flush_ms: 1000, segment_bytes: 300, ..RULES };
    for i in 0..3 {
        log.append(&plain(3, i), &rules, 5).unwrap();
        assert_eq!(log.unflushed.first_offset(), Some(0));
    }
    assert!(log.segments.len() > 1);
    log.append(&plain(3, 4), &rules, 5).unwrap();
    assert_eq!(log.unflushed.first_offset(), None, "ten records");
    log.append(&plain(1, 4), &rules, 5).unwrap();
    log.flush_overdue(1000, 1004).unwrap();
    assert_eq!(log.unflushed.first_offset(), Some(12));
    log.flush_overdue(1000, 1005).unwrap();
    assert_eq!(log.unflushed.first_offset(), None);
    let always = LogSettings { fsync: crate::config::Fsync::Always, ..settings() };
    let mut log = Log::open(dir.path().join("always"), always).unwrap();
    fill(&mut log, 20);
    assert_eq!(log.unflushed.first_offset(), None);
    assert_eq!(offsets(&log, 0, i64::MAX, 1000).len(), 60);
}

#[test]
fn after_a_loss_of_power_the_snapshot_is_not_believed() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    fill(&mut log, 100);
    log.close();
    let damaged = log.segments[2].path().to_path_buf();
    let expected = log.segments[2].base_offset();
    drop(log);
    let mut bytes = std::fs::read(&damaged).unwrap();
    // The file has its length, but its blocks never came to the disk.
    bytes.fill(0);
    std::fs::write(&damaged, bytes).unwrap();
    assert_eq!(open(dir.path()).end(), 300, "a crash of the process damages no file");
    let log = Log::open(dir.path().to_path_buf(), LogSettings { power_lost: true, ..settings() }).unwrap();
    assert_eq!(log.end(), expected);
    assert_eq!(offsets(&log, 0, i64::MAX, 1000), (0..expected).collect::<Vec<_>>());
}

#[test]
fn the_latest_timestamp_is_that_of_a_record_not_of_a_marker() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    log.append(&sent(7, 0, true), &RULES, 1).unwrap();
    log.append_marker(Marker::Commit, 7, 0, 99_999).unwrap();
    for _ in 0..2 {
        assert_eq!(log.latest_by_time().unwrap(), Some(TimeOffset { offset: 1, timestamp: 6 }));
        drop(log);
        let _ = std::fs::remove_file(dir.path().join("snapshot"));
        log = open(dir.path());
    }
}

#[test]
fn what_a_failed_write_left_behind_a_sealed_segment_hides_nothing() {
    for rolled_over_it in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let mut log = open(dir.path());
        fill(&mut log, 2);
        let junk = |log: &Log| {
            let segment = log.segments.first().unwrap();
            segment.write_at(&[7; 500], segment.size()).unwrap();
        };
        if rolled_over_it {
            junk(&log);
        }
        log.roll().unwrap();
        if !rolled_over_it {
            junk(&log);
        }
        log.append(&plain(3, 1), &RULES, 1).unwrap();
        drop(log);
        for _ in 0..2 {
            let log = open(dir.path());
            assert_eq!((log.end(), offsets(&log, 0, i64::MAX, 1000)), (9, (0..9).collect()));
        }
    }
}

#[test]
fn a_snapshot_that_did_not_fit_is_never_believed_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    fill(&mut log, 4);
    log.close();
    let file = log.segments.first().unwrap().file().clone();
    file.set_len(log.size() - 10).unwrap();
    drop(log);
    let mut log = Log::open(dir.path().to_path_buf(), LogSettings { power_lost: true, ..settings() }).unwrap();
    assert_eq!(log.end(), 9);
    // Longer than what was lost: the place the snapshot speaks of lies within this batch.
    log.append(&plain(10, 1), &RULES, 1).unwrap();
    drop(log);
    let log = open(dir.path());
    assert_eq!((log.end(), offsets(&log, 0, i64::MAX, 1000)), (19, (0..19).collect()));
}

#[test]
fn a_log_goes_on_behind_a_start_that_outlived_its_records() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path());
    fill(&mut log, 4);
    log.delete_before(12).unwrap();
    log.segments.first().unwrap().file().set_len(300).unwrap();
    drop(log);
    for i in 0..3 {
        let mut log = Log::open(dir.path().to_path_buf(), LogSettings { power_lost: true, ..settings() }).unwrap();
        assert_eq!((log.start(), log.end()), (12, 12 + i));
        assert_eq!(offsets(&log, 12, i64::MAX, 1000), (12..12 + i).collect::<Vec<_>>());
        log.append(&plain(1, 1), &RULES, 1).unwrap();
    }
}
