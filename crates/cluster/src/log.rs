//! The command log: a topic of one partition, written in transactions, applied by every server in offset order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use flumen_catalog::{CatalogError, Command};
use flumen_kafka::{
    Admin, ClientSettings, ConsumerOptions, ErrorKind, KafkaError, OffsetSpec, Producer, ProducerOptions, Start, Tail, TailReader,
};
use flumen_plan::names;
use flumen_wire::BatchBuilder;
use parking_lot::Mutex;

use crate::ClusterError;

/// How long one call to the broker may take.
const CALL: Duration = Duration::from_secs(30);
/// How long the reader waits for a record before it looks whether it is to stop.
const IDLE: Duration = Duration::from_millis(200);

/// A record of the command log.
pub struct Logged {
    /// Its offset: the number in the id of the query it starts.
    pub offset: i64,
    /// What the writer gave to recognise it by.
    pub token: String,
    /// The command; an error when its bytes do not read.
    pub command: Result<Command, CatalogError>,
}

/// Writes commands, and applies all of them in a thread of its own.
pub struct CommandLog {
    topic: Arc<str>,
    settings: ClientSettings,
    transactional_id: String,
    producer: Mutex<Option<Producer>>,
    stop: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
}

/// Kafka's code for a record that is larger than the topic or the client allows.
const TOO_LARGE: i32 = 10;

impl CommandLog {
    /// Reads the log of a service to its end, handing each record to `apply`, then goes on in a thread as records come.
    /// The topic must exist ([`crate::ensure_topics`]).
    pub fn open(
        settings: &ClientSettings,
        admin: &Admin,
        service_id: &str,
        mut apply: impl FnMut(Logged) + Send + 'static,
    ) -> Result<CommandLog, ClusterError> {
        let topic: Arc<str> = names::command_topic(service_id).into();
        let transactional_id = format!("{}-command", names::prefix(service_id));
        // Taking over the transactional id ends what an earlier writer left open, so that the log can be read to its end.
        let producer = new_producer(settings, &transactional_id)?;
        let until = admin.offsets(&[(&topic, 0, OffsetSpec::Latest)], CALL)?.first().copied().unwrap_or(0);
        let tail = Tail { topic: topic.clone(), partition: 0, from: Start::Earliest, until };
        let mut reader = TailReader::open(settings, &ConsumerOptions::for_budget(8 << 20, 1), &[tail])?;
        let mut next = 0;
        while !reader.done() {
            read(&mut reader, IDLE, &mut next, &mut apply)?;
        }
        let stop = Arc::new(AtomicBool::new(false));
        let ended = stop.clone();
        let thread = flumen_telemetry::spawn("command-log", move || {
            while !ended.load(Ordering::Acquire) {
                if let Err(error) = read(&mut reader, IDLE, &mut next, &mut apply) {
                    tracing::warn!(%error, "reading the command log");
                    std::thread::sleep(IDLE);
                }
            }
        })?;
        let producer = Mutex::new(Some(producer));
        let settings = settings.clone();
        Ok(CommandLog { topic, settings, transactional_id, producer, stop, reader: Some(thread) })
    }

    /// Appends a command; when this returns it is durable and will be applied. `token` comes back with it.
    pub fn append(&self, token: &str, command: &Command) -> Result<(), ClusterError> {
        let value = command.encode()?;
        let mut batch = BatchBuilder::new(self.topic.clone(), 0);
        batch.push(Some(token.as_bytes()), Some(&value), -1, &[]).map_err(|e| ClusterError::TooLarge(e.to_string()))?;
        let mut slot = self.producer.lock();
        let mut producer = match slot.take() {
            Some(producer) => producer,
            None => new_producer(&self.settings, &self.transactional_id)?,
        };
        producer.begin()?;
        let sent = producer.produce(&batch).and_then(|()| producer.await_deliveries(Instant::now() + CALL));
        match sent.and_then(|()| commit(&mut producer)) {
            Ok(()) => {
                *slot = Some(producer);
                Ok(())
            }
            Err(error) => {
                // A producer that could not abort is dropped; the next one takes over its id and aborts for it.
                if producer.abort(CALL).is_ok() {
                    *slot = Some(producer);
                }
                match error.code {
                    Some(TOO_LARGE) => {
                        Err(ClusterError::TooLarge(format!("it takes {} bytes there, more than Kafka accepts", value.len())))
                    }
                    _ => Err(error.into()),
                }
            }
        }
    }

    /// Stops applying; the log stays.
    pub fn stop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.reader.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for CommandLog {
    fn drop(&mut self) {
        self.stop();
    }
}

fn new_producer(settings: &ClientSettings, id: &str) -> Result<Producer, KafkaError> {
    let options = ProducerOptions { transactional_id: Some(id.to_string()), transaction_timeout: CALL };
    let mut producer = Producer::new(settings, &options)?;
    producer.init_transactions(CALL)?;
    Ok(producer)
}

/// Commits, asking again while the outcome is unknown.
fn commit(producer: &mut Producer) -> Result<(), KafkaError> {
    let deadline = Instant::now() + CALL;
    loop {
        match producer.commit(CALL) {
            Err(e) if matches!(e.kind, ErrorKind::Retriable | ErrorKind::Unavailable) && Instant::now() < deadline => {}
            outcome => return outcome,
        }
    }
}

fn read(reader: &mut TailReader, timeout: Duration, next: &mut i64, apply: &mut impl FnMut(Logged)) -> Result<(), KafkaError> {
    for chunk in reader.read(timeout)? {
        for row in 0..chunk.len() {
            let offset = chunk.offset(row);
            if offset < *next {
                continue;
            }
            *next = offset + 1;
            let token = String::from_utf8_lossy(chunk.key(row).unwrap_or_default()).into_owned();
            apply(Logged { offset, token, command: Command::decode(chunk.value(row).unwrap_or_default()) });
        }
    }
    Ok(())
}
