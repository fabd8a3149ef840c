//! A real Kafka for the benchmark, started by `kafka.sh` and stopped at the end.

use anyhow::{Context, Result, bail};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A broker of its own.
pub struct Kafka {
    script: PathBuf,
    dir: PathBuf,
    keep: bool,
    /// Another broker, which is not ours to stop.
    elsewhere: bool,
    /// Host and port.
    pub bootstrap: String,
    /// The process of the broker.
    pub pid: u32,
}

/// The event times of the input lie in the past, so nothing may be deleted by age: topics of windows, which have a retention
/// of their own, are therefore left alone by the cleaner for a day.
const PROPERTIES: &str = "log.retention.ms=-1\nlog.retention.check.interval.ms=86400000\nlog.initial.task.delay.ms=86400000\n\
                          log.cleaner.backoff.ms=86400000\nlog.cleaner.dedupe.buffer.size=134217728";

/// Kafka's heap, as its own start script has it.
const HEAP: &str = "1g";

/// The program that prints a topic.
const CONSUMER: &str = "org.apache.kafka.tools.consumer.ConsoleConsumer";
/// Prints bytes, those that are no plain character as `\xHH`.
const BYTES: &str = "org.apache.kafka.common.serialization.BytesDeserializer";

impl Kafka {
    /// Starts a broker with empty topics; one that was kept by an earlier run, with its topics, is taken over.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(tools: &Path, dir: &Path, keep: bool) -> Result<Kafka> {
        let script = tools.join("kafka.sh");
        if let Some((bootstrap, pid)) = running(dir) {
            return Ok(Kafka { script, dir: dir.to_path_buf(), keep, elsewhere: false, bootstrap, pid });
        }
        if dir.exists() {
            fs::remove_dir_all(dir).with_context(|| format!("{} cannot be deleted", dir.display()))?;
        }
        fs::create_dir_all(dir).with_context(|| format!("{} cannot be made", dir.display()))?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let status = Command::new(&script)
            .arg("start")
            .arg(dir)
            .arg(port.to_string())
            .env("KAFKA_HEAP", HEAP)
            .env("KAFKA_PROPS", PROPERTIES)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .with_context(|| format!("{} cannot be run", script.display()))?;
        let (bootstrap, pid) = running(dir).filter(|_| status.success()).context("Kafka does not start")?;
        Ok(Kafka { script, dir: dir.to_path_buf(), keep, elsewhere: false, bootstrap, pid })
    }

    /// The tools of Kafka for another broker. `dir` is theirs to work in.
    pub fn elsewhere(tools: &Path, dir: &Path, bootstrap: &str, pid: u32) -> Kafka {
        let script = tools.join("kafka.sh");
        Kafka { script, dir: dir.to_path_buf(), keep: false, elsewhere: true, bootstrap: bootstrap.to_owned(), pid }
    }

    /// Kills the broker and starts it again on its data; gives the script that does so.
    ///
    /// # Errors
    /// When it cannot be killed or started.
    pub fn restart(&mut self) -> Result<Child> {
        let mut kill = Command::new(&self.script);
        if !kill.arg("kill").arg(&self.dir).arg("1").status().context("Kafka cannot be killed")?.success() {
            bail!("Kafka cannot be killed");
        }
        let mut start = Command::new(&self.script);
        start.arg("restart").arg(&self.dir).arg("1").env("KAFKA_HEAP", HEAP).stdin(Stdio::null()).stdout(Stdio::null());
        start.spawn().context("Kafka cannot be started again")
    }

    /// Calls `each` with key and value of every committed record of a topic, partition by partition in order.
    ///
    /// # Errors
    /// When the topic cannot be read, or what `each` gives.
    pub fn read(&self, topic: &str, mut each: impl FnMut(&str, &str) -> Result<()>) -> Result<()> {
        let mut child = Command::new(&self.script)
            .arg("tool")
            .arg(&self.dir)
            .args([CONSUMER, "--bootstrap-server", &self.bootstrap, "--topic", topic, "--from-beginning"])
            .args(["--isolation-level", "read_committed", "--timeout-ms", "4000"])
            .args(["--formatter-property", "print.key=true", "--formatter-property", &format!("key.deserializer={BYTES}")])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("Kafka's consumer cannot be started")?;
        let outcome = lines(&mut child, &mut each);
        if outcome.is_err() {
            child.kill()?;
        }
        child.wait()?;
        outcome
    }
}

fn lines(child: &mut Child, each: &mut impl FnMut(&str, &str) -> Result<()>) -> Result<()> {
    let out = child.stdout.take().context("no output to read")?;
    for line in BufReader::with_capacity(1 << 20, out).lines() {
        let line = line.context("the topic cannot be read")?;
        let Some((key, value)) = line.split_once('\t') else { bail!("not a record: {line}") };
        each(key, value)?;
    }
    Ok(())
}

/// Address and process of the broker whose files are in this folder, if it runs.
fn running(dir: &Path) -> Option<(String, u32)> {
    let pid: u32 = fs::read_to_string(dir.join("broker1.pid")).ok()?.trim().parse().ok()?;
    let command = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
    let properties = fs::read_to_string(dir.join("broker1.properties")).ok()?;
    let listeners = properties.lines().find_map(|l| l.strip_prefix("advertised.listeners=PLAINTEXT://"))?;
    command.contains("kafka.Kafka").then(|| (listeners.split(',').next().unwrap_or_default().to_owned(), pid))
}

impl Drop for Kafka {
    fn drop(&mut self) {
        if self.elsewhere {
            return;
        }
        if self.keep {
            eprintln!("bench: Kafka stays at {}; `{} stop {}` ends it", self.bootstrap, self.script.display(), self.dir.display());
            return;
        }
        let stopped = Command::new(&self.script).arg("stop").arg(&self.dir).status();
        if !stopped.is_ok_and(|s| s.success()) || fs::remove_dir_all(&self.dir).is_err() {
            eprintln!("bench: Kafka could not be stopped, or {} not deleted", self.dir.display());
        }
    }
}
