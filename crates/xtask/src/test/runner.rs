//! The built test runner, `flumen test`, called and its closing line read.

use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

/// How the rows of a case are fed.
#[derive(Clone, Copy)]
pub enum Mode {
    /// Record by record.
    Straight,
    /// The whole input of a query in one call.
    Chunk,
    /// With a commit and a crash between any two records.
    Crash,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Straight => "straight",
            Mode::Chunk => "chunk",
            Mode::Crash => "crash",
        })
    }
}

/// What the runner found.
pub struct Judged {
    pub passed: usize,
    pub failed: usize,
    /// The hashes of the names of the passing cases, if they were asked for.
    pub names: BTreeSet<String>,
}

/// Runs the cases below `cases` in one mode. With `passing`, the runner writes the names of passing cases to that file, and
/// they are read back; with `show`, its output is passed on.
///
/// # Errors
/// When the runner cannot be run, or ends without its closing line.
pub fn judge(flumen: &Path, mode: Mode, cases: &Path, passing: Option<&Path>, show: bool) -> Result<Judged> {
    let mut command = Command::new(flumen);
    command.arg("test").arg("--mode").arg(mode.to_string());
    if let Some(file) = passing {
        command.arg("--passed").arg(file);
    }
    let out = command.arg(cases).stdin(Stdio::null()).stderr(Stdio::inherit()).output().context("`flumen test` cannot be run")?;
    let text = String::from_utf8_lossy(&out.stdout);
    if show {
        // The closing line is for the whole of `cargo xtask test` to write, once.
        for line in text.lines().filter(|line| closing(line).is_none()) {
            println!("{line}");
        }
    }
    let Some((passed, failed)) = text.lines().rev().find_map(closing) else {
        bail!("`flumen test --mode {mode}` ended with {} and without its closing line", out.status);
    };
    if !out.status.success() && failed == 0 {
        bail!("`flumen test --mode {mode}` ended with {} though no case failed", out.status);
    }
    let names = match passing {
        Some(file) => {
            std::fs::read_to_string(file).context("the list of passing cases cannot be read")?.lines().map(str::to_owned).collect()
        }
        None => BTreeSet::new(),
    };
    Ok(Judged { passed, failed, names })
}

/// Reads `N passed, N failed`, with whatever may follow.
fn closing(line: &str) -> Option<(usize, usize)> {
    let (passed, rest) = line.trim().split_once(" passed, ")?;
    let failed = rest.split(' ').next()?;
    rest.contains(" failed").then_some(())?;
    Some((passed.parse().ok()?, failed.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::closing;

    #[test]
    fn the_closing_line_is_read() {
        assert_eq!(closing("12 passed, 3 failed"), Some((12, 3)));
        assert_eq!(closing("12 passed, 0 failed, 4 skipped"), Some((12, 0)));
        assert_eq!(closing("all passed, none failed"), None);
    }
}
