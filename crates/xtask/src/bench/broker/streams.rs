//! Kafka Streams' exactly-once count on the embedded broker, unmodified.

use crate::bench::kafka::Kafka;
use crate::bench::peers::Peers;
use crate::bench::workload::Workload;
use crate::broker::Broker;
use crate::checkout;
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// Orders that are counted.
const RECORDS: u64 = 200_000;

/// Runs the count; without a cache there must be one committed change an order. The program deletes its output when it has counted
/// it, so that what the changes say is not compared here. Left out, said in a line, without peers.
///
/// # Errors
/// When something cannot be run, or the number of changes is wrong.
pub fn run(root: &Path, flumen: &Path, work: &Path) -> Result<()> {
    let (Some(tools), Some(dir)) = (checkout::tools(root), checkout::peers(root)) else {
        println!("skipped: Kafka Streams on the embedded broker: FLUMEN_TOOLS and FLUMEN_PEERS name no folders of it");
        return Ok(());
    };
    let data = work.join("streams-data");
    let _ = std::fs::remove_dir_all(&data);
    let peers = Peers { dir, work: work.join("streams"), records: RECORDS, rounds: 1 };
    for folder in [&data, &peers.work] {
        std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    let broker = Broker::start(flumen, &data, "127.0.0.1:0")?;
    let kafka = Kafka::elsewhere(&tools, &work.join("tools"), &broker.address, broker.pid());
    peers.load(&kafka)?;
    let runs = peers.streams(&kafka, Workload::Count)?;
    for run in runs.iter().filter(|run| run.cache == 0) {
        ensure!(run.figures.out == RECORDS, "Kafka Streams wrote {} changes on the embedded broker, {RECORDS} are right", run.figures.out);
    }
    println!("\nKafka Streams on the embedded broker, exactly once: {} counts of {RECORDS} orders, every change there once", runs.len());
    drop(broker);
    let _ = std::fs::remove_dir_all(&data);
    Ok(())
}
