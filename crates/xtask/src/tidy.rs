//! The rules of the source tree that no compiler checks.

mod code;
mod files;
mod layers;

use crate::checkout;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

/// Checks every rule and prints each breach as `file:line: what is wrong`. True if there is none.
///
/// # Errors
/// When git or cargo cannot be asked.
pub fn run() -> Result<bool> {
    let breaches = breaches()?;
    for breach in &breaches {
        println!("{breach}");
    }
    match breaches.len() {
        0 => println!("tidy: every rule is kept"),
        n => println!("tidy: {n} to put right"),
    }
    Ok(breaches.is_empty())
}

fn breaches() -> Result<Vec<String>> {
    let root = checkout::root()?;
    let mut breaches = layers::check(&root)?;
    breaches.extend(files::check(&root, &tracked(&root)?)?);
    Ok(breaches)
}

/// Every file of the tree that git does not ignore, relative to the top folder.
fn tracked(root: &Path) -> Result<Vec<String>> {
    let out = Command::new("git")
        .current_dir(root)
        .args(["ls-files", "-z", "-co", "--exclude-standard"])
        .output()
        .context("git cannot be run")?;
    if !out.status.success() {
        bail!("git ls-files failed: {}", String::from_utf8_lossy(&out.stderr).trim());
    }
    let names = String::from_utf8(out.stdout).context("a file name is not UTF-8")?;
    let mut files: Vec<String> = names.split('\0').filter(|n| !n.is_empty() && root.join(n).is_file()).map(str::to_owned).collect();
    files.sort();
    files.dedup();
    Ok(files)
}
