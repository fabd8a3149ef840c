//! A log that forces every batch to the disk, cut off and flipped at every byte of its last batches: what lies before is there byte for byte,
//! nothing is made up, and the log goes on from there.

use super::{tests::*, *};
use crate::{chance::folder, config::Fsync};
use flumen_wire::{
    BatchHeader, BatchWriter, Compression,
    batch::{Marker, Producer},
};
use std::path::Path;

/// A power loss: no snapshot is believed.
const POWER: bool = true;
/// A crash of the process only.
const CRASH: bool = false;

fn always(power_lost: bool) -> LogSettings {
    // No snapshot comes between the last batches; that of the last roll lies before them.
    LogSettings { fsync: Fsync::Always, snapshot_interval_bytes: u64::MAX, power_lost, ..settings() }
}

fn reopen(folder: &Path, power_lost: bool) -> Log {
    Log::open(folder.to_path_buf(), always(power_lost)).unwrap()
}

fn packed(codec: Compression) -> Vec<u8> {
    let mut writer = BatchWriter::default();
    for i in 0..3 {
        writer.push(i, Some(b"key"), Some(&[b'v'; 50]), &[]).unwrap();
    }
    writer.finish(codec, Producer::PLAIN).unwrap()
}

/// What is known of a log beside its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    end: i64,
    stable_end: i64,
    open: Vec<(i64, i16)>,
    aborted: Vec<Aborted>,
    /// How producer 7 may go on: the sequence number expected next.
    expected: Option<i32>,
    latest: Option<TimeOffset>,
}

impl State {
    fn of(log: &Log) -> Self {
        let far = BatchHeader::parse(&sent(7, 1_000_000, true)).unwrap();
        let expected = match log.producers.check(&far) {
            Err(Refusal::OutOfOrder { expected, .. }) => Some(expected),
            _ => None,
        };
        Self {
            end: log.end(),
            stable_end: log.stable_end(),
            open: log.open_transactions(),
            aborted: log.aborted_between(0, i64::MAX),
            expected,
            latest: log.latest_by_time().unwrap(),
        }
    }
}

/// All bytes that can be read.
fn content(log: &Log) -> Vec<u8> {
    let (mut all, mut offset) = (Vec::new(), log.start());
    while let Some(plan) = log.plan_read(offset, i64::MAX) {
        let (bytes, next) = plan.read(1 << 20, true).unwrap();
        match plan.next_segment() {
            Some(base) if bytes.is_empty() => offset = base,
            _ => offset = next,
        }
        all.extend(bytes);
    }
    all
}

/// A log, what it was after each of the batches of its last segment, and where in its file each of these ends.
struct Written {
    folder: tempfile::TempDir,
    earlier: Vec<u8>,
    steps: Vec<(usize, State)>,
    bytes: Vec<u8>,
    name: PathBuf,
}

fn written() -> Written {
    let folder = folder();
    let mut log = reopen(folder.path(), CRASH);
    for i in 0..20 {
        log.append(&plain(3, i), &RULES, 1).unwrap();
    }
    log.append(&sent(7, 0, true), &RULES, 1).unwrap();
    log.roll().unwrap();
    let rules = Rules { segment_bytes: u64::MAX, ..RULES };
    let earlier = content(&log);
    let mut steps = vec![(0, State::of(&log))];
    let mut sequence = 2;
    for step in 0..9 {
        match step {
            0 | 4 => drop(log.append(&plain(2, 100 + step), &rules, 1).unwrap()),
            1 | 3 | 6 => {
                log.append(&sent(7, sequence, true), &rules, 1).unwrap();
                sequence += 2;
            }
            2 => drop(log.append_marker(Marker::Abort, 7, 0, 1).unwrap()),
            5 => drop(log.append_marker(Marker::Commit, 7, 0, 1).unwrap()),
            7 => drop(log.append(&packed(Compression::Lz4), &rules, 1).unwrap()),
            _ => drop(log.append(&packed(Compression::Zstd), &rules, 1).unwrap()),
        }
        let size = log.segments.last().unwrap().size();
        steps.push((usize::try_from(size).unwrap(), State::of(&log)));
        assert_eq!(log.unflushed.first_offset(), None, "all is on the disk");
    }
    let name = log.segments.last().unwrap().path().to_path_buf();
    let bytes = std::fs::read(&name).unwrap();
    Written { folder, earlier, steps, bytes, name }
}

