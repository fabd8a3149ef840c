//! The end of a transaction, torn at every byte of every file it is written to, in the order in which they are forced to the disk: it is
//! still open, or it has ended everywhere.

use super::tests::World;
use crate::{chance::folder, config::Fsync};
use kafka_protocol::ResponseError;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The files of a data directory by their place in it.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn read(root: &Path, folder: &Path, files: &mut Files) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(root, &path, files);
        } else {
            files.insert(path.strip_prefix(root).unwrap().to_path_buf(), std::fs::read(&path).unwrap());
        }
    }
}

fn files(root: &Path) -> Files {
    let mut files = Files::new();
    read(root, root, &mut files);
    files
}

/// A data directory with these files, whose machine went down.
fn directory(files: &Files) -> tempfile::TempDir {
    let root = folder();
    for (name, bytes) in files {
        let path = root.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    std::fs::write(root.path().join("running"), "an earlier start of the machine").unwrap();
    root
}

fn name(files: &Files, end: &str) -> PathBuf {
    files.keys().find(|name| name.to_str().unwrap().ends_with(end)).unwrap().clone()
}

/// The length of the frame of a map that begins at `at`.
fn frame(map: &[u8], at: usize) -> usize {
    8 + u32::from_be_bytes(*map[at..].first_chunk::<4>().unwrap()) as usize
}

#[test]
fn an_end_torn_anywhere_has_happened_or_not() {
    for commit in [true, false] {
        let root = folder();
        let world = World::open_with(root.path(), Fsync::Always);
        world.topics.create("t", 1, BTreeMap::new()).unwrap();
        let producer = world.init();
        world.begin(producer, 0);
        world.offset(producer, 5);
        for sequence in 1..3 {
            world.send(producer, sequence).unwrap();
        }
        let open = files(root.path());
        world.transactions.end(world.reach(), "tx", producer, commit).unwrap();
        let ended = files(root.path());
        drop(world);

        let (log, map, offsets) = (name(&open, "00000.log"), name(&open, "transactions.map"), name(&open, "offsets.map"));
        let after = if commit { (4, 4, 0, Some(5)) } else { (4, 4, 1, None) };
        let goes_on = |files: &Files, what: &str, happened: bool| {
            let root = directory(files);
            let world = World::open_with(root.path(), Fsync::Always);
            assert_eq!(world.seen(), if happened { after } else { (3, 0, 0, None) }, "{what}");
            let ended = world.transactions.end(world.reach(), "tx", producer, commit);
            assert_eq!(ended, Ok(()), "{what}: what was not answered is asked again");
            assert_eq!(world.seen(), after, "{what}");
            let contrary = world.transactions.end(world.reach(), "tx", producer, !commit);
            assert_eq!(contrary, Err(ResponseError::InvalidTxnState), "{what}");
            world.begin(producer, 3);
            assert_eq!((world.seen().0, world.seen().1), (5, 4), "{what}: the next transaction");
        };

        // First it is prepared,
        let prepared = open[&map].len() + frame(&ended[&map], open[&map].len());
        assert_eq!(prepared + frame(&ended[&map], prepared), ended[&map].len());
        let mut now = open.clone();
        for cut in open[&map].len()..prepared {
            now.insert(map.clone(), ended[&map][..cut].to_vec());
            goes_on(&now, &format!("prepared: cut at {cut}"), false);
        }
        now.insert(map.clone(), ended[&map][..prepared].to_vec());
        // then the marker is written,
        for cut in open[&log].len()..=ended[&log].len() {
            now.insert(log.clone(), ended[&log][..cut].to_vec());
            goes_on(&now, &format!("marker: cut at {cut}"), true);
        }
        // then the offsets,
        for cut in open[&offsets].len()..=ended[&offsets].len() {
            now.insert(offsets.clone(), ended[&offsets][..cut].to_vec());
            goes_on(&now, &format!("offsets: cut at {cut}"), true);
        }
        // and then it is done.
        for cut in prepared..=ended[&map].len() {
            now.insert(map.clone(), ended[&map][..cut].to_vec());
            goes_on(&now, &format!("done: cut at {cut}"), true);
        }
    }
}

#[test]
fn a_batch_of_a_transaction_torn_anywhere_is_taken_again() {
    let root = folder();
    let world = World::open_with(root.path(), Fsync::Always);
    world.topics.create("t", 1, BTreeMap::new()).unwrap();
    let producer = world.init();
    world.begin(producer, 0);
    let acknowledged = files(root.path());
    world.send(producer, 1).unwrap();
    let sent = files(root.path());
    drop(world);
    let log = name(&sent, "00000.log");
    for cut in acknowledged[&log].len()..sent[&log].len() {
        let mut now = sent.clone();
        now.insert(log.clone(), sent[&log][..cut].to_vec());
        let root = directory(&now);
        let world = World::open_with(root.path(), Fsync::Always);
        assert_eq!(world.seen(), (1, 0, 0, None), "cut at {cut}");
        world.send(producer, 1).unwrap();
        world.transactions.end(world.reach(), "tx", producer, true).unwrap();
        assert_eq!(world.seen(), (3, 3, 0, None), "cut at {cut}");
    }
}
