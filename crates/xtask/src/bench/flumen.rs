//! Flumen's side: the query on a running server, watched from outside through `/metrics` and `/proc`.

use super::Figures;
use super::kafka::Kafka;
use super::workload::{SOURCES, Workload};
use crate::http;
use crate::server::Server;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often progress is looked at: often enough for the marks, seldom enough to cost the server nothing that shows.
const LOOK: Duration = Duration::from_millis(20);
/// How long no record may be read.
const PATIENCE: Duration = Duration::from_secs(60);
/// Clock ticks per second in `/proc/PID/stat`, the same on every Linux.
const TICKS: f64 = 100.0;

/// A number that no earlier run has had.
pub fn fresh() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64 % 1_000_000_000)
}

/// A server with the two sources.
pub struct Session {
    address: String,
    pid: u32,
}

/// A query at work.
pub struct Run<'a> {
    session: &'a Session,
    workload: Workload,
    /// Its name in upper case, as it stands in the query's id.
    name: String,
    /// The topic it writes.
    pub topic: String,
}

/// Clocks at one moment.
struct Mark {
    records: u64,
    at: Instant,
    app: f64,
    broker: f64,
}

impl Session {
    /// Creates the sources.
    ///
    /// # Errors
    /// What the server refuses.
    pub fn new(server: &Server) -> Result<Session> {
        let session = Session { address: server.address(), pid: server.pid() };
        let deadline = Instant::now() + PATIENCE;
        // The server answers before it has reached Kafka.
        while let Err(error) = session.statement("SHOW STREAMS;") {
            if Instant::now() > deadline {
                return Err(error);
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        for source in SOURCES {
            session.statement(source)?;
        }
        Ok(session)
    }

    /// Starts the query of a workload.
    ///
    /// # Errors
    /// What the server refuses.
    pub fn start(&self, workload: Workload, round: u32) -> Result<Run<'_>> {
        let name = format!("{}_{}_{round}", workload.name(), fresh());
        let (kind, query) = workload.query();
        self.statement(&format!("CREATE {kind} {name} WITH (kafka_topic = '{name}', value_format = 'JSON') AS {query};"))?;
        Ok(Run { session: self, workload, topic: name.clone(), name: name.to_uppercase() })
    }

    fn statement(&self, sql: &str) -> Result<Value> {
        let properties = json!({"auto.offset.reset": "earliest"});
        let body = json!({"ksql": sql, "streamsProperties": properties});
        let (status, answer) = http::post(&self.address, "/ksql", "application/vnd.ksql.v1+json", &body)?;
        let answer = answer.text()?;
        if status != 200 {
            bail!("the server answered {status} to {sql}: {answer}");
        }
        serde_json::from_str(&answer).with_context(|| format!("not JSON: {answer}"))
    }
}

impl Run<'_> {
    /// Watches the query to the end of its input.
    ///
    /// # Errors
    /// When it stands still.
    pub fn watch(&self, records: u64, kafka: &Kafka) -> Result<Figures> {
        let (tenth, ninth) = (records / 10, records * 9 / 10);
        let (mut first, mut low, mut high): (Option<Mark>, Option<Mark>, Option<Mark>) = (None, None, None);
        let (mut seen, mut since) = (0, Instant::now());
        loop {
            let mark = self.mark(kafka)?;
            if mark.records > seen {
                (seen, since) = (mark.records, Instant::now());
            }
            if mark.records >= records {
                let first = first.context("the query was done before it was looked at; take more records")?;
                let (low, high) = (low.unwrap_or(first.copy()), high.unwrap_or(mark.copy()));
                return Ok(figures(&first, &low, &high, &mark));
            }
            if since.elapsed() > PATIENCE {
                bail!("{} stands at {seen} of {records} records", self.workload);
            }
            // The last look before the first record: what is spent on the first is counted.
            if mark.records == 0 || first.is_none() {
                first = Some(mark.copy());
            }
            if mark.records >= tenth && low.is_none() {
                low = Some(mark.copy());
            }
            if mark.records >= ninth && high.is_none() {
                high = Some(mark);
            }
            std::thread::sleep(LOOK);
        }
    }

    fn mark(&self, kafka: &Kafka) -> Result<Mark> {
        let text = http::get(&self.session.address, "/metrics")?.1.text()?;
        let of_query = |l: &&str| l.starts_with("flumen_query_records_in") && l.contains(&self.name);
        let read: f64 = text.lines().filter(of_query).filter_map(|l| l.rsplit(' ').next()?.parse::<f64>().ok()).sum();
        let records = (read as u64).saturating_sub(self.workload.records_before());
        Ok(Mark { records, at: Instant::now(), app: cpu(self.session.pid)?, broker: cpu(kafka.pid)? })
    }

    /// Ends the query and deletes what it wrote.
    ///
    /// # Errors
    /// What the server refuses.
    pub fn end(self) -> Result<()> {
        let (kind, _) = self.workload.query();
        self.session.statement(&format!("DROP {kind} {} DELETE TOPIC;", self.topic)).map(|_| ())
    }
}

impl Mark {
    fn copy(&self) -> Mark {
        Mark { ..*self }
    }
}

fn figures(first: &Mark, low: &Mark, high: &Mark, last: &Mark) -> Figures {
    let all = (last.records - first.records) as f64;
    let steady = (high.records - low.records) as f64;
    Figures {
        per_second: all / (last.at - first.at).as_secs_f64(),
        steady_per_second: steady / (high.at - low.at).as_secs_f64(),
        steady_per_cpu: steady / (high.app - low.app),
        app_cpu: last.app - first.app,
        broker_cpu: last.broker - first.broker,
        out: 0,
    }
}

/// CPU seconds of a process so far, user and system.
fn cpu(pid: u32) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).with_context(|| format!("process {pid} is gone"))?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|f| f.parse::<f64>().ok());
    // Fields 14 and 15 of the line; those after the name start with the third.
    let (user, system) = ticks(11).zip(ticks(12)).context("the times of a process cannot be read")?;
    Ok((user + system) / TICKS)
}
