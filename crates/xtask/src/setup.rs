//! What must be there before the first build: system packages, RocksDB, the folders of the build.

mod claim;
mod librocksdb;
mod system;

use crate::checkout;
use anyhow::{Context, Result, bail};
use claim::Claim;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A prepared machine; its [`cargo`](Self::cargo) runs cargo with the shared target folder and the prepared RocksDB.
pub struct Prepared {
    /// The top folder of the checkout.
    pub root: PathBuf,
    target: PathBuf,
    rocksdb: PathBuf,
    _claim: Claim,
}

/// Prepares the machine, saying on standard error what is being done. Quick when everything is there already.
///
/// # Errors
/// When a system package is missing and cannot be installed, or RocksDB does not compile.
pub fn prepare() -> Result<Prepared> {
    let root = checkout::root()?;
    system::ensure()?;
    let target = match env::var_os("CARGO_TARGET_DIR").filter(|d| !d.is_empty()) {
        Some(dir) => PathBuf::from(dir),
        None => checkout::cache()?.join("target"),
    };
    let rocksdb = match preset(&root) {
        Some(dir) => dir,
        None => {
            let dir = librocksdb::ensure(&root)?;
            link(&root.join(".rocksdb"), &dir)?;
            dir
        }
    };
    let claim = Claim::take(&target, &root)?;
    Ok(Prepared { root, target, rocksdb, _claim: claim })
}

/// Installs what only tests use, as far as that can be done here.
pub fn prepare_for_tests() {
    system::ensure_for_tests();
}

impl Prepared {
    /// A cargo command in the checkout. The library's real folder is named, not the link to it, so that two checkouts share
    /// one build of everything that stands on RocksDB.
    pub fn cargo(&self, args: &[&str]) -> Command {
        let mut command = cargo(&self.root);
        command.args(args).env("CARGO_TARGET_DIR", &self.target).env("ROCKSDB_LIB_DIR", &self.rocksdb).env("ROCKSDB_STATIC", "1");
        command
    }

    /// Builds the `flumen` binary in the release profile and gives its path.
    ///
    /// # Errors
    /// When it does not compile.
    pub fn flumen_release(&self) -> Result<PathBuf> {
        let status = self.cargo(&["build", "--locked", "--release", "-p", "flumen"]).status().context("cargo cannot be run")?;
        if !status.success() {
            bail!("flumen does not compile");
        }
        Ok(self.target.join("release").join("flumen"))
    }

    /// The path of something built in the release profile.
    pub fn release(&self, name: &str) -> PathBuf {
        self.target.join("release").join(name)
    }

    /// Builds the `flumen` binary in the development profile and gives its path.
    ///
    /// # Errors
    /// When it does not compile.
    pub fn flumen(&self) -> Result<PathBuf> {
        // The whole workspace is selected so that features, and with them the built dependencies, are those of the tests.
        let status = self.cargo(&["build", "--locked", "--workspace", "--bin", "flumen"]).status().context("cargo cannot be run")?;
        if !status.success() {
            bail!("flumen does not compile");
        }
        Ok(self.target.join("debug").join("flumen"))
    }
}

/// Cargo as it would run from a terminal: without what an outer `cargo run` has set for this program.
fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|n| n.starts_with("CARGO_PKG_") || n.starts_with("CARGO_MANIFEST_") || n == "LD_LIBRARY_PATH") {
            command.env_remove(name);
        }
    }
    command
}

/// A RocksDB that the caller chose by `ROCKSDB_LIB_DIR`. The value that `.cargo/config.toml` gives is not such a choice.
fn preset(root: &Path) -> Option<PathBuf> {
    let dir = PathBuf::from(env::var_os("ROCKSDB_LIB_DIR")?);
    (dir != root.join(".rocksdb") && dir.join("librocksdb.a").is_file()).then_some(dir)
}

fn link(link: &Path, to: &Path) -> Result<()> {
    if std::fs::read_link(link).is_ok_and(|old| old == to) {
        return Ok(());
    }
    if link.symlink_metadata().is_ok() {
        std::fs::remove_file(link).with_context(|| format!("{} is in the way of the link to RocksDB", link.display()))?;
    }
    std::os::unix::fs::symlink(to, link).with_context(|| format!("{} cannot be made", link.display()))
}

/// True if the program runs and exits 0.
fn works(program: &str, args: &[&str]) -> bool {
    Command::new(program).args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

/// What the program prints, if it runs and exits 0.
fn output(program: &str, args: &[&str]) -> Option<String> {
    let out = Command::new(program).args(args).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}
