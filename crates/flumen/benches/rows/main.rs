//! Nanoseconds a row of the steps of a query, in memory: decode, expressions, encode, and whole tasks with their commits.
//!
//! `cargo xtask bench rows`. Times are of one thread; each figure is the best of several passes over the same input.

mod orders;
mod queries;

use std::sync::Arc;
use std::time::Instant;

use arrow::array::ArrayRef;
use flumen_expr::{Compiled, Input, Random, Registry, Selection};
use flumen_formats::{Decoder, Encoder, Format, FormatSpec};
use flumen_plan::{Operator, QueryId, QueryPlan};
use flumen_runtime::{Order, Step, StepInput, Task, TaskSettings};
use flumen_state::{Backend, Budget, memory, open_rocksdb};
use flumen_types::{Field, SqlType};
use flumen_wire::RecordChunk;

/// Rows of a step.
const STEP: usize = 8192;
/// Steps between two commits of a task.
const COMMIT: usize = 3;
/// Orders of a pass.
const ORDERS: u64 = 400_000;
/// Passes; the best counts.
const PASSES: usize = 3;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let only = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let wanted = |name: &str| only.as_deref().is_none_or(|o| name.contains(o));
    let orders = orders::orders(ORDERS, STEP);
    if wanted("decode") || wanted("expression") || wanted("encode") {
        formats(&orders);
    }
    let users = orders::users(STEP);
    for (name, sql) in queries::QUERIES {
        if wanted(name) {
            let (plan, registry) = queries::plan(sql);
            task(name, &plan, &registry, &orders, &users);
        }
    }
}

fn formats(orders: &[RecordChunk]) {
    let columns: Vec<Field> = queries::VALUES.iter().map(|(name, ty)| Field { name: (*name).to_owned(), ty: ty.clone() }).collect();
    let all = vec![true; columns.len()];
    decode("decode JSON, all fields", &columns, &all, orders);
    let read: Vec<bool> = columns.iter().map(|c| ["ORDER_ID", "ITEM", "PRICE"].contains(&c.name.as_str())).collect();
    let chunks = decode("decode JSON, 3 fields read", &columns, &read, orders);
    let price: Vec<bool> = columns.iter().map(|c| c.name == "PRICE").collect();
    decode("decode JSON, 1 field read", &columns, &price, orders);

    let price = chunks.iter().map(|arrays| vec![arrays.last().expect("the price").clone()]).collect::<Vec<_>>();
    let compiled = Compiled::new(&queries::price_above_50(), &Registry::default()).expect("an expression");
    let random = Random::seeded(1);
    best("expression, price > 50", || {
        for columns in &price {
            let input = Input { columns, rows: columns[0].len(), now_ms: 0, random: &random };
            std::hint::black_box(compiled.eval_filter(&input, &Selection::All).expect("rows"));
        }
    });

    let fields: Vec<Field> = columns.into_iter().zip(&read).filter(|(_, read)| **read).map(|(c, _)| c).collect();
    let encoder = Encoder::new(&FormatSpec::plain(Format::Json), &fields).expect("an encoder");
    let mut out = Vec::new();
    best("encode JSON, 3 fields", || {
        for arrays in &chunks {
            out.clear();
            let mut bound = encoder.bind(arrays).expect("arrays");
            for row in 0..arrays[0].len() {
                bound.encode(row, &mut out).expect("a row");
            }
        }
    });
}

fn decode(name: &str, columns: &[Field], wanted: &[bool], orders: &[RecordChunk]) -> Vec<Vec<ArrayRef>> {
    let mut decoder = Decoder::new(&FormatSpec::plain(Format::Json), columns, wanted).expect("a decoder");
    let mut chunks = Vec::new();
    best(name, || {
        chunks.clear();
        for chunk in orders {
            for row in 0..chunk.len() {
                decoder.append(chunk.columns().value(row)).expect("JSON");
            }
            chunks.push(decoder.finish());
        }
    });
    chunks
}

/// A whole query on one partition: process, and every few steps freeze and apply.
fn task(name: &str, plan: &Arc<QueryPlan>, registry: &Arc<Registry>, orders: &[RecordChunk], users: &[RecordChunk]) {
    let dir = std::env::temp_dir().join(format!("flumen-rows-{}", std::process::id()));
    let stateful = plan.sub_topologies.iter().any(|s| !s.stores.is_empty());
    for on_disk in [false, true] {
        if on_disk && !stateful {
            continue;
        }
        let mut best: Option<[f64; 2]> = None;
        for _ in 0..PASSES {
            let _ = std::fs::remove_dir_all(&dir);
            let backend = if on_disk { open_rocksdb(&dir, &Budget::default()).expect("a database") } else { memory() };
            let times = pass(plan, registry, backend, orders, users);
            if best.is_none_or(|b| times.iter().sum::<f64>() < b.iter().sum()) {
                best = Some(times);
            }
        }
        let [process, commit] = best.unwrap_or_default().map(|s| s * 1e9 / ORDERS as f64);
        let place = if !stateful {
            ""
        } else if on_disk {
            ", RocksDB"
        } else {
            ", memory"
        };
        println!("{:44} {:7.0} ns a row (process {process:.0}, commit {commit:.0})", format!("task {name}{place}"), process + commit);
    }
    let _ = std::fs::remove_dir_all(&dir);
}

fn pass(
    plan: &Arc<QueryPlan>,
    registry: &Arc<Registry>,
    backend: Arc<dyn Backend>,
    orders: &[RecordChunk],
    users: &[RecordChunk],
) -> [f64; 2] {
    let sink = plan.sink_node().and_then(|n| if let Operator::Sink(sink) = &n.op { sink.topic.clone() } else { None });
    let settings = TaskSettings {
        service_id: "bench_".into(),
        query: QueryId("Q".into()),
        partition: 0,
        partitions: sink.into_iter().map(|topic| (topic, 1)).collect(),
        cache_bytes: 0,
        overlay_bytes: 64 << 20,
        seed: 1,
    };
    let mut task = Task::new(plan.clone(), plan.sub_topologies[0].id, settings, backend, registry.clone()).expect("a task");
    let inputs: Vec<String> = task.inputs().map(|i| i.topic.to_string()).collect();
    let table = inputs.iter().position(|topic| topic == "users");
    for records in users.iter().filter(|_| table.is_some()) {
        step(&mut task, table.unwrap_or_default(), records);
    }
    commit(&mut task);
    let input = inputs.iter().position(|topic| topic == "orders").expect("the orders");
    let mut times = [0.0; 2];
    for steps in orders.chunks(COMMIT) {
        let start = Instant::now();
        steps.iter().for_each(|records| step(&mut task, input, records));
        let processed = Instant::now();
        commit(&mut task);
        times[0] += (processed - start).as_secs_f64();
        times[1] += processed.elapsed().as_secs_f64();
    }
    times
}

fn step(task: &mut Task, input: usize, records: &RecordChunk) {
    let step = Step { inputs: vec![StepInput { input, records, order: Order::ByTimestamp }] };
    std::hint::black_box(task.process(&step, 0).expect("a step"));
}

fn commit(task: &mut Task) {
    let commit = task.prepare_commit().expect("a commit");
    task.apply(commit).expect("an apply");
}

/// Prints the best time of some calls.
fn best(name: &str, mut pass: impl FnMut()) {
    let mut best = f64::INFINITY;
    for _ in 0..=PASSES {
        let start = Instant::now();
        pass();
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{name:44} {:7.0} ns a row", best * 1e9 / ORDERS as f64);
}

/// A declared value column.
pub type Column = (&'static str, SqlType);
