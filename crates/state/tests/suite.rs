//! One suite over both backends: what every store must do.

use std::ops::Bound;
use std::sync::Arc;

use flumen_state::{Backend, Budget, Layout, Store, Writes, memory, open_rocksdb, window_key};

fn on_both(test: impl Fn(Arc<dyn Backend>)) {
    test(memory());
    let dir = tempfile::tempdir().unwrap();
    test(open_rocksdb(dir.path(), &Budget::default()).unwrap());
}

fn commit(store: &mut Store, backend: &Arc<dyn Backend>) {
    let frozen = store.freeze();
    backend.apply(&Writes { stores: vec![(store.store_ref(), &frozen)], meta: vec![] }).unwrap();
    store.applied(&frozen);
}

fn keys(rows: &[(Vec<u8>, Vec<u8>)]) -> Vec<String> {
    rows.iter().map(|(k, v)| format!("{}={}", String::from_utf8_lossy(k), String::from_utf8_lossy(v))).collect()
}

#[test]
fn changes_are_seen_before_and_after_the_commit() {
    on_both(|backend| {
        let id = backend.open_store("q/s", 0, Layout::KeyValue).unwrap();
        let mut store = Store::new(backend.clone(), id, 1 << 20);
        store.put(b"a", Some(b"1"));
        store.put(b"b", Some(b"2"));
        assert_eq!(store.get(b"a").unwrap(), Some(b"1".as_slice()));
        assert_eq!(backend.get(id, b"a").unwrap(), None);
        commit(&mut store, &backend);
        assert_eq!(backend.get(id, b"a").unwrap(), Some(b"1".to_vec()));
        store.put(b"a", None);
        assert_eq!(store.get(b"a").unwrap(), None);
        assert_eq!(keys(&store.scan(Bound::Unbounded, Bound::Unbounded).unwrap()), ["b=2"]);
        commit(&mut store, &backend);
        assert_eq!(backend.get(id, b"a").unwrap(), None);
    });
}

#[test]
fn processing_goes_on_above_a_frozen_commit() {
    on_both(|backend| {
        let id = backend.open_store("q/s", 0, Layout::KeyValue).unwrap();
        let mut store = Store::new(backend.clone(), id, 0);
        store.put(b"a", Some(b"1"));
        let first = store.freeze();
        store.put(b"a", Some(b"2"));
        store.put(b"b", Some(b"3"));
        backend.apply(&Writes { stores: vec![(id, &first)], meta: vec![] }).unwrap();
        store.applied(&first);
        assert_eq!(store.get(b"a").unwrap(), Some(b"2".as_slice()), "a newer change outlives the apply of an older one");
        assert_eq!(backend.get(id, b"a").unwrap(), Some(b"1".to_vec()));
        let second = store.freeze();
        let changes: Vec<_> = second.changes().map(|(k, v)| (k.to_vec(), v.map(<[u8]>::to_vec))).collect();
        assert_eq!(changes, [(b"a".to_vec(), Some(b"2".to_vec())), (b"b".to_vec(), Some(b"3".to_vec()))]);
    });
}

#[test]
fn rollback_returns_to_what_was_applied() {
    on_both(|backend| {
        let id = backend.open_store("q/s", 0, Layout::KeyValue).unwrap();
        let mut store = Store::new(backend.clone(), id, 1 << 20);
        store.put(b"a", Some(b"1"));
        commit(&mut store, &backend);
        store.put(b"a", Some(b"2"));
        store.put(b"b", Some(b"2"));
        let _lost = store.freeze();
        store.put(b"c", Some(b"3"));
        store.rollback();
        assert_eq!(store.get(b"a").unwrap(), Some(b"1".as_slice()));
        assert_eq!(store.get(b"b").unwrap(), None);
        assert!(store.freeze().is_empty());
    });
}

#[test]
fn a_small_budget_drops_clean_rows_only() {
    on_both(|backend| {
        let id = backend.open_store("q/s", 0, Layout::KeyValue).unwrap();
        let mut store = Store::new(backend.clone(), id, 1_000);
        for round in 0..3 {
            for i in 0..2_000u32 {
                store.put(&i.to_be_bytes(), Some(&[round; 8]));
            }
            if round < 2 {
                commit(&mut store, &backend);
            }
        }
        for i in 0..2_000u32 {
            assert_eq!(store.get(&i.to_be_bytes()).unwrap(), Some([2u8; 8].as_slice()));
            assert_eq!(backend.get(id, &i.to_be_bytes()).unwrap(), Some(vec![1u8; 8]));
        }
    });
}

