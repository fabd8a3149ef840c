//! A whole run: the cases of all paths, the failures, and the closing line.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use regex::Regex;
use sha2::{Digest, Sha256};

use crate::case::{self, Case};
use crate::{Mode, Options, SqlTestError, judge, run as runner, sql_file};

/// What a run gave.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed.
    pub failed: usize,
    /// Cases that expect rows and passed, and all of those.
    pub rows: (usize, usize),
    /// Cases that expect a rejection and passed, and all of those.
    pub rejections: (usize, usize),
}

/// Runs all cases of the paths and prints a line a failure, then the closing line `N passed, N failed`.
pub fn run(options: &Options) -> Result<Summary, SqlTestError> {
    let filter = options.filter.as_deref().map(Regex::new).transpose()?;
    let wanted = |file: &str, name: &str| filter.as_ref().is_none_or(|f| f.is_match(&format!("{file}: {name}")));
    let mut actual = options.actual.as_deref().map(writer).transpose()?;
    let mut passed = options.passed.as_deref().map(writer).transpose()?;
    let mut summary = Summary::default();
    for path in files(&options.paths)? {
        if path.extension().is_some_and(|e| e == "sql") {
            for test in sql_file::read(&path)? {
                if wanted(&test.file, &test.name) {
                    let why = sql_file::run(&test, options.mode);
                    summary.add(&test.file, &test.name, None, false, why);
                }
            }
            continue;
        }
        for case in case::read(&path)? {
            if !wanted(&case.file, &case.body.name) || case.body.responses.is_some() || case.body.expected_error.is_some() {
                continue;
            }
            let outcome = runner::run(&case, options.mode);
            if let Some(out) = &mut actual {
                line(out, options.actual.as_deref(), &serde_json::to_string(&outcome).unwrap_or_default())?;
            }
            let why = judge::judge(&case.body, &outcome);
            if let (None, Some(out)) = (&why, &mut passed) {
                line(out, options.passed.as_deref(), &hash(options.mode, &case))?;
            }
            let rejection = case.body.expected_exception.is_some();
            summary.add(&case.file, &case.body.name, case.variant.as_deref(), rejection, why);
        }
    }
    for (out, path) in [(&mut actual, &options.actual), (&mut passed, &options.passed)] {
        if let (Some(out), Some(path)) = (out, path) {
            out.flush().map_err(|error| file_error(path, error))?;
        }
    }
    println!("rows {}/{}, rejections {}/{}", summary.rows.0, summary.rows.1, summary.rejections.0, summary.rejections.1);
    println!("{} passed, {} failed", summary.passed, summary.failed);
    Ok(summary)
}

impl Summary {
    fn add(&mut self, file: &str, name: &str, variant: Option<&str>, rejection: bool, why: Option<String>) {
        let passed = why.is_none();
        let count = if rejection { &mut self.rejections } else { &mut self.rows };
        count.1 += 1;
        count.0 += usize::from(passed);
        self.passed += usize::from(passed);
        self.failed += usize::from(!passed);
        if let Some(why) = why {
            let variant = variant.map(|v| format!(" [{v}]")).unwrap_or_default();
            println!("FAILED {file}: {name}{variant}: {why}");
        }
    }
}

fn file_error(path: &Path, error: std::io::Error) -> SqlTestError {
    SqlTestError::File { path: path.display().to_string(), error }
}

fn writer(path: &Path) -> Result<BufWriter<File>, SqlTestError> {
    File::create(path).map(BufWriter::new).map_err(|error| file_error(path, error))
}

fn line(out: &mut BufWriter<File>, path: Option<&Path>, text: &str) -> Result<(), SqlTestError> {
    writeln!(out, "{text}").map_err(|error| file_error(path.unwrap_or(Path::new("output")), error))
}

/// The files of the paths, folders searched, in order of name.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, SqlTestError> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|error| file_error(path, error))?;
        let mut inner = Vec::new();
        for entry in entries {
            inner.push(entry.map_err(|error| file_error(path, error))?.path());
        }
        inner.retain(|p| p.is_dir() || p.extension().is_some_and(|e| e == "json" || e == "sql"));
        inner.sort();
        found.extend(files(&inner)?);
    }
    Ok(found)
}

/// The first 16 hexadecimal digits of SHA-256 over mode, file, name and variant.
fn hash(mode: Mode, case: &Case) -> String {
    let variant = case.variant.as_deref().unwrap_or("-");
    let digest = Sha256::digest(format!("{mode}/{}/{}/{variant}", case.file, case.body.name));
    digest.iter().take(8).map(|b| format!("{b:02x}")).collect()
}
