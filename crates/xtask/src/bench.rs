//! `cargo xtask bench`: Flumen's speed beside Kafka Streams and the bare client, on one Kafka, in one run.
//!
//! Both sides run the same workloads over the same topics, exactly once with a commit each 100 ms, on one worker thread. What
//! counts is records per CPU second of the process in the steady middle: from 10 % to 90 % of the input, in a round after
//! the first, whose queries, topics and state are fresh but whose process is warm. Every output is read back and compared with
//! what the generator of the input says it must be.

mod audit;
mod broker;
mod flumen;
mod input;
mod kafka;
mod peers;
mod report;
mod workload;

use crate::setup::{self, Prepared};
use crate::{checkout, server::Server};
use anyhow::{Context, Result, bail};
use kafka::Kafka;
use std::path::PathBuf;
use workload::{ALL, Workload};

/// Users, of whom each order names one.
const KEYS: u64 = 100_000;
/// Partitions of the topics.
const PARTITIONS: u32 = 4;

/// What is to be run.
struct Options {
    workloads: Vec<Workload>,
    records: u64,
    rounds: u32,
    repeat: u32,
    peers: bool,
    keep: bool,
}

/// Figures of one round on one engine.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// Input records by the clock, from the first to the last.
    pub per_second: f64,
    /// Input records by the clock, in the steady middle.
    pub steady_per_second: f64,
    /// Input records per CPU second of the process, in the steady middle.
    pub steady_per_cpu: f64,
    /// CPU seconds of the process from the first record to the last.
    pub app_cpu: f64,
    /// CPU seconds of the broker meanwhile.
    pub broker_cpu: f64,
    /// Records written.
    pub out: u64,
}

/// Runs the benchmark: `rows`, `broker [RECORDS] [GIGABYTES]`, or `[WORKLOAD…] [--records N] [--rounds R] [--repeat M] [--no-peers] [--keep]`.
///
/// # Errors
/// When something cannot be started, or an output is wrong.
pub fn run(args: &[String]) -> Result<bool> {
    if args.iter().any(|a| a == "rows") {
        if args.len() > 1 {
            bail!("`rows` is run by itself");
        }
        return rows(&setup::prepare()?);
    }
    if let Some(("broker", rest)) = args.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return broker::run(rest);
    }
    let options = parse(args)?;
    let prepared = setup::prepare()?;
    let tools = checkout::tools(&prepared.root).context("no kafka.sh: FLUMEN_TOOLS names no folder of it")?;
    let peers = checkout::peers(&prepared.root).context("no run.sh: FLUMEN_PEERS names no folder of it")?;
    eprintln!("bench: building flumen in release");
    let binary = prepared.flumen_release()?;
    let work = checkout::cache()?.join("bench");
    let kafka = Kafka::start(&tools, &work.join("kafka"), options.keep)?;
    let peers = peers::Peers { dir: peers, work: work.clone(), records: options.records, rounds: options.rounds };
    eprintln!("bench: loading {} orders for {KEYS} users", options.records);
    peers.load(&kafka)?;
    let expected = peers.expect()?;
    let mut rows = Vec::new();
    for workload in &options.workloads {
        let mut row = report::Row::new(*workload);
        for repeat in 1..=options.repeat {
            if options.peers {
                eprintln!("bench: {workload}, {repeat} of {}: Kafka Streams", options.repeat);
                row.streams(peers.streams(&kafka, *workload)?, expected.of(*workload))?;
                row.client.extend(peers.raw_path(&kafka, *workload, repeat)?);
            }
            eprintln!("bench: {workload}, {repeat} of {}: Flumen", options.repeat);
            row.flumen.push(measure(&binary, &work, &kafka, *workload, &options, expected.of(*workload))?);
        }
        row.print_runs();
        rows.push(row);
    }
    report::print(&rows);
    Ok(true)
}

/// All rounds of a workload in one server; gives the figures of the last.
fn measure(
    binary: &std::path::Path,
    work: &std::path::Path,
    kafka: &Kafka,
    workload: Workload,
    o: &Options,
    expected: u64,
) -> Result<Figures> {
    let data: PathBuf = work.join("flumen");
    std::fs::remove_dir_all(&data).or_else(|e| if e.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(e) })?;
    let settings = [
        format!("bootstrap.servers={}", kafka.bootstrap),
        format!("ksql.service.id=bench_{}_", std::process::id() as u64 * 1000 + flumen::fresh()),
        "flumen.worker.threads=1".to_owned(),
        "processing.guarantee=exactly_once_v2".to_owned(),
        "commit.interval.ms=100".to_owned(),
        "cache.max.bytes.buffering=0".to_owned(),
    ];
    let mut server = Server::start(binary, &data, &settings)?;
    let session = flumen::Session::new(&server)?;
    let mut figures = Figures::default();
    for round in 1..=o.rounds {
        let run = session.start(workload, round)?;
        figures = run.watch(o.records, kafka)?;
        let audit = audit::read(kafka, workload, &run.topic, o.records)?;
        if audit != expected {
            bail!("{workload} gave {audit} records, {expected} are right");
        }
        figures.out = audit;
        eprintln!(
            "bench: {workload}, round {round}: {:.0} records per CPU second, {audit} records out, all of them right",
            figures.steady_per_cpu
        );
        run.end()?;
    }
    server.stop()?;
    Ok(figures)
}

/// Nanoseconds a row of the steps of a query, in memory.
fn rows(prepared: &Prepared) -> Result<bool> {
    let status = prepared.cargo(&["bench", "--locked", "-p", "flumen", "--bench", "rows"]).status().context("cargo cannot be run")?;
    Ok(status.success())
}

fn parse(args: &[String]) -> Result<Options> {
    let mut options = Options { workloads: Vec::new(), records: 1_000_000, rounds: 2, repeat: 3, peers: true, keep: false };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut number = || -> Result<u64> {
            let text = args.next().with_context(|| format!("{arg} needs a number"))?;
            match text.parse()? {
                0 => bail!("{arg} must be more than 0"),
                n => Ok(n),
            }
        };
        match arg.as_str() {
            "--records" => options.records = number()?,
            "--rounds" => options.rounds = u32::try_from(number()?)?,
            "--repeat" => options.repeat = u32::try_from(number()?)?,
            "--no-peers" => options.peers = false,
            "--keep" => options.keep = true,
            name => match ALL.iter().find(|w| w.name() == name) {
                Some(workload) => options.workloads.push(*workload),
                None => bail!("no workload `{name}`; there are filter, count, tumbling, stjoin, and rows by itself"),
            },
        }
    }
    if options.workloads.is_empty() {
        options.workloads = ALL.to_vec();
    }
    Ok(options)
}
