//! Tables: filters, projections, and aggregation with undo.

use flumen_expr::CompareOp;
use flumen_types::SqlType;

use super::notation::Bench;
use super::plans::{Plan, compare, number};

const V: &[(&str, SqlType)] = &[("V", SqlType::Bigint)];

#[test]
fn a_filter_deletes_only_what_was_there() {
    let mut p = Plan::new();
    let t = p.table("in", V);
    let t = p.materialize(t);
    let f = p.filter(t, compare(CompareOp::Gt, p.col(t, "V"), number(10)));
    let bench = Bench::new(p.sink(f)).input("in", &["a:1@1", "a:11@2", "a:12@3", "a:2@4", "a:3@5", "-:50@6", "b:20@7", "b:-@8", "b:-@9"]);
    assert_eq!(bench.out(None), ["a:11@2", "a:12@3", "a:-@4", "b:20@7", "b:-@8"]);
}

#[test]
fn without_a_store_every_failing_row_deletes() {
    let mut p = Plan::new();
    let t = p.table("in", V);
    let f = p.filter(t, compare(CompareOp::Gt, p.col(t, "V"), number(10)));
    let bench = Bench::new(p.sink(f)).input("in", &["a:1@1", "a:11@2", "a:-@3"]);
    assert_eq!(bench.out(None), ["a:-@1", "a:11@2", "a:-@3"]);
}

#[test]
fn old_rows_pass_through_a_projection() {
    let mut p = Plan::new();
    let t = p.table("in", V);
    let t = p.materialize(t);
    let s = p.select(t, &[("W", p.col(t, "V"))]);
    let f = p.filter(s, compare(CompareOp::Lt, p.col(s, "W"), number(5)));
    let bench = Bench::new(p.sink(f)).input("in", &["a:9@1", "a:1@2", "a:9@3", "a:9@4"]);
    assert_eq!(bench.out(None), ["a:1@2", "a:-@3"]);
}

/// SELECT g, COUNT(*), SUM(v) FROM table GROUP BY g.
fn grouped() -> flumen_plan::QueryPlan {
    let mut p = Plan::new();
    let t = p.table("in", &[("G", SqlType::String), ("V", SqlType::Bigint)]);
    let t = p.materialize(t);
    let (keys, values) = ([("G", p.col(t, "G"))], [("V", p.col(t, "V"))]);
    let r = p.rekey(t, &keys, &values, true);
    let r = p.repartition(r);
    let v = p.col(r, "V");
    let a = p.aggregate(r, &[("N", "COUNT", vec![]), ("S", "SUM", vec![v])], None);
    p.sink(a)
}

#[test]
fn grouping_a_table_takes_back_old_rows() {
    let input = ["a:x,1@1", "b:x,2@2", "a:x,5@3", "a:y,5@4", "b:-@5", "b:-@6", "c:,9@7", "a:x,7@2"];
    let bench = Bench::new(grouped()).input("in", &input);
    let out = ["x:1,1@1", "x:2,3@2", "x:2,7@3", "x:1,2@4", "y:1,5@4", "x:0,0@5", "y:0,0@4", "x:1,7@5"];
    assert_eq!(bench.out(None), out);
}

#[test]
fn many_changes_of_one_key_in_a_chunk() {
    let input: Vec<String> = (0..2_500).map(|i| format!("k{}:g{},{}@{i}", i % 7, i % 3, i % 11)).collect();
    let input: Vec<&str> = input.iter().map(String::as_str).collect();
    let out = Bench::new(grouped()).input("in", &input).out(None);
    // Seven rows in all at the end, whatever the way there.
    let mut last = std::collections::BTreeMap::new();
    for line in &out {
        let (group, rest) = line.split_once(':').unwrap();
        last.insert(group, rest.split(',').next().unwrap().parse::<i64>().unwrap());
    }
    assert_eq!(last.values().sum::<i64>(), 7);
}
