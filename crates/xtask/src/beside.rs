//! Programs that stand beside the checkout and have a workspace of their own.

use crate::checkout;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the program `name` of the package in this folder, in the release profile, and gives its path. The folder is only read.
///
/// # Errors
/// When it does not compile.
pub fn build(folder: &Path, name: &str) -> Result<PathBuf> {
    let target = checkout::cache()?.join("shared-target");
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "-q", "--release", "--locked", "--manifest-path"]).arg(folder.join("Cargo.toml"));
    build.env("CARGO_TARGET_DIR", &target).env_remove("ROCKSDB_LIB_DIR");
    if !build.status().context("cargo cannot be run")?.success() {
        bail!("{} does not compile", folder.display());
    }
    Ok(target.join("release").join(name))
}
