//! Where things are: the checkout, the caches outside it, the folders of test data beside it.

use anyhow::{Context, Result, bail};
use std::env;
use std::path::{Path, PathBuf};

/// The top folder of the checkout.
///
/// # Errors
/// When this program runs elsewhere than in a checkout.
pub fn root() -> Result<PathBuf> {
    let start = match env::var_os("CARGO_MANIFEST_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => env::current_dir().context("the current folder cannot be read")?,
    };
    for dir in start.ancestors() {
        if dir.join("Cargo.lock").is_file() && dir.join("crates").is_dir() {
            return Ok(dir.to_path_buf());
        }
    }
    bail!("{} is not inside a checkout of Flumen", start.display())
}

/// The folder for what may be deleted at any time and is dear to make again: `~/.cache/flumen`.
///
/// # Errors
/// When neither `XDG_CACHE_HOME` nor `HOME` is set.
pub fn cache() -> Result<PathBuf> {
    if let Some(dir) = env::var_os("XDG_CACHE_HOME").filter(|d| !d.is_empty()) {
        return Ok(PathBuf::from(dir).join("flumen"));
    }
    let home = env::var_os("HOME").filter(|d| !d.is_empty()).context("HOME is not set, so there is no place for the build cache")?;
    Ok(PathBuf::from(home).join(".cache").join("flumen"))
}

/// The folder of the public conformance cases: `FLUMEN_CONFORMANCE`, else `../shared/conformance`; `None` if it is absent.
pub fn conformance(root: &Path) -> Option<PathBuf> {
    let dir = match env::var_os("FLUMEN_CONFORMANCE") {
        Some(dir) => PathBuf::from(dir),
        None => root.join("../shared/conformance"),
    };
    dir.join("qtt").is_dir().then_some(dir)
}

/// The folder of the scripts that start real services: `FLUMEN_TOOLS`, else `../shared/tools`; `None` if it is absent.
pub fn tools(root: &Path) -> Option<PathBuf> {
    let dir = match env::var_os("FLUMEN_TOOLS") {
        Some(dir) => PathBuf::from(dir),
        None => root.join("../shared/tools"),
    };
    dir.join("kafka.sh").is_file().then_some(dir)
}

/// The folder of the engines that Flumen's speed is measured against: `FLUMEN_PEERS`, else `../shared/peers`; `None` if it is
/// absent.
pub fn peers(root: &Path) -> Option<PathBuf> {
    let dir = match env::var_os("FLUMEN_PEERS") {
        Some(dir) => PathBuf::from(dir),
        None => root.join("../shared/peers"),
    };
    dir.join("run.sh").is_file().then_some(dir)
}
