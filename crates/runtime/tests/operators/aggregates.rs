//! Aggregation of streams: plain, tumbling, hopping, HAVING.

use flumen_expr::CompareOp;
use flumen_plan::NodeId;
use flumen_types::{SqlType, WindowKind, WindowSpec};

use super::notation::{Bench, SESSION};
use super::plans::{Plan, compare, number, windows};

const V: &[(&str, SqlType)] = &[("V", SqlType::Bigint)];

fn sums(p: &mut Plan, input: NodeId, window: Option<WindowSpec>) -> NodeId {
    let v = p.col(input, "V");
    p.aggregate(input, &[("N", "COUNT", vec![]), ("S", "SUM", vec![v])], window)
}

#[test]
fn every_row_emits_its_groups_result() {
    let mut p = Plan::new();
    let s = p.stream("in", &[("V", SqlType::Bigint), ("W", SqlType::Bigint)]);
    let a = sums(&mut p, s, None);
    let bench = Bench::new(p.sink(a)).input("in", &["a:1,@10", "b:5,@20", "a:2,@5", "-:9,@6", "a:-@7", "a:,1@30"]);
    // The time of a result is the latest of its rows'.
    assert_eq!(bench.out(None), ["a:1,1@10", "b:1,5@20", "a:2,3@10", "a:3,3@30"]);
}

#[test]
fn grouping_by_an_expression_drops_null_groups() {
    let mut p = Plan::new();
    let s = p.stream("in", &[("V", SqlType::Bigint), ("G", SqlType::String)]);
    let (keys, values) = ([("G", p.col(s, "G"))], [("V", p.col(s, "V"))]);
    let r = p.rekey(s, &keys, &values, true);
    let r = p.repartition(r);
    let a = sums(&mut p, r, None);
    let bench = Bench::new(p.sink(a)).input("in", &["a:1,x@1", "b:2,@2", "-:3,x@3", "c:-@4"]);
    assert_eq!(bench.out(None), ["x:1,1@1", "x:2,4@3"]);
    assert!(bench.reasons().iter().any(|r| r.contains("NULL")));
}

#[test]
fn tumbling_windows_close_after_grace() {
    let mut p = Plan::new();
    let s = p.stream("in", V);
    let a = sums(&mut p, s, Some(windows(WindowKind::Tumbling, 10, 10, 5)));
    // Stream time 25 closes windows that end at or before 20.
    let input = ["a:1@1", "a:2@12", "b:3@3", "a:4@25", "a:5@19", "a:6@20", "-:7@90", "a:8@24"];
    let bench = Bench::new(p.sink(a)).input("in", &input);
    let out = ["a[0]:1,1@1", "a[10]:1,2@12", "b[0]:1,3@3", "a[20]:1,4@25", "a[20]:2,10@25", "a[20]:3,18@25"];
    assert_eq!(bench.out(Some(10)), out);
}

#[test]
fn hopping_windows_overlap() {
    let mut p = Plan::new();
    let s = p.stream("in", V);
    let a = sums(&mut p, s, Some(windows(WindowKind::Hopping, 10, 5, 0)));
    let bench = Bench::new(p.sink(a)).input("in", &["a:1@7", "a:2@12", "a:3@9", "b:4@3"]);
    let out = ["a[0]:1,1@7", "a[5]:1,1@7", "a[5]:2,3@12", "a[10]:1,2@12", "a[5]:3,6@12"];
    assert_eq!(bench.out(Some(10)), out);
}

#[test]
fn having_retracts_only_what_had_passed() {
    let mut p = Plan::new();
    let s = p.stream("in", V);
    let a = sums(&mut p, s, None);
    let f = p.filter(a, compare(CompareOp::Gt, p.col(a, "S"), number(10)));
    let s = p.select(f, &[("S", p.col(f, "S"))]);
    let bench = Bench::new(p.sink(s)).input("in", &["a:1@1", "a:20@2", "a:-5@3", "a:-9@4", "b:-1@5", "a:1@6"]);
    assert_eq!(bench.out(None), ["a:21@2", "a:16@3", "a:-@4"]);
}

#[test]
fn window_bounds_are_columns() {
    let mut p = Plan::new();
    let s = p.stream("in", V);
    let a = sums(&mut p, s, Some(windows(WindowKind::Tumbling, 10, 10, 5)));
    let columns = [("N", p.col(a, "N")), ("FROM", p.col(a, "WINDOWSTART")), ("TO", p.col(a, "WINDOWEND"))];
    let s = p.select(a, &columns);
    let bench = Bench::new(p.sink(s)).input("in", &["a:1@11", "a:1@12"]);
    assert_eq!(bench.out(Some(10)), ["a[10]:1,10,20@11", "a[10]:2,10,20@12"]);
}

#[test]
fn sessions_join_and_are_taken_back() {
    let mut p = Plan::new();
    let s = p.stream("in", V);
    let a = sums(&mut p, s, Some(windows(WindowKind::Session, 5, 5, 10)));
    // 1 and 9 are apart until 5 joins them; a row at the very instant of a session of one instant replaces it silently.
    let input = ["a:1@1", "a:2@9", "b:7@9", "b:8@9", "a:3@5", "a:4@40", "a:9@24", "a:5@25", "-:1@90"];
    let bench = Bench::new(p.sink(a)).input("in", &input);
    let out = [
        "a[1-1]:1,1@1",
        "a[9-9]:1,2@9",
        "b[9-9]:1,7@9",
        "b[9-9]:2,15@9",
        "a[1-1]:-@1",
        "a[9-9]:-@9",
        "a[1-9]:3,6@9",
        "a[40-40]:1,4@40",
        "a[25-25]:1,5@25",
    ];
    assert_eq!(bench.out(SESSION), out);
}

#[test]
fn final_results_come_when_a_window_closes() {
    let mut p = Plan::new();
    let s = p.stream("in", V);
    let a = sums(&mut p, s, Some(windows(WindowKind::Tumbling, 10, 10, 5)));
    p.make_final();
    let f = p.filter(a, compare(CompareOp::Lt, p.col(a, "S"), number(10)));
    // 15 closes [0, 10) of both keys, 27 closes [10, 20); the row at 12 is late by then.
    let input = ["b:1@3", "a:2@4", "a:3@11", "a:4@8", "a:20@15", "b:1@9", "b:5@27", "b:6@12", "a:1@100"];
    let bench = Bench::new(p.sink(f)).input("in", &input);
    assert_eq!(bench.out(Some(10)), ["a[0]:2,6@8", "b[0]:1,1@3"]);
}

#[test]
fn a_jump_in_time_loses_windows_their_store_has_dropped() {
    let mut p = Plan::new();
    let s = p.stream("in", V);
    let a = sums(&mut p, s, Some(windows(WindowKind::Tumbling, 10, 10, 5)));
    p.make_final();
    let bench = Bench::new(p.sink(a)).input("in", &["a:1@3", "a:2@12", "a:3@26", "a:4@90"]);
    assert_eq!(bench.out(Some(10)), ["a[10]:1,2@12"]);
}

#[test]
fn final_sessions_are_given_once() {
    let mut p = Plan::new();
    let s = p.stream("in", V);
    let a = sums(&mut p, s, Some(windows(WindowKind::Session, 5, 5, 2)));
    p.make_final();
    let bench = Bench::new(p.sink(a)).input("in", &["b:1@2", "a:2@1", "a:3@4", "a:4@20", "b:5@19", "b:6@31"]);
    assert_eq!(bench.out(SESSION), ["b[2-2]:1,1@2", "a[1-4]:2,5@4", "b[19-19]:1,5@19", "a[20-20]:1,4@20"]);
}
