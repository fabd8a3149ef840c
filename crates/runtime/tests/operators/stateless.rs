//! Sources, filters, projections, table functions, rekeying and sinks.

use flumen_expr::{ArithmeticOp, CompareOp, build};
use flumen_plan::{SourceKind, TimestampColumn};
use flumen_runtime::LogKind;
use flumen_runtime::driver::{Mode, Topics};
use flumen_types::SqlType;
use flumen_wire::encode_headers;

use super::functions::registry;
use super::notation::{Bench, record};
use super::plans::{Plan, compare, number};

const V: &[(&str, SqlType)] = &[("V", SqlType::Bigint)];

#[test]
fn filter_and_project() {
    let mut p = Plan::new();
    let s = p.stream("in", &[("V", SqlType::Bigint), ("W", SqlType::String)]);
    let f = p.filter(s, compare(CompareOp::Gt, p.col(s, "V"), number(1)));
    let twice = build::arithmetic(ArithmeticOp::Multiply, p.col(f, "V"), number(2)).unwrap();
    let columns = [("W", p.col(f, "W")), ("D", twice), ("T", p.col(f, "ROWTIME"))];
    let s = p.select(f, &columns);
    let bench = Bench::new(p.sink(s)).input("in", &["a:1,x@5", "b:2,y@6", "-:3,z@7", "c:-@8", "d:,w@9"]);
    assert_eq!(bench.out(None), ["b:y,4,6@6", "-:z,6,7@7"]);
}

#[test]
fn null_values_pass_projections() {
    let mut p = Plan::new();
    let s = p.stream("in", V);
    let columns = [("V", p.col(s, "V")), ("O", p.col(s, "ROWOFFSET"))];
    let s = p.select(s, &columns);
    let bench = Bench::new(p.sink(s)).input("in", &["a:1@5", "a:-@6", "a:2@7"]);
    assert_eq!(bench.out(None), ["a:1,0@5", "a:-@6", "a:2,2@7"]);
}

#[test]
fn a_failing_expression_is_null_and_logged() {
    let mut p = Plan::new();
    let s = p.stream("in", V);
    let half = registry().call("HALF", vec![p.col(s, "V")]).unwrap();
    let s = p.select(s, &[("V", p.col(s, "V")), ("H", half)]);
    let bench = Bench::new(p.sink(s)).input("in", &["a:4@1", "a:5@2"]);
    assert_eq!(bench.out(None), ["a:4,2@1", "a:5,@2"]);
    let reasons = bench.reasons();
    assert!(reasons.len() == 1 && reasons[0].contains("it is odd"), "{reasons:?}");
}

#[test]
fn unreadable_records_are_skipped_and_logged() {
    let mut p = Plan::new();
    let s = p.stream("in", V);
    let bench = Bench::new(p.sink(s)).input("in", &["a:1@1", "b:nonsense@2", "c:3@-4", "d:4@5"]);
    assert_eq!(bench.out(None), ["a:1@1", "d:4@5"]);
    let (_, ran) = bench.run(Mode::Chunk);
    let kinds: Vec<(LogKind, i64)> = ran.log.iter().map(|e| (e.kind, e.record.as_ref().unwrap().offset)).collect();
    assert_eq!(kinds, [(LogKind::Deserialization, 1), (LogKind::Processing, 2)]);
    let bad = ran.log[0].record.as_ref().unwrap();
    assert_eq!((bad.topic.as_str(), bad.value.as_deref()), ("in", Some(&b"nonsense"[..])));
}

#[test]
fn a_source_may_stop_at_bad_records() {
    let mut p = Plan::new();
    let s = p.source("in", SourceKind::Stream, V, |s| s.on_error = flumen_plan::OnError::Fail);
    let plan = std::sync::Arc::new(p.sink(s));
    let query = flumen_plan::QueryId("Q".to_string());
    let mut driver = flumen_runtime::driver::Driver::new(plan, query, registry(), Mode::Straight).unwrap();
    let mut topics = flumen_runtime::driver::MemoryTopics::default();
    topics.append("in", record("a:x@1"));
    let error = driver.run(&[], &mut topics, 0).unwrap_err().to_string();
    assert!(error.contains("offset 0") && error.contains("topic in"), "{error}");
}

