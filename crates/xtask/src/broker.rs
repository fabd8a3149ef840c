//! `flumen broker` as a process of its own, on a free port and a folder of its own.

use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The line a broker prints when it is ready.
const LISTENING: &str = "flumen: broker listening on ";

/// A running broker; killed when dropped.
pub struct Broker {
    child: Child,
    /// Host and port.
    pub address: String,
}

impl Broker {
    /// Starts a broker on a folder and an address (port 0: any that is free) and waits until it is ready.
    ///
    /// # Errors
    /// When it ends before.
    pub fn start(binary: &Path, data: &Path, listen: &str) -> Result<Broker> {
        let mut child = Command::new(binary)
            .args(["broker", "--listen", listen, "--data-dir"])
            .arg(data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{} cannot be started", binary.display()))?;
        let output = child.stdout.take().context("the broker has no output")?;
        let line = BufReader::new(output).lines().map_while(Result::ok).find_map(|line| line.strip_prefix(LISTENING).map(str::to_owned));
        let mut broker = Broker { child, address: line.unwrap_or_default() };
        if broker.address.is_empty() {
            bail!("the broker ended with {}", broker.child.wait().context("it cannot be waited for")?);
        }
        Ok(broker)
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        // One that has ended already cannot be killed, and need not.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
