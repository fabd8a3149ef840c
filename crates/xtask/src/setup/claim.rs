//! Whose builds a target folder holds.
//!
//! Two checkouts may share one, so that the dependencies are built once. But cargo takes the crates of both workspaces for the
//! same, and what the other has built for fresh. So one checkout uses the folder at a time, and one that finds the
//! builds of another has its own crates built anew.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};

/// The file that names the checkout, and is locked while it builds or runs what it has built.
const OWNER: &str = ".checkout";

/// Leave to use a target folder, as long as it is kept.
pub struct Claim {
    _lock: File,
}

impl Claim {
    /// Waits until no other checkout uses the folder, then claims it for the one at `root`.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn take(target: &Path, root: &Path) -> Result<Claim> {
        fs::create_dir_all(target).with_context(|| format!("cannot make {}", target.display()))?;
        let path = target.join(OWNER);
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.with_context(|| format!("cannot open {}", path.display()))?;
        let mine = root.to_string_lossy();
        let owner = || fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()));
        loop {
            file.lock_shared()?;
            if owner()? == mine {
                return Ok(Claim { _lock: file });
            }
            file.unlock()?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    eprintln!("set-up: waiting until {} has done with {}", owner()?, target.display());
                    file.lock()?;
                }
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            if owner()? != mine {
                forget(target)?;
                fs::write(&path, mine.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
            }
            // Another checkout may come in between: then once more.
            file.unlock()?;
        }
    }
}

/// Makes cargo forget what it has built of this workspace, in every profile.
fn forget(target: &Path) -> Result<()> {
    for profile in ["debug", "release"] {
        let prints = target.join(profile).join(".fingerprint");
        let entries = match fs::read_dir(&prints) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            other => other.with_context(|| format!("cannot read {}", prints.display()))?,
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            if ["flumen", "xtask"].iter().any(|own| name.to_string_lossy().starts_with(own)) {
                fs::remove_dir_all(entry.path()).with_context(|| format!("cannot remove {}", entry.path().display()))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_checkout_builds_its_own_crates_anew() {
        let target = std::env::temp_dir().join(format!("flumen-claim-{}", std::process::id()));
        let prints = target.join("debug/.fingerprint");
        let build = || {
            for print in ["flumen-plan-0123", "xtask-4567", "serde-89ab"] {
                fs::create_dir_all(prints.join(print)).unwrap();
            }
        };
        let left = || fs::read_dir(&prints).unwrap().count();
        build();
        drop(Claim::take(&target, Path::new("/one")).unwrap());
        assert_eq!(left(), 1);
        build();
        let first = Claim::take(&target, Path::new("/one")).unwrap();
        let second = Claim::take(&target, Path::new("/one")).unwrap();
        assert_eq!(left(), 3);
        drop((first, second));
        drop(Claim::take(&target, Path::new("/two")).unwrap());
        assert_eq!(left(), 1);
        fs::remove_dir_all(&target).unwrap();
    }
}