#[test]
fn partitions_and_stores_do_not_mix() {
    on_both(|backend| {
        let a0 = backend.open_store("q/a", 0, Layout::KeyValue).unwrap();
        let a1 = backend.open_store("q/a", 1, Layout::KeyValue).unwrap();
        let b0 = backend.open_store("q/b", 0, Layout::KeyValue).unwrap();
        assert_eq!(a0.id, a1.id);
        assert_ne!(a0.id, b0.id);
        for (store, value) in [(a0, b"x"), (a1, b"y"), (b0, b"z")] {
            let mut view = Store::new(backend.clone(), store, 0);
            view.put(b"k", Some(value));
            commit(&mut view, &backend);
        }
        assert_eq!(backend.get(a1, b"k").unwrap(), Some(b"y".to_vec()));
        backend.clear(a1).unwrap();
        assert_eq!(backend.get(a1, b"k").unwrap(), None);
        backend.drop_store("q/a").unwrap();
        assert_eq!(backend.get(a0, b"k").unwrap(), None);
        assert_eq!(backend.get(b0, b"k").unwrap(), Some(b"z".to_vec()));
        assert!(backend.find_store("q/a", 0).unwrap().is_none());
        assert_ne!(backend.open_store("q/a", 0, Layout::KeyValue).unwrap().id, a0.id, "ids are never reused");
    });
}

#[test]
fn scans_keep_to_their_bounds() {
    on_both(|backend| {
        let id = backend.open_store("q/s", 3, Layout::KeyValue).unwrap();
        let mut store = Store::new(backend.clone(), id, 1 << 20);
        for key in [b"a", b"b", b"c", b"d"] {
            store.put(key, Some(b"1"));
        }
        commit(&mut store, &backend);
        store.put(b"bb", Some(b"2"));
        let rows = store.scan(Bound::Excluded(b"a".as_slice()), Bound::Included(b"c".as_slice())).unwrap();
        assert_eq!(keys(&rows), ["b=1", "bb=2", "c=1"]);
        assert!(store.scan(Bound::Included(b"z".as_slice()), Bound::Included(b"a".as_slice())).unwrap().is_empty());
    });
}

#[test]
fn windows_are_found_by_key_and_expire_by_bucket() {
    on_both(|backend| {
        let id = backend.open_store("q/w", 0, Layout::Windowed { bucket_ms: 100 }).unwrap();
        let mut store = Store::new(backend.clone(), id, 1 << 20);
        let at = |key: &[u8], start: i64| {
            let mut out = Vec::new();
            window_key(key, start, &mut out);
            out
        };
        for start in [0, 50, 100, 250, 990] {
            store.put(&at(b"k", start), Some(start.to_string().as_bytes()));
            store.put(&at(b"l", start), Some(b"other"));
        }
        commit(&mut store, &backend);
        store.put(&at(b"k", 60), Some(b"60"));
        let starts = |store: &Store, first, last| -> Vec<i64> {
            store.scan_windows(b"k", first, last).unwrap().into_iter().map(|(s, _)| s).collect()
        };
        assert_eq!(starts(&store, 50, 250), [50, 60, 100, 250]);
        assert_eq!(starts(&store, i64::MIN, i64::MAX), [0, 50, 60, 100, 250, 990]);
        commit(&mut store, &backend);
        backend.expire(id, 250).unwrap();
        store.rollback();
        assert_eq!(starts(&store, 0, i64::MAX), [250, 990]);
        assert_eq!(store.get(&at(b"k", 990)).unwrap(), Some(b"990".as_slice()));
        assert_eq!(store.scan(Bound::Unbounded, Bound::Unbounded).unwrap().len(), 4);
    });
}

#[test]
fn meta_is_written_with_the_rows() {
    on_both(|backend| {
        let writes = Writes { stores: vec![], meta: vec![(b"positions".to_vec(), Some(b"7".to_vec()))] };
        backend.apply(&writes).unwrap();
        assert_eq!(backend.meta(b"positions").unwrap(), Some(b"7".to_vec()));
        backend.apply(&Writes { stores: vec![], meta: vec![(b"positions".to_vec(), None)] }).unwrap();
        assert_eq!(backend.meta(b"positions").unwrap(), None);
    });
}

#[test]
fn a_database_opened_again_has_its_rows_and_ids() {
    let dir = tempfile::tempdir().unwrap();
    let first = {
        let backend = open_rocksdb(dir.path(), &Budget::default()).unwrap();
        let id = backend.open_store("q/w", 0, Layout::Windowed { bucket_ms: 10 }).unwrap();
        let mut store = Store::new(backend.clone(), id, 0);
        let mut key = Vec::new();
        window_key(b"k", -5, &mut key);
        store.put(&key, Some(b"v"));
        commit(&mut store, &backend);
        id
    };
    let backend = open_rocksdb(dir.path(), &Budget::default()).unwrap();
    let again = backend.open_store("q/w", 0, Layout::KeyValue).unwrap();
    assert_eq!(again, first, "a store keeps its id and layout");
    let mut found = Vec::new();
    backend
        .scan_windows(again, b"k", -10, 0, &mut |_, v| {
            found.push(v.to_vec());
            true
        })
        .unwrap();
    assert_eq!(found, [b"v".to_vec()]);
    assert_ne!(backend.open_store("q/other", 0, Layout::KeyValue).unwrap().id, first.id);
}
