//! Commit, rollback, restore and merge order of a single task.

use std::sync::Arc;

use flumen_plan::{JoinKind, QueryId, QueryPlan, SubTopologyId, TaskId};
use flumen_runtime::{Order, Outbox, Step, StepInput, Task, TaskSettings, meta};
use flumen_state::Backend;
use flumen_types::{SqlType, WindowKind};
use flumen_wire::RecordChunk;

use super::functions::registry;
use super::notation::{record, show};
use super::plans::{Plan, windows};
use flumen_runtime::driver::Record;

fn counting() -> QueryPlan {
    let mut p = Plan::new();
    let s = p.stream("in", &[("V", SqlType::Bigint)]);
    let a = p.aggregate(s, &[("N", "COUNT", vec![])], Some(windows(WindowKind::Tumbling, 10, 10, 0)));
    p.sink(a)
}

fn task(plan: QueryPlan, backend: &Arc<dyn Backend>) -> Task {
    cached_task(plan, backend, 0)
}

fn cached_task(plan: QueryPlan, backend: &Arc<dyn Backend>, cache_bytes: usize) -> Task {
    let settings = TaskSettings {
        service_id: "s_".to_string(),
        query: QueryId("Q".to_string()),
        partition: 0,
        partitions: [("out".to_string(), 1)].into(),
        cache_bytes,
        overlay_bytes: 0,
        seed: 0,
    };
    Task::new(plan.into(), SubTopologyId(0), settings, backend.clone(), registry()).unwrap()
}

fn chunk(topic: &str, first: i64, records: &[&str]) -> RecordChunk {
    let mut chunk = RecordChunk::new(topic.into(), 0);
    for (i, text) in records.iter().enumerate() {
        let r = record(text);
        chunk.push(first + i as i64, r.key.as_deref(), r.value.as_deref(), r.timestamp, &r.headers).unwrap();
    }
    chunk
}

fn process(task: &mut Task, chunks: &[&RecordChunk]) -> Outbox {
    let number = |c: &RecordChunk| task.inputs().position(|i| i.topic == *c.topic()).unwrap();
    let inputs = chunks.iter().map(|c| StepInput { input: number(c), records: c, order: Order::ByTimestamp }).collect();
    task.process(&Step { inputs }, 0).unwrap()
}

fn written(out: &Outbox, window: Option<i64>) -> Vec<String> {
    let rows = out.records.iter().flat_map(|b| (0..b.columns.len()).map(|r| Record::of(&b.columns, r)));
    rows.map(|r| show(&r, window)).collect()
}

#[test]
fn a_rollback_forgets_states_positions_and_stream_time() {
    let backend = flumen_state::memory();
    let mut task = task(counting(), &backend);
    process(&mut task, &[&chunk("in", 0, &["a:1@5"])]);
    let commit = task.prepare_commit().unwrap();
    task.apply(commit).unwrap();
    let late = chunk("in", 1, &["a:1@95", "a:1@6"]);
    let first = written(&process(&mut task, &[&late]), Some(10));
    assert_eq!(first, ["a[90]:1@95"]);
    task.rollback();
    assert_eq!(task.positions().next("in", 0), Some(1));
    // Had stream time stayed at 95, this row would be late.
    assert_eq!(written(&process(&mut task, &[&chunk("in", 1, &["a:1@6"])]), Some(10)), ["a[0]:2@6"]);
    task.rollback();
    assert_eq!(written(&process(&mut task, &[&late]), Some(10)), first);
}

#[test]
fn processing_goes_on_above_a_frozen_commit() {
    let backend = flumen_state::memory();
    let mut task = task(counting(), &backend);
    process(&mut task, &[&chunk("in", 0, &["a:1@5"])]);
    let commit = task.prepare_commit().unwrap();
    assert_eq!(written(&process(&mut task, &[&chunk("in", 1, &["a:1@6"])]), Some(10)), ["a[0]:2@6"]);
    assert_eq!(commit.positions.next("in", 0), Some(1));
    task.apply(commit).unwrap();
    assert!(task.dirty_bytes() > 0);
    let second = task.prepare_commit().unwrap();
    assert_eq!((second.positions.commit, second.changelogs.len()), (2, 1));
    task.apply(second).unwrap();
    assert_eq!(written(&process(&mut task, &[&chunk("in", 2, &["a:1@7"])]), Some(10)), ["a[0]:3@7"]);
    assert!(task.dirty_bytes() > 0);
}

#[test]
fn a_rollback_forgets_frozen_changes_too() {
    let backend = flumen_state::memory();
    let mut task = task(counting(), &backend);
    process(&mut task, &[&chunk("in", 0, &["a:1@5"])]);
    let _lost = task.prepare_commit().unwrap();
    process(&mut task, &[&chunk("in", 1, &["a:1@5"])]);
    task.rollback();
    assert_eq!(task.positions().next("in", 0), None);
    assert_eq!(written(&process(&mut task, &[&chunk("in", 0, &["a:1@5"])]), Some(10)), ["a[0]:1@5"]);
}

