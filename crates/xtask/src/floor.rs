//! The conformance floor: the public cases that passed once and must go on passing. The file keeps hashes, not names.

use crate::checkout;
use crate::setup;
use crate::test::{Mode, judge};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a run in one mode gave against the floor.
pub struct Verdict {
    /// Cases that pass now.
    pub passed: usize,
    /// Cases run.
    pub total: usize,
    /// Hashes that are in the floor and do not pass.
    pub lost: Vec<String>,
    /// Hashes that pass and are not in the floor.
    pub new: usize,
}

/// Runs the query-validation cases of the folder in one mode.
pub fn check(root: &Path, flumen: &Path, conformance: &Path, mode: Mode) -> Result<Verdict> {
    let floor = read(&file(root))?;
    let (passing, passed, total) = passing(flumen, conformance, mode)?;
    let held = floor.iter().filter(|line| line.starts_with(&prefix(mode)));
    let lost = held.filter(|line| !passing.contains(*line)).cloned().collect();
    let new = passing.iter().filter(|line| !floor.contains(*line)).count();
    Ok(Verdict { passed, total, lost, new })
}

/// Adds what passes now to the floor. Takes nothing out.
///
/// # Errors
/// When the folder of cases is absent or the runner fails.
pub fn grow() -> Result<bool> {
    let prepared = setup::prepare()?;
    let Some(conformance) = checkout::conformance(&prepared.root) else {
        bail!("the conformance folder is not there; name it by FLUMEN_CONFORMANCE");
    };
    let flumen = prepared.flumen()?;
    let file = file(&prepared.root);
    let mut floor = read(&file)?;
    let before = floor.len();
    for mode in [Mode::Straight, Mode::Chunk] {
        let (passing, passed, total) = passing(&flumen, &conformance, mode)?;
        println!("conformance, {mode}: {passed} of {total} pass");
        floor.extend(passing);
    }
    let text: String = floor.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
    println!("the floor grew from {before} to {} cases", floor.len());
    Ok(true)
}

/// The passing cases, each as `mode hash`, with the counts of passing cases and of all.
fn passing(flumen: &Path, conformance: &Path, mode: Mode) -> Result<(BTreeSet<String>, usize, usize)> {
    let list = std::env::temp_dir().join(format!("flumen-passing-{}-{mode}.txt", std::process::id()));
    let judged = judge(flumen, mode, &conformance.join("qtt"), Some(&list), false);
    let removed = std::fs::remove_file(&list);
    let judged = judged?;
    removed.context("the list of passing cases cannot be removed")?;
    let lines = judged.names.iter().map(|hash| format!("{}{hash}", prefix(mode))).collect();
    Ok((lines, judged.passed, judged.passed + judged.failed))
}

fn prefix(mode: Mode) -> String {
    format!("{mode} ")
}

fn file(root: &Path) -> PathBuf {
    root.join("sql-tests").join("conformance-floor.txt")
}

fn read(file: &Path) -> Result<BTreeSet<String>> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(text.lines().filter(|l| !l.is_empty()).map(str::to_owned).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", file.display())),
    }
}
