//! A broker under test: started, measured, started again.

use crate::bench::kafka::Kafka;
use crate::broker::Broker;
use crate::checkout;
use anyhow::{Context, Result, bail};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a broker may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// One of the two.
pub enum Engine {
    Embedded { broker: Option<Broker>, binary: PathBuf, data: PathBuf, address: String },
    Kafka(Kafka),
}

impl Engine {
    /// `flumen broker` on an empty folder.
    pub fn embedded(binary: &Path, data: &Path) -> Result<Engine> {
        if data.exists() {
            fs::remove_dir_all(data).with_context(|| format!("{} cannot be deleted", data.display()))?;
        }
        fs::create_dir_all(data).with_context(|| format!("{} cannot be made", data.display()))?;
        let broker = Broker::start(binary, data, "127.0.0.1:0")?;
        let address = broker.address.clone();
        Ok(Engine::Embedded { broker: Some(broker), binary: binary.to_path_buf(), data: data.to_path_buf(), address })
    }

    /// Apache Kafka on an empty folder.
    pub fn kafka(root: &Path, dir: &Path) -> Result<Engine> {
        let tools = checkout::tools(root).context("no kafka.sh: FLUMEN_TOOLS names no folder of it")?;
        Ok(Engine::Kafka(Kafka::start(&tools, dir, false)?))
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        match self {
            Engine::Embedded { address, .. } => address,
            Engine::Kafka(kafka) => &kafka.bootstrap,
        }
    }

    /// The process.
    fn pid(&self) -> Result<u32> {
        match self {
            Engine::Embedded { broker, .. } => Ok(broker.as_ref().context("the broker does not run")?.pid()),
            Engine::Kafka(kafka) => Ok(kafka.pid),
        }
    }

    /// `VmRSS` or `VmHWM` of the process, in MB.
    pub fn memory(&self, what: &str) -> Result<f64> {
        let status = Path::new("/proc").join(self.pid()?.to_string()).join("status");
        let status = fs::read_to_string(status).context("the process is gone")?;
        let line = status.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(':')).context("no such figure")?;
        let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
        Ok(kilobytes / 1024.0)
    }

    /// Kills the broker and starts it again on its data; gives the time until it answers.
    pub fn restart(&mut self) -> Result<Duration> {
        match self {
            Engine::Embedded { broker, binary, data, address } => {
                drop(broker.take());
                let begun = Instant::now();
                *broker = Some(Broker::start(binary, data, address)?);
                answers(address)?;
                Ok(begun.elapsed())
            }
            Engine::Kafka(kafka) => {
                let mut starting = kafka.restart()?;
                let begun = Instant::now();
                answers(&kafka.bootstrap)?;
                let taken = begun.elapsed();
                starting.wait().context("Kafka does not start again")?;
                Ok(taken)
            }
        }
    }
}

/// Waits until a broker tells the versions of its APIs, as every client asks first.
fn answers(address: &str) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if asked(address).is_ok() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    bail!("{address} does not answer")
}

fn asked(address: &str) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    // Size 10; API 18, version 0, correlation id 7, no client id.
    stream.write_all(&[0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 7, 0xff, 0xff])?;
    let mut answer = [0; 10];
    stream.read_exact(&mut answer)
}