#[test]
fn a_new_task_goes_on_from_changelog_and_positions() {
    let backend = flumen_state::memory();
    let mut old = task(counting(), &backend);
    process(&mut old, &[&chunk("in", 0, &["a:1@5", "b:1@26", "b:1@27"])]);
    let mut commit = old.prepare_commit().unwrap();
    let (topic, records) = commit.changelogs[0].clone();
    let mut log = RecordChunk::new(topic.clone(), 0);
    for row in 0..records.len() {
        log.push(row as i64, records.key(row), records.value(row), records.timestamp(row), &[]).unwrap();
    }
    commit.changelog_ends.push((topic.clone(), log.next_offset().unwrap()));
    let positions = commit.positions.clone();
    old.apply(commit).unwrap();
    let id = TaskId { query: QueryId("Q".to_string()), sub_topology: SubTopologyId(0), partition: 0 };
    assert_eq!(meta::local_positions(backend.as_ref(), &id).unwrap(), Some(positions.clone()));
    assert_eq!(meta::changelog_offset(backend.as_ref(), &topic, 0).unwrap(), Some(2));

    let elsewhere = flumen_state::memory();
    let mut new = task(counting(), &elsewhere);
    new.restore(&log).unwrap();
    new.resume(positions);
    assert_eq!(meta::changelog_offset(elsewhere.as_ref(), &topic, 0).unwrap(), Some(2));
    let more = chunk("in", 3, &["b:1@28", "a:1@6"]);
    let expected = written(&process(&mut old, &[&more]), Some(10));
    assert_eq!(expected, ["b[20]:3@28"]);
    assert_eq!(written(&process(&mut new, &[&more]), Some(10)), expected);
    new.clear().unwrap();
    assert_eq!(meta::changelog_offset(elsewhere.as_ref(), &topic, 0).unwrap(), None);
    assert_eq!(written(&process(&mut new, &[&chunk("in", 5, &["b:1@29"])]), Some(10)), ["b[20]:1@29"]);
}

#[test]
fn inputs_are_merged_by_time() {
    let mut p = Plan::new();
    let s = p.stream("s", &[("V", SqlType::Bigint)]);
    let t = p.table("t", &[("A", SqlType::String)]);
    let j = p.join(s, t, JoinKind::Left);
    let backend = flumen_state::memory();
    let mut task = task(p.sink(j), &backend);
    let (stream, table) = (chunk("s", 0, &["a:1@1", "a:2@5", "a:3@4", "a:4@9"]), chunk("t", 0, &["a:x@5", "a:y@9", "a:z@2"]));
    // In this order: s1 s5 s4 (behind the row at 5 in its input) t5 s9 t9 t2; the first input goes first at equal times.
    let expected = ["a:1,@1", "a:2,@5", "a:3,@4", "a:4,x@9"];
    assert_eq!(written(&process(&mut task, &[&table, &stream]), None), expected);
    task.rollback();
    assert_eq!(written(&process(&mut task, &[&stream, &table]), None), expected);
    assert_eq!(written(&process(&mut task, &[&chunk("s", 4, &["a:5@9"])]), None), ["a:5,z@9"]);
}

#[test]
fn offsets_without_records_move_positions() {
    let backend = flumen_state::memory();
    let mut task = task(counting(), &backend);
    process(&mut task, &[&chunk("in", 7, &["a:1@5"])]);
    task.skip_to(0, 10);
    task.skip_to(0, 9);
    assert_eq!((task.positions().next("in", 0), task.positions().inputs[0].time), (Some(10), 5));
}

#[test]
fn results_held_back_come_once_a_key_and_commit() {
    let backend = flumen_state::memory();
    let mut task = cached_task(counting(), &backend, 1);
    assert!(process(&mut task, &[&chunk("in", 0, &["a:1@5", "b:1@6", "a:1@12"])]).is_empty());
    assert!(process(&mut task, &[&chunk("in", 3, &["a:1@13", "a:1@14"])]).is_empty());
    assert!(task.prepare_commit().is_err());
    let flushed = task.flush(0).unwrap();
    assert_eq!(written(&flushed, Some(10)), ["a[0]:1@5", "b[0]:1@6", "a[10]:3@14"]);
    assert!(task.flush(0).unwrap().is_empty());
    let commit = task.prepare_commit().unwrap();
    task.apply(commit).unwrap();
    process(&mut task, &[&chunk("in", 5, &["a:1@15"])]);
    task.rollback();
    assert!(task.flush(0).unwrap().is_empty());
    process(&mut task, &[&chunk("in", 5, &["a:1@15"])]);
    assert_eq!(written(&task.flush(0).unwrap(), Some(10)), ["a[10]:4@15"]);
}

#[test]
fn results_held_back_pass_having_with_the_last_flushed_as_old() {
    let mut p = Plan::new();
    let s = p.stream("in", &[("V", SqlType::Bigint)]);
    let v = p.col(s, "V");
    let a = p.aggregate(s, &[("S", "SUM", vec![v])], None);
    let f = p.filter(a, super::plans::compare(flumen_expr::CompareOp::Gt, p.col(a, "S"), super::plans::number(10)));
    let backend = flumen_state::memory();
    let mut task = cached_task(p.sink(f), &backend, 1);
    process(&mut task, &[&chunk("in", 0, &["a:20@1", "a:1@2", "b:20@3", "b:-19@4"])]);
    assert_eq!(written(&task.flush(0).unwrap(), None), ["a:21@2"]);
    process(&mut task, &[&chunk("in", 4, &["a:-20@5", "b:1@6"])]);
    assert_eq!(written(&task.flush(0).unwrap(), None), ["a:-@5"]);
}