#[test]
fn a_property_makes_bad_timestamps_stop_the_query() {
    let mut p = Plan::new();
    let column = TimestampColumn { column: "V".to_string(), pattern: None };
    let s = p.source("in", SourceKind::Stream, V, |s| s.timestamp = Some(column));
    let mut plan = p.sink(s);
    plan.properties.insert("ksql.timestamp.throw.on.invalid".to_string(), "true".to_string());
    let query = flumen_plan::QueryId("Q".to_string());
    let mut driver = flumen_runtime::driver::Driver::new(plan.into(), query, registry(), Mode::Straight).unwrap();
    let mut topics = flumen_runtime::driver::MemoryTopics::default();
    topics.append("in", record("a:-5@1"));
    let error = driver.run(&[], &mut topics, 0).unwrap_err().to_string();
    assert!(error.contains("offset 0") && error.contains("negative"), "{error}");
}

#[test]
fn timestamps_come_from_a_column() {
    let mut p = Plan::new();
    let column = TimestampColumn { column: "V".to_string(), pattern: None };
    let s = p.source("in", SourceKind::Stream, V, |s| s.timestamp = Some(column));
    let bench = Bench::new(p.sink(s)).input("in", &["a:10@1", "a:-5@2", "a:@3", "a:20@-1", "a:-@7"]);
    assert_eq!(bench.out(None), ["a:10@10", "a:20@20", "a:-@7"]);
    assert_eq!(bench.reasons().len(), 2);
}

#[test]
fn timestamps_come_from_text() {
    let mut p = Plan::new();
    let column = TimestampColumn { column: "T".to_string(), pattern: Some("yyyy-MM-dd HH:mm".to_string()) };
    let s = p.source("in", SourceKind::Stream, &[("T", SqlType::String)], |s| s.timestamp = Some(column));
    let bench = Bench::new(p.sink(s)).input("in", &["a:1970-01-02 00:01@0", "a:soon@0"]);
    assert_eq!(bench.out(None), ["a:1970-01-02 00:01@86460000"]);
}

#[test]
fn table_functions_zip_to_the_longest() {
    let mut p = Plan::new();
    let s = p.stream("in", &[("V", SqlType::Bigint), ("W", SqlType::Bigint)]);
    let down = |e| registry().table_call("DOWN", vec![e]).unwrap();
    let functions = [("X", down(p.col(s, "V"))), ("Y", down(p.col(s, "W")))];
    let f = p.flat_map(s, &functions);
    let columns = [("X", p.col(f, "X")), ("Y", p.col(f, "Y"))];
    let s = p.select(f, &columns);
    let bench = Bench::new(p.sink(s)).input("in", &["a:2,1@1", "b:0,0@2", "c:,1@3", "d:-@4"]);
    assert_eq!(bench.out(None), ["a:2,1@1", "a:1,@1", "c:,1@3"]);
}

#[test]
fn partition_by_one_column_may_give_a_null_key() {
    let mut p = Plan::new();
    let s = p.stream("in", &[("V", SqlType::Bigint), ("W", SqlType::String)]);
    let (keys, values) = ([("W", p.col(s, "W"))], [("V", p.col(s, "V")), ("K", p.col(s, "K"))]);
    let r = p.rekey(s, &keys, &values, false);
    let bench = Bench::new(p.sink(r)).input("in", &["a:1,x@1", "b:2,@2", "c:-@3"]);
    assert_eq!(bench.out(None), ["x:1,a@1", "-:2,b@2", "-:-@3"]);
}

