//! `cargo xtask test`: every test of the workspace, then the SQL cases through the built binary.

mod libtest;
mod runner;

pub use runner::{Mode, judge};

use crate::checkout;
use crate::setup::{self, Prepared};
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

/// Counts of passed and failed tests, and the reasons of what was left out.
#[derive(Default)]
pub struct Totals {
    pub passed: usize,
    pub failed: usize,
    pub skipped: Vec<String>,
}

impl Totals {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: Totals) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped.extend(other.skipped);
    }

    /// Prints what was skipped and the closing line; true if nothing failed.
    pub fn close(mut self) -> bool {
        self.skipped.sort();
        self.skipped.dedup();
        for reason in &self.skipped {
            println!("skipped: {reason}");
        }
        let skipped = match self.skipped.len() {
            0 => String::new(),
            n => format!(", {n} skipped"),
        };
        println!("{} passed, {} failed{skipped}", self.passed, self.failed);
        self.failed == 0 && self.passed > 0
    }
}

/// Runs all tests and prints the closing line. True if none failed.
///
/// # Errors
/// When the set-up fails or cargo cannot be run.
pub fn run() -> Result<bool> {
    Ok(all(&setup::prepare()?)?.close())
}

/// Runs all tests on a prepared machine.
pub fn all(prepared: &Prepared) -> Result<Totals> {
    let mut totals = workspace(prepared)?;
    if checkout::tools(&prepared.root).is_none() {
        totals.skipped.push("tests on a real Kafka: FLUMEN_TOOLS names no folder with kafka.sh".to_owned());
    }
    let flumen = prepared.flumen()?;
    totals.add(sql_cases(&prepared.root, &flumen)?);
    Ok(totals)
}

/// `cargo test` over the workspace, with only what matters of its output passed on.
fn workspace(prepared: &Prepared) -> Result<Totals> {
    let mut command = prepared.cargo(&["test", "--locked", "--workspace", "--no-fail-fast", "--", "--show-output"]);
    // A test runs in the folder of its crate, so it is told where the folders beside the checkout are.
    for (name, folder) in [("FLUMEN_TOOLS", checkout::tools(&prepared.root)), ("FLUMEN_CONFORMANCE", checkout::conformance(&prepared.root))]
    {
        if let Some(folder) = folder.and_then(|f| f.canonicalize().ok()) {
            command.env(name, folder);
        }
    }
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("cargo cannot be run")?;
    let stdout = child.stdout.take().context("cargo test has no output")?;
    let mut reader = libtest::Reader::default();
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line.context("the output of cargo test cannot be read")?;
        if let Some(shown) = reader.line(&String::from_utf8_lossy(&line)) {
            println!("{shown}");
        }
    }
    let status = child.wait().context("cargo test cannot be waited for")?;
    let mut totals = reader.totals;
    if !status.success() && totals.failed == 0 {
        println!("cargo test ended with {status} and no failed test: something does not compile or a test process died");
        totals.failed += 1;
    }
    Ok(totals)
}

/// The cases of `sql-tests/`: each whole, as one chunk, and with a crash between any two records.
fn sql_cases(root: &Path, flumen: &Path) -> Result<Totals> {
    let cases = root.join("sql-tests");
    if !cases.is_dir() {
        bail!("{} is not there", cases.display());
    }
    let mut totals = Totals::default();
    for mode in [Mode::Straight, Mode::Chunk, Mode::Crash] {
        let judged = judge(flumen, mode, &cases, None, true)?;
        println!("SQL cases, {mode}: {} passed, {} failed", judged.passed, judged.failed);
        totals.add(Totals { passed: judged.passed, failed: judged.failed, skipped: Vec::new() });
    }
    Ok(totals)
}
