//! Logs whose files were mutated: opening, reading, writing and compacting them never panics, takes no large piece of memory, and gives no
//! record that was not written.

use super::{tests::*, *};
use crate::chance::{Dice, cases, folder, in_bounded_memory};
use flumen_wire::{
    BatchHeader, BatchWriter, Batches, Compression,
    batch::{HEADER_LEN, LENGTH_PREFIX, Marker, Producer},
};
use std::{path::Path, sync::atomic::AtomicBool};

const CODECS: [Compression; 5] = [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd];

/// Writes a log that has everything a log can have.
fn whole(at: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut log = open(at);
    for i in 0..6 {
        log.append(&sent(7, i * 2, true), &RULES, 1).unwrap();
        log.append(&plain(3, i64::from(i)), &RULES, 1).unwrap();
        log.append_marker(if i % 2 == 0 { Marker::Abort } else { Marker::Commit }, 7, 0, 1).unwrap();
    }
    for codec in CODECS {
        let mut writer = BatchWriter::default();
        for key in 0..3 {
            writer.push(9, Some(&[key]), Some(&[b'v'; 30]), &[]).unwrap();
        }
        log.append(&writer.finish(codec, Producer::PLAIN).unwrap(), &RULES, 1).unwrap();
    }
    log.delete_before(3).unwrap();
    log.history.begin(at, 5).unwrap();
    log.close();
    // What a crash leaves: batches that no snapshot knows.
    log.append(&sent(8, 0, true), &RULES, 1).unwrap();
    log.append(&plain(2, 1), &RULES, 1).unwrap();
    let files: Vec<PathBuf> = std::fs::read_dir(at).unwrap().map(|e| e.unwrap().path()).collect();
    assert!(files.len() >= 6, "{files:?}");
    files.into_iter().map(|f| (f.file_name().unwrap().into(), std::fs::read(&f).unwrap())).collect()
}

/// Changes a file's bytes. At times so that the checksum is right again: then the nonsense gets further.
fn hurt(dice: &mut Dice, name: &Path, bytes: &mut Vec<u8>) {
    let is_log = name.extension().is_some_and(|e| e == "log");
    if is_log && dice.once_in(4) && bytes.len() > HEADER_LEN {
        let sizes: Vec<usize> = Batches(bytes).map(|b| b.unwrap().header.size).collect();
        let at: usize = sizes.iter().take(dice.roll(sizes.len())).sum();
        let batch = &mut bytes[at..];
        let size = BatchHeader::parse(batch).unwrap().size;
        dice.spoil(&mut batch[LENGTH_PREFIX + 9..size]);
        let crc = crc32c::crc32c(&batch[21..size]);
        batch[17..21].copy_from_slice(&crc.to_be_bytes());
        return;
    }
    dice.mutate(bytes);
    if name == Path::new("snapshot") && bytes.len() > 4 && dice.once_in(2) {
        let crc = crc32c::crc32c(&bytes[4..]);
        bytes[..4].copy_from_slice(&crc.to_be_bytes());
    }
}

/// Reads all there is; gives the offsets of the batches' ends.
fn read_all(log: &Log, sound: bool) {
    let mut offset = log.start();
    while let Some(plan) = log.plan_read(offset, i64::MAX) {
        let (bytes, next) = plan.read(1000, true).unwrap();
        if bytes.is_empty() {
            match plan.next_segment() {
                Some(next) if next > offset => offset = next,
                _ => break,
            }
            continue;
        }
        for b in Batches(&bytes).filter(|_| sound) {
            b.unwrap().check_crc().unwrap();
        }
        assert!(next > offset);
        offset = next;
    }
}

fn run(count: u64) {
    let dir = folder();
    let files = whole(dir.path());
    let work = folder();
    let mut dice = Dice::new();
    let (mut opened, mut compacted) = (0u64, 0u64);
    for case in 0..count {
        for entry in std::fs::read_dir(work.path()).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
        let damaged = dice.roll(files.len());
        for (at, (name, bytes)) in files.iter().enumerate() {
            if at != damaged && dice.once_in(30) {
                continue;
            }
            let mut bytes = bytes.clone();
            if at == damaged || dice.once_in(8) {
                hurt(&mut dice, name, &mut bytes);
            }
            std::fs::write(work.path().join(name), bytes).unwrap();
        }
        // A disk that lost power is not believed, so nothing damaged may be read.
        let settings = LogSettings { power_lost: !dice.once_in(4), ..settings() };
        let Ok(mut log) = Log::open(work.path().to_path_buf(), settings) else { continue };
        opened += 1;
        read_all(&log, settings.power_lost);
        let _ = (log.offset_for_time(3), log.latest_by_time(), log.aborted_between(0, i64::MAX), log.stable_end());
        if log.end() < 1000 {
            let end = log.end();
            assert_eq!(log.append(&plain(1, 1), &RULES, 1).unwrap().base_offset, end, "case {case}");
            log.append_marker(Marker::Abort, 8, 0, 1).unwrap();
            if dice.once_in(4) {
                let rules =
                    CompactionRules { min_dirty_ratio: 0.0, min_lag_ms: 0, max_lag_ms: 1, delete_retention_ms: 0, segment_bytes: 2000 };
                let stop = AtomicBool::new(false);
                let log = parking_lot::Mutex::new(log);
                compacted += u64::from(compact(|| log.lock(), &rules, &mut Pace::new(0, &stop), || 100).unwrap_or(false));
                read_all(&log.lock(), settings.power_lost);
            }
        }
    }
    println!("{count} cases of mutated logs: {opened} opened, {compacted} compacted");
    assert!(opened > count / 2 && compacted > count / 100, "{opened} opened, {compacted} compacted");
}

#[test]
fn mutated_files_never_make_recovery_panic_or_invent_records() {
    in_bounded_memory("log::fuzz::mutated_files_never_make_recovery_panic_or_invent_records", || run(cases(50_000)));
}