#[test]
fn a_row_without_a_value_has_only_keys_made_of_keys() {
    let mut p = Plan::new();
    let s = p.stream("in", &[("V", SqlType::Bigint), ("W", SqlType::String)]);
    let is_null = build::cast(build::is_null(p.col(s, "W"), false), &SqlType::String).unwrap();
    let (keys, values) = ([("N", is_null), ("K", p.col(s, "K"))], [("V", p.col(s, "V"))]);
    let r = p.rekey(s, &keys, &values, false);
    let bench = Bench::new(p.sink(r)).input("in", &["a:1,@1", "b:2,x@2", "c:-@3"]);
    assert_eq!(bench.out(None), ["true,a:1@1", "false,b:2@2", ",c:-@3"]);
}

#[test]
fn partition_by_several_columns_keeps_the_key() {
    let mut p = Plan::new();
    let s = p.stream("in", &[("V", SqlType::Bigint), ("W", SqlType::String)]);
    let (keys, values) = ([("K", p.col(s, "K")), ("W", p.col(s, "W"))], [("V", p.col(s, "V"))]);
    let r = p.rekey(s, &keys, &values, false);
    let r = p.repartition(r);
    let bench = Bench::new(p.sink(r)).input("in", &["a:1,x@1", "b:2,@2", "c:-@3"]);
    assert_eq!(bench.out(None), ["a,x:1@1", "b,:2@2", "c,:-@3"]);
}

#[test]
fn headers_are_columns_and_travel_on() {
    let mut p = Plan::new();
    let s =
        p.source("in", SourceKind::Stream, V, |s| s.headers = vec![("ONE".to_string(), Some("h".to_string())), ("ALL".to_string(), None)]);
    let values = [("ONE", p.col(s, "ONE")), ("V", p.col(s, "V"))];
    let s = p.rekey(s, &[("K", p.col(s, "K"))], &values, false);
    let s = p.repartition(s);
    let mut bench = Bench::new(p.sink(s));
    let mut with = record("a:1@1");
    let headers: [(&[u8], Option<&[u8]>); 2] = [(b"h", Some(b"1")), (b"h", Some(b"2"))];
    encode_headers(&mut with.headers, headers.into_iter());
    bench.topics.append("in", with.clone());
    bench.topics.append("in", record("b:2@2"));
    // BYTES are base64 in DELIMITED.
    assert_eq!(bench.out(None), ["a:Mg==,1@1", "b:,2@2"]);
    let (topics, _) = bench.run(Mode::Chunk);
    let written = topics.records("out");
    assert_eq!((&written[0].headers, written[1].headers.len()), (&with.headers, 0));
}

#[test]
fn keys_go_to_the_partition_any_client_would_choose() {
    use flumen_plan::SubTopologyId;
    use flumen_runtime::{Order, Step, StepInput, Task, TaskSettings};
    let mut p = Plan::new();
    let s = p.stream("in", V);
    let plan = p.sink(s);
    let settings = TaskSettings {
        service_id: "s_".to_string(),
        query: flumen_plan::QueryId("Q".to_string()),
        partition: 5,
        partitions: [("out".to_string(), 3)].into(),
        cache_bytes: 0,
        overlay_bytes: 0,
        seed: 0,
    };
    let mut task = Task::new(plan.into(), SubTopologyId(0), settings, flumen_state::memory(), registry()).unwrap();
    let mut records = flumen_wire::RecordChunk::new("in".into(), 5);
    for (offset, key) in [Some("21"), Some("foobar"), None].into_iter().enumerate() {
        records.push(offset as i64, key.map(str::as_bytes), Some(b"1"), 1, &[]).unwrap();
    }
    let input = StepInput { input: 0, records: &records, order: Order::ByTimestamp };
    let out = task.process(&Step { inputs: vec![input] }, 0).unwrap();
    let placed: Vec<(i32, usize)> = out.records.iter().map(|b| (b.partition, b.columns.len())).collect();
    let hash = |k: &str| flumen_wire::partition_for(k.as_bytes(), 3);
    for key in ["21", "foobar"] {
        assert!(placed.iter().any(|(p, _)| *p == hash(key)), "{placed:?}");
    }
    // A record without a key stays with its partition's number.
    assert!(out.records.iter().any(|b| b.partition == 2 && (0..b.columns.len()).any(|r| b.columns.key(r).is_none())));
    assert_eq!(task.positions().next("in", 5), Some(3));
}