/// A copy of the folder, with other bytes in the last segment.
fn copy(from: &Written, bytes: &[u8]) -> tempfile::TempDir {
    let to = folder();
    for entry in std::fs::read_dir(from.folder.path()).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, to.path().join(path.file_name().unwrap())).unwrap();
    }
    std::fs::write(to.path().join(from.name.file_name().unwrap()), bytes).unwrap();
    to
}

fn check(from: &Written, damaged: &[u8], kept: usize, power_lost: bool, what: &str) {
    let (end, state) = &from.steps[kept];
    let dir = copy(from, damaged);
    let mut log = reopen(dir.path(), power_lost);
    let expected = [&from.earlier, &from.bytes[..*end]].concat();
    assert_eq!(&State::of(&log), state, "{what}");
    assert!(content(&log) == expected, "{what}: the bytes");
    let file = dir.path().join(from.name.file_name().unwrap());
    assert_eq!(std::fs::metadata(&file).unwrap().len(), *end as u64, "{what}: the file");
    // It goes on: a batch that was lost is taken when it is sent again, one that is there is not taken twice.
    let rules = Rules { segment_bytes: u64::MAX, ..RULES };
    let sequence = state.expected.unwrap();
    assert_eq!(log.append(&sent(7, sequence, true), &rules, 1).unwrap().base_offset, state.end, "{what}");
    assert!(log.append(&sent(7, sequence - 2, true), &rules, 1).unwrap().base_offset < state.end, "{what}");
    assert_eq!(log.end(), state.end + 2, "{what}");
    let after = (State::of(&log), content(&log));
    assert!(after.1.starts_with(&expected), "{what}");
    drop(log);
    let again = reopen(dir.path(), power_lost);
    assert!((State::of(&again), content(&again)) == after, "{what}: opened once more");
}

#[test]
fn a_log_cut_off_at_any_byte_is_what_it_was_after_the_batch_before() {
    let written = written();
    for cut in 0..=written.bytes.len() {
        let kept = written.steps.partition_point(|(end, _)| *end <= cut) - 1;
        for power_lost in [POWER, CRASH] {
            check(&written, &written.bytes[..cut], kept, power_lost, &format!("cut at {cut}"));
        }
    }
}

#[test]
fn a_log_with_any_byte_flipped_is_what_it_was_after_the_batch_before() {
    let written = written();
    for at in 0..written.bytes.len() {
        let kept = written.steps.partition_point(|(end, _)| *end <= at) - 1;
        for flip in [0x01, 0x80, 0xff] {
            let mut bytes = written.bytes.clone();
            bytes[at] ^= flip;
            check(&written, &bytes, kept, POWER, &format!("byte {at} flipped by {flip:#x}"));
        }
    }
}

#[test]
fn blocks_that_never_came_to_the_disk_are_cut_off() {
    let written = written();
    for from in (0..written.bytes.len()).step_by(3) {
        // The file has its length, but holds nothing from there on.
        let mut bytes = written.bytes.clone();
        bytes[from..].fill(0);
        // Zeros that were there before are no damage.
        let at = bytes.iter().zip(&written.bytes).position(|(a, b)| a != b).unwrap_or(bytes.len());
        let kept = written.steps.partition_point(|(end, _)| *end <= at) - 1;
        check(&written, &bytes, kept, POWER, &format!("nothing from {from} on"));
    }
}
