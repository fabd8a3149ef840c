//! What a run is asked to do.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// How records are divided into steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One record at a time.
    Straight,
    /// All records of a query at once.
    Chunk,
    /// One record at a time, a crash and a restore after each.
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

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Mode::Straight, Mode::Chunk, Mode::Crash]
            .into_iter()
            .find(|m| m.to_string() == text)
            .ok_or_else(|| format!("unknown mode '{text}': the modes are straight, chunk and crash"))
    }
}

impl From<Mode> for flumen_runtime::driver::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Straight => flumen_runtime::driver::Mode::Straight,
            Mode::Chunk => flumen_runtime::driver::Mode::Chunk,
            Mode::Crash => flumen_runtime::driver::Mode::Crash,
        }
    }
}

/// A run of `flumen test`.
#[derive(Debug, Clone)]
pub struct Options {
    /// Files and folders of cases.
    pub paths: Vec<PathBuf>,
    /// How records are divided into steps.
    pub mode: Mode,
    /// Only cases whose `file: name` this regular expression finds.
    pub filter: Option<String>,
    /// Where to write what came out of each JSON case, one JSON object a line.
    pub actual: Option<PathBuf>,
    /// Where to write a hash of each passing case's mode, file, name and variant.
    pub passed: Option<PathBuf>,
}
