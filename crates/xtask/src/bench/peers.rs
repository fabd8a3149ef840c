//! The other side: Kafka Streams by `run.sh` of the peers' folder, and the bare client by its `rawpath`.

use super::kafka::Kafka;
use super::workload::Workload;
use super::{Figures, KEYS, PARTITIONS};
use crate::beside;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Where the peers are and what they are to run.
pub struct Peers {
    /// The folder with `run.sh`.
    pub dir: PathBuf,
    /// For builds and state.
    pub work: PathBuf,
    /// Orders.
    pub records: u64,
    /// Rounds in one process.
    pub rounds: u32,
}

/// How many records each workload has to write.
pub struct Expected {
    filter: u64,
    all: u64,
}

impl Expected {
    /// Of this workload, when every change is written.
    pub fn of(&self, workload: Workload) -> u64 {
        if workload == Workload::Filter { self.filter } else { self.all }
    }
}

/// What Kafka Streams did in the last round with one cache.
pub struct Streams {
    /// Bytes of its cache.
    pub cache: u64,
    /// The figures.
    pub figures: Figures,
}

impl Peers {
    /// Fills the topics, unless they are.
    ///
    /// # Errors
    /// When Java cannot do it.
    pub fn load(&self, kafka: &Kafka) -> Result<()> {
        // The script builds the peers and loads the topics before its first run. Without a workload to run it has nothing else to do.
        let status = self.script(kafka).arg("none").stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.context("run.sh cannot be run")?;
        let mut load = self.java(&["load", "--records", &self.records.to_string(), "--keys", &KEYS.to_string()]);
        load.args(["--partitions", &PARTITIONS.to_string(), "--bootstrap", &kafka.bootstrap]).stdout(Stdio::null());
        if !load.status().context("java cannot be run")?.success() {
            bail!("the topics cannot be filled");
        }
        Ok(())
    }

    /// What right outputs are, by the generator alone.
    ///
    /// # Errors
    /// When Java cannot say.
    pub fn expect(&self) -> Result<Expected> {
        let output = self.java(&["expect", "--records", &self.records.to_string(), "--keys", &KEYS.to_string()]).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let after = |prefix: &str| text.lines().find_map(|l| l.strip_prefix(prefix)?.trim().parse().ok());
        let filter = after("filter ").with_context(|| format!("no right number for `filter`: {text}"))?;
        let all = after("project, stjoin, passthrough ").with_context(|| format!("no right number for `stjoin`: {text}"))?;
        Ok(Expected { filter, all })
    }

    /// Runs Kafka Streams on plain objects, without a cache and with its usual one.
    ///
    /// # Errors
    /// When it fails.
    pub fn streams(&self, kafka: &Kafka, workload: Workload) -> Result<Vec<Streams>> {
        let results = self.work.join("streams.jsonl");
        let _ = fs::remove_file(&results);
        let mut run = self.script(kafka);
        run.args([format!("{workload} --cache 0"), workload.to_string()]).env("RESULTS", &results);
        if !run.stdout(Stdio::null()).stderr(Stdio::null()).status().context("run.sh cannot be run")?.success() {
            bail!("Kafka Streams failed; see {}", self.work.join("last.err").display());
        }
        let lines = fs::read_to_string(&results).context("Kafka Streams left no results")?;
        let mut streams = Vec::new();
        for line in lines.lines() {
            let line: Value = serde_json::from_str(line).with_context(|| format!("not JSON: {line}"))?;
            let number = |name: &str| line[name].as_f64().with_context(|| format!("no `{name}` in {line}"));
            if number("round")? as u32 != self.rounds {
                continue;
            }
            let figures = Figures {
                per_second: number("records_per_s")?,
                steady_per_second: number("steady_records_per_s")?,
                steady_per_cpu: number("steady_records_per_app_cpu_s")?,
                app_cpu: number("app_cpu_s")?,
                broker_cpu: number("broker_cpu_s")?,
                out: number("records_out")? as u64,
            };
            streams.push(Streams { cache: number("cache")? as u64, figures });
        }
        Ok(streams)
    }

    /// The bare client over the same topic, with as many records out; records per CPU second.
    ///
    /// # Errors
    /// When it does not compile or fails.
    pub fn raw_path(&self, kafka: &Kafka, workload: Workload, repeat: u32) -> Result<Option<f64>> {
        let program = beside::build(&self.dir.join("rawpath"), "rawpath")?;
        let every = if workload == Workload::Filter { "2" } else { "1" };
        let topic = format!("rawpath-{workload}-{repeat}-{}", super::flumen::fresh());
        let mut run = Command::new(program);
        run.args([&kafka.bootstrap, "orders", &topic, &self.records.to_string(), "batch", every, "eos", "100"]);
        let text = run.output().context("rawpath cannot be run")?;
        let text = String::from_utf8_lossy(&text.stdout).into_owned();
        let steady = text.split("last 90%:").nth(1).and_then(|t| t.split(',').nth(1)?.split("rec/cpu-s").next()?.trim().parse().ok());
        Ok(Some(steady.with_context(|| format!("rawpath said: {text}"))?))
    }

    fn script(&self, kafka: &Kafka) -> Command {
        let mut command = Command::new(self.dir.join("run.sh"));
        command
            .env("N", self.records.to_string())
            .env("K", KEYS.to_string())
            .env("P", PARTITIONS.to_string())
            .env("ROUNDS", self.rounds.to_string())
            .env("WORK", &self.work)
            .env("BOOTSTRAP", &kafka.bootstrap)
            .env("BROKER_PID", kafka.pid.to_string())
            .stdin(Stdio::null());
        command
    }

    fn java(&self, args: &[&str]) -> Command {
        let dir = self.work.join("build").join("peers-streams");
        let path = format!("{0}/peers-streams.jar:{0}/lib/*", dir.display());
        let mut command = Command::new("java");
        command.args(["-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", &path, "peers.Peers"]).args(args).stdin(Stdio::null());
        command
    }
}
