//! A log of gigabytes on the embedded broker: its memory, and how soon it answers after a kill.

use super::Load;
use super::engine::Engine;
use anyhow::{Context, Result};
use std::path::Path;
use std::time::Instant;

/// Bytes of a record.
const BYTES: u64 = 1_000;
/// Bounds: memory in MB, seconds until an answer.
const MEMORY: f64 = 200.0;
const ANSWER: f64 = 2.0;

/// Writes and reads the log, kills the broker, and reads the oldest record of each partition.
///
/// # Errors
/// When the load fails.
pub fn run(flumen: &Path, load: &Load, data: &Path, gigabytes: u64) -> Result<()> {
    eprintln!("bench: {gigabytes} GB in 8 partitions of the embedded broker");
    let mut engine = Engine::embedded(flumen, data)?;
    let records = (gigabytes * 1_000_000_000 / BYTES).to_string();
    load.run(engine.address(), &["throughput", "large", "8", "none", &records, &BYTES.to_string()])?;
    let peak = engine.memory("VmHWM")?;
    let restarted = engine.restart()?.as_secs_f64();
    let begun = Instant::now();
    load.run(engine.address(), &["first", "large", "8"])?;
    let first = begun.elapsed().as_secs_f64();
    let after = engine.memory("VmHWM")?;
    let met = |good: bool| if good { "met" } else { "MISSED" };
    println!("\n{gigabytes} GB of {BYTES}-byte records, 8 partitions, written and read:");
    println!("peak memory {peak:.0} MB, after the restart {after:.0} MB (bound {MEMORY:.0}: {})", met(peak.max(after) < MEMORY));
    println!("answers {restarted:.2} s after a kill (bound {ANSWER}: {}), all partitions read {first:.2} s later", met(restarted < ANSWER));
    drop(engine);
    std::fs::remove_dir_all(data).with_context(|| format!("{} cannot be deleted", data.display()))
}
