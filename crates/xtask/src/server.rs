//! A server of our own for the demo and the benchmark: started, waited for, and stopped in every case.

use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take to be ready, and to stop.
const READY: Duration = Duration::from_secs(120);
const STOPPED: Duration = Duration::from_secs(30);

/// The line a server prints when it is ready.
const LISTENING: &str = "flumen: listening on ";

/// A running server.
pub struct Server {
    child: Child,
    binary: PathBuf,
    /// Its address, with the scheme.
    pub url: String,
}

impl Server {
    /// Starts a server on a data directory with these settings (`name=value`) and waits until it is ready. It takes the
    /// usual port if that is free. What it prints goes to `server.log` in the directory.
    ///
    /// # Errors
    /// When it ends or is not ready in time; the end of its log is in the message.
    pub fn start(binary: &Path, data: &Path, settings: &[String]) -> Result<Server> {
        fs::create_dir_all(data).with_context(|| format!("{} cannot be made", data.display()))?;
        let path = data.join("server.log");
        let log = File::create(&path).with_context(|| format!("{} cannot be written", path.display()))?;
        let port = if TcpListener::bind("127.0.0.1:8088").is_ok() { 8088 } else { 0 };
        let child = Command::new(binary)
            .arg("server")
            .arg("--data-dir")
            .arg(data)
            .args(["--set", &format!("listeners=http://127.0.0.1:{port}")])
            .args(settings.iter().flat_map(|setting| ["--set", setting]))
            .stdin(Stdio::null())
            .stdout(log.try_clone().context("the log cannot be shared")?)
            .stderr(log)
            // A group of its own, so that Ctrl-C in the shell does not reach it.
            .process_group(0)
            .spawn()
            .with_context(|| format!("{} cannot be started", binary.display()))?;
        let mut server = Server { child, binary: binary.to_path_buf(), url: String::new() };
        let deadline = Instant::now() + READY;
        loop {
            let text = fs::read_to_string(&path).unwrap_or_default();
            if let Some(url) = text.lines().find_map(|line| line.strip_prefix(LISTENING)) {
                server.url = url.trim().to_owned();
                return Ok(server);
            }
            if let Some(status) = server.child.try_wait().context("the server cannot be waited for")? {
                bail!("the server ended with {status}; the end of {}:\n{}", path.display(), tail(&text));
            }
            if Instant::now() > deadline {
                bail!("the server was not ready within {} s; the end of {}:\n{}", READY.as_secs(), path.display(), tail(&text));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Host and port.
    pub fn address(&self) -> String {
        self.url.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default().to_owned()
    }

    /// Stops the server, cleanly if it can.
    pub fn stop(&mut self) -> Result<()> {
        if self.child.try_wait().context("the server cannot be waited for")?.is_some() {
            return Ok(());
        }
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        let deadline = Instant::now() + STOPPED;
        while asked.as_ref().is_ok_and(|s| s.success()) && Instant::now() < deadline {
            if self.child.try_wait().context("the server cannot be waited for")?.is_some() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        self.child.kill().context("the server cannot be stopped")?;
        self.child.wait().context("the server cannot be waited for")?;
        bail!("the server did not stop within {} s and was killed", STOPPED.as_secs())
    }

    /// Turns this process into the shell, which stops the server when it is left. Ctrl-C reaches the shell alone: the
    /// script that waits for it takes no notice.
    ///
    /// # Errors
    /// Only returns if that fails.
    pub fn into_shell(mut self) -> Result<()> {
        let script = r#"trap : INT
"$1" cli "$2"
kill -TERM "$3" 2>/dev/null
n=0
while [ -e "/proc/$3/exe" ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done"#;
        let pid = self.child.id().to_string();
        let error = Command::new("sh").args(["-c", script, "sh"]).arg(&self.binary).args([&self.url, &pid]).exec();
        self.stop()?;
        Err(error).context("the shell cannot be started")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Err(error) = self.stop() {
            eprintln!("{error:#}");
        }
    }
}

/// The last lines of a log.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().skip(lines.len().saturating_sub(15)).map(|line| format!("    {line}\n")).collect()
}
