//! Packages of other languages, installed below the cache the first time a test needs them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs a program to its end; what it said if it failed or cannot be run.
///
/// # Errors
/// With what the program or the system said.
pub fn run(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if output.status.success() { Ok(output) } else { Err(said(&output)) }
}

/// What a program wrote, errors last.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The folder `kind/name` below the cache, filled by `install` unless that was done before.
///
/// # Errors
/// Why it cannot be had.
pub fn installed(kind: &str, name: &str, install: impl FnOnce(&Path) -> Result<(), String>) -> Result<PathBuf, String> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).ok_or("HOME is not set")?;
    let folder = Path::new(&home).join(".cache/flumen").join(kind).join(name);
    let complete = folder.join("complete");
    if !complete.exists() {
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        install(&folder)?;
        std::fs::write(complete, "").map_err(failed)?;
    }
    Ok(folder)
}
