//! `cargo xtask bench broker`: the embedded broker beside Apache Kafka, each alone on the machine in turn, in one run.
//!
//! Both run with their defaults under the same load: the product's own client (librdkafka), `acks=all`, records of 100 bytes.
//! Then Kafka Streams runs its exactly-once count on the embedded broker, and a large log is written and read
//! after a kill.

mod engine;
mod large;
mod streams;

use crate::setup::{self, Prepared};
use anyhow::{Context, Result, bail};
use engine::Engine;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// Bytes of a record.
const BYTES: u64 = 100;

/// One figure of a broker.
struct Figure {
    name: String,
    value: f64,
    bound: Bound,
}

/// What the ratio to Apache Kafka has to be.
#[derive(Clone, Copy)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

/// Runs the comparison: `broker [RECORDS] [GIGABYTES]`, of the throughput runs and of the large log.
///
/// # Errors
/// When a broker cannot be started, or a load fails.
pub fn run(args: &[String]) -> Result<bool> {
    let number = |at: usize, default: u64| args.get(at).map_or(Ok(default), |text| text.parse()).context("expected a number");
    let (records, gigabytes) = (number(0, 3_000_000)?, number(1, 10)?);
    if args.len() > 2 {
        bail!("write `broker [RECORDS] [GIGABYTES]`");
    }
    let prepared = setup::prepare()?;
    let flumen = prepared.flumen_release()?;
    let load = Load(example(&prepared)?);
    let work = crate::checkout::cache()?.join("bench").join("broker");
    let mut rows = Vec::new();
    for name in ["embedded", "kafka"] {
        let mut engine = match name {
            "embedded" => Engine::embedded(&flumen, &work.join(name))?,
            _ => Engine::kafka(&prepared.root, &work.join(name))?,
        };
        eprintln!("bench: {name}");
        rows.push(measure(&mut engine, &load, records)?);
    }
    if let [embedded, kafka] = rows.as_slice() {
        print(embedded, kafka, records);
    }
    streams::run(&prepared.root, &flumen, &work)?;
    large::run(&flumen, &load, &work.join("large"), gigabytes)?;
    Ok(true)
}

/// The program that puts load on a broker.
pub struct Load(PathBuf);

impl Load {
    /// Runs one load; gives its figures.
    pub fn run(&self, address: &str, args: &[&str]) -> Result<Value> {
        let output = Command::new(&self.0).arg(address).args(args).output().context("the load cannot be run")?;
        if !output.status.success() {
            bail!("{args:?} on {address}: {}", String::from_utf8_lossy(&output.stderr));
        }
        serde_json::from_slice(&output.stdout).with_context(|| format!("{args:?}: not JSON"))
    }
}

fn example(prepared: &Prepared) -> Result<PathBuf> {
    let args = ["build", "--locked", "--release", "-p", "flumen-kafka", "--example", "load"];
    if !prepared.cargo(&args).status().context("cargo cannot be run")?.success() {
        bail!("the load does not compile");
    }
    Ok(prepared.release("examples/load"))
}

/// All figures of a broker.
fn measure(engine: &mut Engine, load: &Load, records: u64) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let mut add = |name: String, value: f64, bound: Bound| figures.push(Figure { name, value, bound });
    let address = engine.address().to_owned();
    for partitions in ["1", "8"] {
        for codec in ["none", "lz4"] {
            let topic = format!("load-{partitions}-{codec}");
            let found = load.run(&address, &["throughput", &topic, partitions, codec, &records.to_string(), &BYTES.to_string()])?;
            for what in ["produced", "consumed"] {
                let value = figure(&found, &format!("{what}_per_s"))?;
                add(format!("{what}/s, {partitions} partitions, {codec}"), value, Bound::AtLeast(1.0));
            }
        }
    }
    let found = load.run(&address, &["latency", "latency", "3000"])?;
    for quantile in ["p50", "p99"] {
        let value = figure(&found, &format!("{quantile}_ms"))?;
        add(format!("produce to consume, {quantile}, ms"), value, Bound::AtMost(1.0));
    }
    let found = load.run(&address, &["transactions", "transactions", "10"])?;
    add("transactions/s".to_owned(), figure(&found, "transactions_per_s")?, Bound::AtLeast(1.0));
    add("resident memory, MB".to_owned(), engine.memory("VmRSS")?, Bound::AtMost(0.2));
    add("start after a kill, s".to_owned(), engine.restart()?.as_secs_f64(), Bound::AtMost(0.1));
    Ok(figures)
}

fn figure(found: &Value, name: &str) -> Result<f64> {
    found[name].as_f64().with_context(|| format!("no {name} in {found}"))
}

fn print(embedded: &[Figure], kafka: &[Figure], records: u64) {
    println!("\n| {records} records of {BYTES} bytes | embedded | Apache Kafka | ratio | bound |");
    println!("|---|---|---|---|---|");
    for (Figure { name, value, bound }, other) in embedded.iter().zip(kafka) {
        let ratio = value / other.value;
        let (bound, met) = match bound {
            Bound::AtLeast(least) => (format!("≥ {least}"), ratio >= *least),
            Bound::AtMost(most) => (format!("≤ {most}"), ratio <= *most),
        };
        let met = if met { "met" } else { "MISSED" };
        println!("| {name} | {value:.2} | {:.2} | **{ratio:.2}** | {bound} {met} |", other.value);
    }
}
