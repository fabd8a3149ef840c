//! What tests need of the machine: Apache Kafka, where it can run, and packages of other languages. Only tests depend on this
//! crate, so it panics where they would.

mod packages;

pub use packages::{installed, run, said};

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The script that starts Kafka and runs its tools; `None`, said in a line, where there is none or no Java.
pub fn kafka_script() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tools = std::env::var_os("FLUMEN_TOOLS").map_or_else(|| workspace.join("../shared/tools"), PathBuf::from);
    let script = tools.join("kafka.sh");
    if !script.exists() {
        println!("skipped: no Apache Kafka, {} does not exist (set FLUMEN_TOOLS)", script.display());
        return None;
    }
    if Command::new("java").arg("-version").stderr(Stdio::null()).status().is_err() {
        println!("skipped: no Apache Kafka, java is not installed");
        return None;
    }
    Some(script)
}

/// A running Apache Kafka of one broker; stopped when dropped.
pub struct Kafka {
    script: PathBuf,
    dir: TempDir,
    address: String,
}

impl Kafka {
    /// Starts one; `None`, said in a line, where that cannot be done.
    ///
    /// # Panics
    /// When it can be done and yet fails.
    pub fn start() -> Option<Kafka> {
        let script = kafka_script()?;
        // Another process may take the port, or one beside it that the script needs, before Kafka does: then with another one.
        for _ in 0..4 {
            let port = TcpListener::bind("127.0.0.1:0").expect("a socket").local_addr().expect("its address").port();
            let dir = tempfile::tempdir().expect("a folder");
            let kafka = Kafka { script: script.clone(), dir, address: format!("127.0.0.1:{port}") };
            if kafka.run("start", &[&port.to_string()]) {
                return Some(kafka);
            }
        }
        panic!("{} start failed on four ports", script.display());
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    fn run(&self, command: &str, more: &[&str]) -> bool {
        let status = Command::new(&self.script).arg(command).arg(self.dir.path()).args(more).stdout(Stdio::null()).status();
        status.expect("the script").success()
    }
}

impl Drop for Kafka {
    fn drop(&mut self) {
        self.run("stop", &[]);
    }
}
