//! One suite over both backends: what every store must do.

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use flumen_state::{Backend, Budget, Layout, Size, Store, Writes, memory, open_rocksdb, split_window_key, window_key};

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
        let starts = |store: &mut Store, first, last| -> Vec<i64> {
            store.scan_windows(b"k", first, last).unwrap().into_iter().map(|(s, _)| s).collect()
        };
        assert_eq!(starts(&mut store, 50, 250), [50, 60, 100, 250]);
        assert_eq!(starts(&mut store, i64::MIN, i64::MAX), [0, 50, 60, 100, 250, 990]);
        commit(&mut store, &backend);
        backend.expire(id, 250).unwrap();
        store.rollback();
        assert_eq!(starts(&mut store, 0, i64::MAX), [250, 990]);
        assert_eq!(store.get(&at(b"k", 990)).unwrap(), Some(b"990".as_slice()));
        assert_eq!(store.scan(Bound::Unbounded, Bound::Unbounded).unwrap().len(), 4);
    });
}

#[test]
fn slots_are_given_once_a_key_and_step() {
    on_both(|backend| {
        let id = backend.open_store("q/s", 0, Layout::KeyValue).unwrap();
        let mut store = Store::new(backend.clone(), id, 0);
        for step in 1..4u8 {
            store.begin();
            let slots: Vec<u32> = [b"a", b"b", b"a", b"c", b"b"].into_iter().map(|k| store.slot(k).unwrap()).collect();
            assert_eq!((slots, store.slots()), (vec![0, 1, 0, 2, 1], 3));
            let before = (step > 1).then(|| vec![step - 1; 3]);
            assert_eq!((store.slot_key(2), store.slot_value(2)), (b"c".as_slice(), before.as_deref()));
            for slot in 0..3 {
                store.set_slot(slot, Some(&[step; 3]));
            }
            assert_eq!(store.get(b"b").unwrap(), Some([step; 3].as_slice()));
            // Nothing is kept beyond the budget of 0, so the next step reads what was written.
            commit(&mut store, &backend);
        }
    });
}

/// Every way to look at a store gives what a map gives that has taken the same changes.
#[test]
fn any_sequence_of_calls_keeps_to_a_model() {
    let seed = Cell::new(0x9E37_79B9_7F4A_7C15u64);
    let draw = |below: u64| {
        let mut next = seed.get();
        next ^= next << 13;
        next ^= next >> 7;
        next ^= next << 17;
        seed.set(next);
        next % below
    };
    for (budget, layout) in
        [(0, Layout::KeyValue), (2_000, Layout::Windowed { bucket_ms: 100 }), (1 << 20, Layout::Windowed { bucket_ms: 7 })]
    {
        on_both(|backend| {
            let id = backend.open_store("q/s", 0, layout).unwrap();
            let mut store = Store::new(backend.clone(), id, budget);
            let (mut model, mut applied) = (BTreeMap::<Vec<u8>, Vec<u8>>::new(), BTreeMap::new());
            let mut waiting = VecDeque::new();
            let next_key = || {
                let (key, start) = ([b'k', draw(9) as u8], draw(400) as i64 / 50 * 50);
                let mut out = Vec::new();
                window_key(&key, start, &mut out);
                (out, key, start, draw(100), vec![draw(256) as u8; draw(40) as usize])
            };
            for _ in 0..6_000 {
                let (key, inner, start, choice, value) = next_key();
                match choice {
                    0..35 => {
                        store.put(&key, Some(&value));
                        model.insert(key, value);
                    }
                    35..45 => {
                        store.put(&key, None);
                        model.remove(&key);
                    }
                    45..70 => {
                        store.begin();
                        let slot = store.slot(&key).unwrap() as usize;
                        assert_eq!((store.slot_key(slot), store.slot_value(slot)), (&key[..], model.get(&key).map(Vec::as_slice)));
                        store.set_slot(slot, Some(&value));
                        model.insert(key, value);
                    }
                    70..85 => assert_eq!(store.get(&key).unwrap(), model.get(&key).map(Vec::as_slice)),
                    85..87 => {
                        let all: Vec<_> = model.clone().into_iter().collect();
                        let mut rows = store.scan(Bound::Unbounded, Bound::Unbounded).unwrap();
                        rows.sort();
                        assert_eq!(rows, all);
                    }
                    87..90 if layout != Layout::KeyValue => {
                        let rows = store.scan_windows(&inner, start, start + 150).unwrap();
                        let mut wanted =
                            model.iter().filter(|(k, _)| k.starts_with(&inner)).map(|(k, v)| (split_window_key(k).unwrap().1, v));
                        assert!(rows.iter().all(|(s, v)| wanted.any(|(w, value)| w == *s && value == v)), "{rows:?}");
                        let within = |k: &Vec<u8>| (start..=start + 150).contains(&split_window_key(k).unwrap().1);
                        assert_eq!(rows.len(), model.keys().filter(|k| k.starts_with(&inner) && within(k)).count());
                    }
                    90..94 => waiting.push_back((store.freeze(), model.clone())),
                    94..98 => {
                        if let Some((frozen, state)) = waiting.pop_front() {
                            backend.apply(&Writes { stores: vec![(id, &frozen)], meta: vec![] }).unwrap();
                            store.applied(&frozen);
                            applied = state;
                        }
                    }
                    98 => {
                        store.rollback();
                        waiting.clear();
                        model = applied.clone();
                    }
                    _ => {}
                }
            }
        });
    }
}

#[test]
fn sizes_are_counted_when_small_and_estimated_when_large() {
    on_both(|backend| {
        let small = backend.open_store("q/small", 0, Layout::Windowed { bucket_ms: 10 }).unwrap();
        let large = backend.open_store("q/large", 0, Layout::KeyValue).unwrap();
        assert_eq!(backend.measure(small).unwrap(), Size::default());
        let mut store = Store::new(backend.clone(), small, 0);
        let mut key = Vec::new();
        window_key(b"k", 25, &mut key);
        store.put(&key, Some(b"12345"));
        commit(&mut store, &backend);
        assert_eq!(backend.measure(small).unwrap(), Size { rows: 1, bytes: 14 });
        let mut store = Store::new(backend.clone(), large, 0);
        for i in 0..30_000u32 {
            store.put(&i.to_be_bytes(), Some(&[7; 96]));
        }
        commit(&mut store, &backend);
        let size = backend.measure(large).unwrap();
        assert!((10_000..=90_000).contains(&size.rows) && size.bytes == size.rows * 100, "{size:?}");
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
