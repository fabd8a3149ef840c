//! The data directory: its format version, the lock that keeps a second process out, and where things lie in it.

use crate::{config::Fsync, error::BrokerError};
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    path::{Path, PathBuf},
};

const VERSION: u32 = 1;
/// There while the directory is in use, and after a run that did not end cleanly.
const RUNNING: &str = "running";

/// A locked data directory. The lock goes with the value, or with the process.
#[derive(Debug)]
pub struct DataDir {
    root: PathBuf,
    fsync: Fsync,
    power_lost: bool,
    _lock: File,
}

impl DataDir {
    /// Opens or makes the directory and takes its lock.
    pub fn open(root: &Path, fsync: Fsync) -> Result<Self, BrokerError> {
        std::fs::create_dir_all(root).map_err(BrokerError::io("create the data directory", root))?;
        let lock = lock(root)?;
        check_version(root)?;
        let power_lost = begin_run(root, &boot_id()).map_err(BrokerError::io("write into", root))?;
        if power_lost {
            tracing::warn!(path = %root.display(), "the machine went down while the data directory was in use: checking all records");
        }
        let dir = Self { root: root.to_path_buf(), fsync, power_lost, _lock: lock };
        let logs = dir.logs();
        std::fs::create_dir_all(&logs).map_err(BrokerError::io("create", logs))?;
        Ok(dir)
    }

    /// When what is written has to be on the disk.
    pub fn fsync(&self) -> Fsync {
        self.fsync
    }

    /// Whether the machine went down under the last run, so that files may lack what was written to them.
    pub fn power_lost(&self) -> bool {
        self.power_lost
    }

    /// Notes that what a loss of power has left was checked. Until then every start checks it again.
    pub fn recovered(&self) -> Result<(), BrokerError> {
        let path = self.root.join(RUNNING);
        if self.power_lost { write_durably(&path, boot_id().as_bytes()).map_err(BrokerError::io("write", path)) } else { Ok(()) }
    }

    /// Notes that everything is on the disk.
    pub fn end_run(&self) {
        if let Err(error) = std::fs::remove_file(self.root.join(RUNNING)) {
            tracing::warn!(%error, "cannot note the clean end");
        }
    }

    /// The cluster's id: random, made with the directory.
    pub fn cluster_id(&self) -> Result<String, BrokerError> {
        let path = self.root.join("cluster-id");
        match std::fs::read_to_string(&path) {
            Ok(id) if !id.trim().is_empty() => Ok(id.trim().to_string()),
            Ok(_) => self.new_cluster_id(&path),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => self.new_cluster_id(&path),
            Err(source) => Err(BrokerError::Io { action: "read", path, source }),
        }
    }

    fn new_cluster_id(&self, path: &Path) -> Result<String, BrokerError> {
        let id = uuid::Uuid::new_v4().simple().to_string();
        write_durably(path, id.as_bytes()).map_err(BrokerError::io("write", path))?;
        Ok(id)
    }

    /// The folder with one folder a topic.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// The file of a durable map.
    pub fn map(&self, name: &str) -> PathBuf {
        self.root.join(format!("{name}.map"))
    }
}

fn lock(root: &Path) -> Result<File, BrokerError> {
    let path = root.join("lock");
    let mut file =
        OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path).map_err(BrokerError::io("open", &path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut pid = String::new();
            let _ = file.read_to_string(&mut pid);
            let pid = pid.trim();
            let pid = if pid.is_empty() { "unknown" } else { pid }.to_string();
            return Err(BrokerError::Locked { path: root.to_path_buf(), pid });
        }
        Err(TryLockError::Error(source)) => return Err(BrokerError::Io { action: "lock", path, source }),
    }
    file.set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| writeln!(file, "{}", std::process::id()))
        .map_err(BrokerError::io("write", &path))?;
    Ok(file)
}

/// Notes that a run begins. Gives whether the one before neither ended cleanly nor in the time since the machine was started.
fn begin_run(root: &Path, boot: &str) -> std::io::Result<bool> {
    let path = root.join(RUNNING);
    match std::fs::read_to_string(&path) {
        Ok(before) => Ok(before != boot),
        Err(_) => write_durably(&path, boot.as_bytes()).map(|()| false),
    }
}

/// What tells one start of the machine from another; empty if the system does not say.
fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default()
}

/// Makes the names in a folder survive a loss of power.
pub fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

fn check_version(root: &Path) -> Result<(), BrokerError> {
    let path = root.join("version");
    match std::fs::read_to_string(&path) {
        Ok(found) if found.trim() == VERSION.to_string() => Ok(()),
        Ok(found) => {
            Err(BrokerError::Version { path: root.to_path_buf(), found: found.trim().chars().take(20).collect(), expected: VERSION })
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            write_durably(&path, format!("{VERSION}\n").as_bytes()).map_err(BrokerError::io("write", path))
        }
        Err(source) => Err(BrokerError::Io { action: "read", path, source }),
    }
}

/// Writes a file so that after a loss of power either the old or the new content is there, and after the call the new.
pub fn write_durably(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let temporary = path.with_extension("new");
    let mut file = File::create(&temporary)?;
    file.write_all(content)?;
    file.sync_all()?;
    std::fs::rename(temporary, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Writes a file so that after a crash of the process either the old or the new content is there.
pub fn replace_file(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let temporary = path.with_extension("new");
    std::fs::write(&temporary, content)?;
    std::fs::rename(temporary, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_opening_is_refused_with_the_holder() {
        let dir = tempfile::tempdir().unwrap();
        let first = DataDir::open(dir.path(), Fsync::System).unwrap();
        match DataDir::open(dir.path(), Fsync::System) {
            Err(BrokerError::Locked { pid, .. }) => assert_eq!(pid, std::process::id().to_string()),
            other => panic!("{other:?}"),
        }
        drop(first);
        DataDir::open(dir.path(), Fsync::System).unwrap();
    }

    #[test]
    fn a_loss_of_power_is_told_from_a_crash() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!begin_run(dir.path(), "first").unwrap(), "new");
        assert!(!begin_run(dir.path(), "first").unwrap(), "only the process had ended");
        assert!(begin_run(dir.path(), "second").unwrap());
        let opened = DataDir::open(dir.path(), Fsync::System).unwrap();
        assert!(opened.power_lost());
        drop(opened);
        let opened = DataDir::open(dir.path(), Fsync::System).unwrap();
        assert!(opened.power_lost(), "nothing was checked yet");
        opened.recovered().unwrap();
        drop(opened);
        let opened = DataDir::open(dir.path(), Fsync::System).unwrap();
        assert!(!opened.power_lost());
        opened.end_run();
        drop(opened);
        assert!(!begin_run(dir.path(), "third").unwrap(), "the run had ended cleanly");
    }

    #[test]
    fn another_format_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("version"), "99\n").unwrap();
        assert!(matches!(DataDir::open(dir.path(), Fsync::System), Err(BrokerError::Version { .. })));
    }
}
