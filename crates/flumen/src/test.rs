//! `flumen test`: runs case files in memory.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use flumen_sqltest::Mode;

/// What `flumen test` is started with.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Write what came out of each JSON case to this file, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    actual: Option<PathBuf>,
    /// Write a hash of each passing case to this file.
    #[arg(long, value_name = "FILE")]
    passed: Option<PathBuf>,
    /// Run only the cases whose `file: name` this regular expression finds.
    #[arg(long, value_name = "REGEX")]
    filter: Option<String>,
    /// How records are divided into steps: straight (one by one), chunk (all at once) or crash (a restart after each).
    #[arg(long, value_name = "MODE", default_value = "straight")]
    mode: Mode,
    /// `.sql` and `.json` case files, or folders of them.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
}

/// Runs the cases; fails if one of them does.
pub fn run(options: Options) -> anyhow::Result<ExitCode> {
    let Options { actual, passed, filter, mode, paths } = options;
    let summary = flumen_sqltest::run(&flumen_sqltest::Options { paths, mode, filter, actual, passed })?;
    if summary.passed + summary.failed == 0 {
        bail!("no case was run: the paths hold none, or --filter finds none");
    }
    Ok(if summary.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
