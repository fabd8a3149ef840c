//! However records are divided into steps, and whatever crashes between them, every topic gets the same records.

use flumen_expr::{CompareOp, build};
use flumen_plan::{JoinKind, QueryPlan};
use flumen_runtime::driver::{Mode, Topics};
use flumen_types::{SqlType, WindowKind};
use proptest::prelude::*;

use super::functions::registry;
use super::notation::{Bench, record};
use super::plans::{Plan, compare, number, windows};

const COLUMNS: &[(&str, SqlType)] = &[("G", SqlType::String), ("V", SqlType::Bigint)];

/// Plans that use every operator; all read the stream `s` and the table `t` of the same columns.
fn plans() -> Vec<QueryPlan> {
    let mut all = Vec::new();
    let grouped = [
        (None, false),
        (Some(windows(WindowKind::Tumbling, 10, 10, 3)), false),
        (Some(windows(WindowKind::Hopping, 12, 5, 0)), false),
        (Some(windows(WindowKind::Hopping, 12, 5, 2)), true),
        (Some(windows(WindowKind::Session, 4, 4, 3)), false),
        (Some(windows(WindowKind::Session, 4, 4, 3)), true),
    ];
    for (window, is_final) in grouped {
        let mut p = Plan::new();
        let s = p.stream("s", COLUMNS);
        let f = p.filter(s, compare(CompareOp::Ne, p.col(s, "V"), number(3)));
        let (keys, values) = ([("G", p.col(f, "G")), ("K", p.col(f, "K"))], [("V", p.col(f, "V"))]);
        let r = p.rekey(f, &keys, &values, true);
        let r = p.repartition(r);
        let v = p.col(r, "V");
        let a = p.aggregate(r, &[("N", "COUNT", vec![]), ("S", "SUM", vec![v])], window);
        if is_final {
            p.make_final();
        }
        let f = p.filter(a, compare(CompareOp::Gt, p.col(a, "S"), number(4)));
        all.push(p.sink(f));
    }
    for kind in [JoinKind::Inner, JoinKind::Left] {
        let mut p = Plan::new();
        let s = p.stream("s", COLUMNS);
        let down = registry().table_call("DOWN", vec![p.col(s, "V")]).unwrap();
        let s = p.flat_map(s, &[("D", down)]);
        let (keys, values) = ([("G", p.col(s, "G"))], [("D", p.col(s, "D")), ("K", p.col(s, "K"))]);
        let r = p.rekey(s, &keys, &values, false);
        let r = p.repartition(r);
        let t = p.table("t", COLUMNS);
        let t = p.materialize(t);
        let f = p.filter(t, build::not(compare(CompareOp::Eq, p.col(t, "V"), number(2))).unwrap());
        let j = p.join(r, f, kind);
        all.push(p.sink(j));
    }
    let mut p = Plan::new();
    let t = p.table("t", COLUMNS);
    let t = p.materialize(t);
    let r = p.rekey(t, &[("G", p.col(t, "G"))], &[("V", p.col(t, "V"))].map(|c| c), true);
    let r = p.repartition(r);
    let v = p.col(r, "V");
    let a = p.aggregate(r, &[("N", "COUNT", vec![]), ("S", "SUM", vec![v])], None);
    let f = p.filter(a, compare(CompareOp::Gt, p.col(a, "N"), number(1)));
    all.push(p.sink(f));
    all
}

fn records() -> impl Strategy<Value = Vec<(bool, String)>> {
    let key = prop_oneof![Just("-"), Just("a"), Just("b"), Just("c")];
    let group = prop_oneof![Just(""), Just("a"), Just("b")];
    let value = prop_oneof![
        1 => Just("-".to_string()),
        1 => Just("bad".to_string()),
        10 => (group, 0..6i64).prop_map(|(g, v)| format!("{g},{v}")),
    ];
    let one = (any::<bool>(), key, value, 0..60i64).prop_map(|(table, k, v, t)| (table, format!("{k}:{v}@{t}")));
    prop::collection::vec(one, 0..40)
}

fn bench(plan: QueryPlan, records: &[(bool, String)]) -> Bench {
    records.iter().fold(Bench::new(plan), |b, (table, text)| b.input(if *table { "t" } else { "s" }, &[text]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn all_modes_write_the_same(records in records()) {
        for plan in plans() {
            bench(plan, &records).out(None);
        }
    }
}

#[test]
fn large_chunks_too() {
    let records: Vec<(bool, String)> = (0..3_000i64)
        .map(|i| {
            let (key, group) = (["a", "b", "c", "-"][(i * 7 % 4) as usize], ["a", "b", "c", ""][(i * 5 % 11 % 4) as usize]);
            (i % 3 == 0, format!("{key}:{group},{}@{}", i * 13 % 6, i / 20 + i * 31 % 9))
        })
        .collect();
    for plan in plans() {
        let bench = bench(plan, &records);
        let (straight, chunk) = (bench.run(Mode::Straight).0, bench.run(Mode::Chunk).0);
        assert!(straight.end("out") > 10);
        assert!(straight.0 == chunk.0, "the modes differ");
    }
}

#[test]
fn log_entries_do_not_depend_on_the_division() {
    let mut p = Plan::new();
    let s = p.stream("s", COLUMNS);
    let half = registry().call("HALF", vec![p.col(s, "V")]).unwrap();
    let s = p.select(s, &[("H", half)]);
    let mut bench = Bench::new(p.sink(s));
    for text in ["a:x,1@1", "a:bad@2", "a:x,2@3", "a:x,3@4"] {
        bench.topics.append("s", record(text));
    }
    let sorted = |mode| {
        let mut log: Vec<String> = bench.run(mode).1.log.into_iter().map(|e| format!("{:?} {}", e.kind, e.reason)).collect();
        log.sort();
        log
    };
    assert_eq!(sorted(Mode::Straight), sorted(Mode::Chunk));
    assert_eq!(sorted(Mode::Straight).len(), 3);
}
