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
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes of a record.
const BYTES: u64 = 100;

/// One figure of both brokers.
struct Figure {
    name: String,
    embedded: f64,
    kafka: f64,
    /// The bound of the ratio, and whether the ratio may not be above it (or below).
    floor: f64,
    at_most: bool,
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
    let kafka = rows.pop().unwrap_or_default();
    let figures: Vec<Figure> = rows.pop().unwrap_or_default().into_iter().zip(kafka).map(figure).collect();
    print(&figures, records);
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

    fn figure(&self, address: &str, args: &[&str], name: &str) -> Result<f64> {
        let found = self.run(address, args)?;
        found[name].as_f64().with_context(|| format!("no {name} in {found}"))
    }
}

fn example(prepared: &Prepared) -> Result<PathBuf> {
    let args = ["build", "--locked", "--release", "-p", "flumen-kafka", "--example", "load"];
    if !prepared.cargo(&args).status().context("cargo cannot be run")?.success() {
        bail!("the load does not compile");
    }
    Ok(prepared.release("examples/load"))
}

/// All figures of a broker: name, value, and the bound of the ratio.
fn measure(engine: &mut Engine, load: &Load, records: u64) -> Result<Vec<(String, f64, f64, bool)>> {
    let mut figures = Vec::new();
    let address = engine.address().to_owned();
    for partitions in ["1", "8"] {
        for codec in ["none", "lz4"] {
            let topic = format!("load-{partitions}-{codec}");
            let found = load.run(&address, &["throughput", &topic, partitions, codec, &records.to_string(), &BYTES.to_string()])?;
            for (what, name) in [("produced", "produced_per_s"), ("consumed", "consumed_per_s")] {
                let value = found[name].as_f64().with_context(|| format!("no {name}"))?;
                figures.push((format!("{what}/s, {partitions} partitions, {codec}"), value, 1.0, false));
            }
        }
    }
    figures.push(("produce to consume, p50, ms".to_owned(), load.figure(&address, &["latency", "latency", "3000"], "p50_ms")?, 1.0, true));
    figures.push(("produce to consume, p99, ms".to_owned(), load.figure(&address, &["latency", "tail", "3000"], "p99_ms")?, 1.0, true));
    let rate = load.figure(&address, &["transactions", "transactions", "10"], "transactions_per_s")?;
    figures.push(("transactions/s".to_owned(), rate, 1.0, false));
    figures.push(("resident memory, MB".to_owned(), engine.memory("VmRSS")?, 0.2, true));
    figures.push(("start, s".to_owned(), engine.restart()?.as_secs_f64(), 0.1, true));
    Ok(figures)
}

fn figure(((name, embedded, floor, at_most), (_, kafka, ..)): ((String, f64, f64, bool), (String, f64, f64, bool))) -> Figure {
    Figure { name, embedded, kafka, floor, at_most }
}

fn print(figures: &[Figure], records: u64) {
    println!("\n| {records} records of {BYTES} bytes | embedded | Apache Kafka | ratio | bound |");
    println!("|---|---|---|---|---|");
    for Figure { name, embedded, kafka, floor, at_most } in figures {
        let ratio = embedded / kafka;
        let (sign, met) = if *at_most { ("≤", ratio <= *floor) } else { ("≥", ratio >= *floor) };
        println!("| {name} | {embedded:.2} | {kafka:.2} | **{ratio:.2}** | {sign} {floor} {} |", if met { "met" } else { "MISSED" });
    }
}

/// Peak or resident memory of a process, in MB.
fn memory(pid: u32, what: &str) -> Result<f64> {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).context("the process is gone")?;
    let line = status.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(':')).context("no such figure")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes / 1024.0)
}
