//! Stream-table joins.

use flumen_plan::{JoinKind, QueryPlan};
use flumen_types::SqlType;

use super::notation::Bench;
use super::plans::Plan;

fn joined(kind: JoinKind) -> QueryPlan {
    let mut p = Plan::new();
    let s = p.stream("s", &[("V", SqlType::Bigint)]);
    let t = p.table("t", &[("A", SqlType::String), ("B", SqlType::Bigint)]);
    let j = p.join(s, t, kind);
    p.sink(j)
}

fn input(plan: QueryPlan) -> Bench {
    Bench::new(plan)
        .input("s", &["a:1@1"])
        .input("t", &["a:x,1@2", "b:y,2@3"])
        .input("s", &["a:2@1", "-:3@4", "b:4@5"])
        .input("t", &["a:z,3@9", "b:-@9", "-:q,0@9"])
        .input("s", &["a:5@6", "b:6@7", "a:-@8"])
}

#[test]
fn an_inner_join_takes_the_row_of_the_moment() {
    assert_eq!(input(joined(JoinKind::Inner)).out(None), ["a:2,x,1@1", "b:4,y,2@5", "a:5,z,3@6"]);
}

#[test]
fn a_left_join_keeps_rows_without_a_match_but_not_without_a_key() {
    let out = ["a:1,,@1", "a:2,x,1@1", "b:4,y,2@5", "a:5,z,3@6", "b:6,,@7"];
    assert_eq!(input(joined(JoinKind::Left)).out(None), out);
}

#[test]
fn the_stream_may_be_rekeyed_first() {
    let mut p = Plan::new();
    let s = p.stream("s", &[("V", SqlType::String), ("W", SqlType::String)]);
    let (keys, values) = ([("V", p.col(s, "V"))], [("K", p.col(s, "K")), ("O", p.col(s, "ROWOFFSET"))]);
    let r = p.rekey(s, &keys, &values, false);
    let r = p.repartition(r);
    let t = p.table("t", &[("A", SqlType::String)]);
    let j = p.join(r, t, JoinKind::Left);
    let bench = Bench::new(p.sink(j))
        .input("s", &["a:x,@1"])
        .input("t", &["x:1@2"])
        .input("s", &["b:x,@3", "c:,@4"])
        .input("t", &["x:2@5"])
        .input("s", &["d:x,@6"]);
    assert_eq!(bench.out(None), ["x:a,0,@1", "x:b,1,1@3", "x:d,3,2@6"]);
}

#[test]
fn pseudo_columns_survive_a_repartition() {
    let mut p = Plan::new();
    let s = p.stream("s", &[("V", SqlType::String)]);
    let r = p.rekey(s, &[("V", p.col(s, "V"))], &[("K", p.col(s, "K"))].map(|c| c), false);
    let r = p.repartition(r);
    let columns = [("K", p.col(r, "K")), ("O", p.col(r, "ROWOFFSET")), ("P", p.col(r, "ROWPARTITION")), ("T", p.col(r, "ROWTIME"))];
    let s = p.select(r, &columns);
    let bench = Bench::new(p.sink(s)).input("s", &["a:x@1", "b:y@2"]);
    assert_eq!(bench.out(None), ["x:a,0,0,1@1", "y:b,1,0,2@2"]);
}
