//! The lock that keeps a second server out of a data directory.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use anyhow::{Context, bail};

/// A locked data directory; the lock goes with the value, or with the process.
#[derive(Debug)]
pub struct Locked {
    _file: File,
}

/// Makes the directory if it is not there, and takes its lock.
pub fn lock(dir: &Path) -> anyhow::Result<Locked> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make the data directory {}", dir.display()))?;
    let path = dir.join("server.lock");
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.with_context(|| format!("cannot open {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(Locked { _file: file }),
        Err(TryLockError::WouldBlock) => {
            bail!("the data directory {} is in use by another server; stop it, or choose another one by --data-dir", dir.display())
        }
        Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("cannot lock {}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_second_server_is_kept_out() {
        let dir = tempfile::tempdir().unwrap();
        let first = super::lock(dir.path()).unwrap();
        assert!(super::lock(dir.path()).unwrap_err().to_string().contains("in use"));
        drop(first);
        super::lock(dir.path()).unwrap();
    }
}
