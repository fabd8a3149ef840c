//! The engine: the catalog, kept by applying the command log, and the queries it starts.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use flumen_catalog::{Catalog, Change, Command};
use flumen_cluster::Logged;
use flumen_config::ServerConfig;
use flumen_expr::function::Registry;
use flumen_plan::QueryId;
use flumen_telemetry::Metrics;
use parking_lot::{Condvar, Mutex};

use crate::outcome::Outcome;
use crate::{EngineError, Env, ErrorKind};

/// A running engine; clones are handles to the same one.
#[derive(Clone)]
pub struct Engine(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) config: ServerConfig,
    pub(crate) registry: Arc<Registry>,
    pub(crate) env: Env,
    pub(crate) metrics: Metrics,
    /// Held from validation to the end of execution of requests that change the catalog, so that what was validated is what
    /// is executed.
    pub(crate) writing: Mutex<()>,
    pub(crate) pushes: Mutex<BTreeMap<QueryId, PushInfo>>,
    state: Mutex<State>,
    applied: Condvar,
    tokens: AtomicU64,
    nonce: u64,
}

/// A push query that runs now.
#[derive(Debug, Clone)]
pub(crate) struct PushInfo {
    /// Its text.
    pub(crate) statement: String,
    /// How far it reads.
    pub(crate) reach: flumen_worker::Reach,
}

#[derive(Default)]
struct State {
    catalog: Catalog,
    /// Offset of the last record applied, −1 before the first.
    offset: i64,
    /// False while the log is replayed at start: queries are started once, at its end.
    live: bool,
    /// Set when a record could not be read: no more statements are taken.
    degraded: Option<String>,
    outcomes: HashMap<String, Option<Outcome>>,
    statuses: BTreeMap<String, flumen_api::CommandStatus>,
}

/// Whether the parts of a server work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// The catalog is there.
    pub metastore: bool,
    /// Kafka answers.
    pub kafka: bool,
    /// The command log is applied.
    pub command_runner: bool,
}

impl Engine {
    /// Replays the command log, starts the queries it leaves, and goes on applying.
    pub fn start(config: ServerConfig, env: Env, metrics: Metrics) -> Result<Engine, EngineError> {
        let nonce = env.random.next();
        let shared = Arc::new(Shared {
            config,
            registry: Arc::new(flumen_functions::builtins()),
            env,
            metrics,
            writing: Mutex::new(()),
            pushes: Mutex::new(BTreeMap::new()),
            state: Mutex::new(State { offset: -1, ..State::default() }),
            applied: Condvar::new(),
            tokens: AtomicU64::new(0),
            nonce,
        });
        let weak = Arc::downgrade(&shared);
        shared.env.log.open(Box::new(move |logged| {
            if let Some(shared) = weak.upgrade() {
                shared.apply(logged);
            }
        }))?;
        shared.go_live();
        Ok(Engine(shared))
    }

    /// The settings.
    pub fn config(&self) -> &ServerConfig {
        &self.0.config
    }

    /// The catalog as it is now.
    pub fn catalog(&self) -> Catalog {
        self.0.catalog()
    }

    /// The functions.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.0.registry
    }

    /// The outside world.
    pub fn env(&self) -> &Env {
        &self.0.env
    }

    /// Whether the parts work; asks Kafka.
    pub fn health(&self) -> Health {
        let kafka = self.0.env.topics.check().is_ok();
        Health { metastore: true, kafka, command_runner: self.0.state.lock().degraded.is_none() }
    }

    /// The status of a command by its id, such as ``stream/`A`/create``.
    pub fn command_status(&self, id: &str) -> Option<flumen_api::CommandStatus> {
        self.0.state.lock().statuses.get(id).cloned()
    }

    /// The statuses of all commands this server has executed.
    pub fn command_statuses(&self) -> BTreeMap<String, flumen_api::CommandState> {
        self.0.state.lock().statuses.iter().map(|(id, s)| (id.clone(), s.status)).collect()
    }

    /// Waits until the command of this number (an offset of the log) is applied.
    pub fn wait_for(&self, command: i64, timeout: Duration) -> Result<(), EngineError> {
        let deadline = Instant::now() + timeout;
        let mut state = self.0.state.lock();
        while state.offset < command {
            if self.0.applied.wait_until(&mut state, deadline).timed_out() {
                let text = format!("Timed out while waiting for a previous command to execute. command sequence number: {command}");
                return Err(EngineError::new(ErrorKind::NotApplied, text));
            }
        }
        Ok(())
    }

    /// Stops all queries; state and topics stay.
    pub fn close(&self) {
        self.0.env.log.close();
        self.0.env.tasks.close();
    }
}

impl Shared {
    pub(crate) fn catalog(&self) -> Catalog {
        self.state.lock().catalog.clone()
    }

    /// Offset of the last command applied.
    pub(crate) fn offset(&self) -> i64 {
        self.state.lock().offset
    }

    fn go_live(&self) {
        let queries: Vec<_> = {
            let mut state = self.state.lock();
            state.live = true;
            state.catalog.queries().cloned().collect()
        };
        self.metrics.persistent_queries().set(queries.len() as i64);
        for query in &queries {
            self.env.tasks.start(query);
        }
    }

    /// Applies one record of the log. Runs on the log's thread, one at a time.
    fn apply(&self, logged: Logged) {
        let mut state = self.state.lock();
        state.offset = logged.offset;
        let result = match logged.command {
            Ok(command) => state.catalog.apply(logged.offset, &command).map_err(|e| e.to_string()),
            Err(error) => {
                tracing::error!(offset = logged.offset, %error, "a command does not read; no more statements are taken");
                state.degraded = Some(error.to_string());
                Err(error.to_string())
            }
        };
        let result = result.map(|(catalog, changes)| {
            state.catalog = catalog;
            changes
        });
        let live = state.live;
        if let Err(error) = result.as_ref() {
            tracing::warn!(offset = logged.offset, %error, "a command was refused when it was applied");
        }
        if let Some(waiting) = state.outcomes.get_mut(&logged.token) {
            *waiting = Some(Outcome { offset: logged.offset, result: result.clone() });
        }
        drop(state);
        if live {
            self.act(result.as_deref().unwrap_or_default());
        }
        self.applied.notify_all();
    }

    /// Starts and stops what the changes ask for.
    fn act(&self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::QueryStarted(query) => self.env.tasks.start(query),
                Change::QueryReplaced(query) => self.env.tasks.replace(query),
                Change::QueryStopped(query) => self.env.tasks.stop(query),
                Change::QueryPaused(id) => self.env.tasks.pause(id),
                Change::QueryResumed(id) => self.env.tasks.resume(id),
                Change::SourceDropped { source, delete_topic: true } => {
                    if let Err(error) = self.env.topics.delete(&source.topic) {
                        tracing::warn!(topic = %source.topic, %error, "the topic of a dropped source was not deleted");
                    }
                }
                Change::SourceDropped { .. }
                | Change::SourceAdded(_)
                | Change::SourceChanged(_)
                | Change::TypeAdded(_)
                | Change::TypeDropped(_) => {}
            }
        }
        self.metrics.persistent_queries().set(self.catalog().queries().count() as i64);
    }

    /// Logs a command and waits until it is applied here.
    pub(crate) fn log(&self, command: &Command) -> Result<Outcome, EngineError> {
        let token = format!("{:016x}-{}", self.nonce, self.tokens.fetch_add(1, Ordering::Relaxed));
        {
            let mut state = self.state.lock();
            if let Some(why) = &state.degraded {
                return Err(EngineError::internal(format!(
                    "The server has read a command it does not understand and takes no more statements: {why}"
                )));
            }
            state.outcomes.insert(token.clone(), None);
        }
        if let Err(error) = self.env.log.append(&token, command) {
            self.state.lock().outcomes.remove(&token);
            return Err(error);
        }
        let deadline = Instant::now() + self.config.command_response_timeout;
        let mut state = self.state.lock();
        loop {
            if let Some(Some(outcome)) = state.outcomes.get(&token) {
                let outcome = outcome.clone();
                state.outcomes.remove(&token);
                return Ok(outcome);
            }
            if self.applied.wait_until(&mut state, deadline).timed_out() {
                state.outcomes.remove(&token);
                return Err(EngineError::new(
                    ErrorKind::NotApplied,
                    "The statement is in the command log but was not executed in time; ask /status for it",
                ));
            }
        }
    }

    pub(crate) fn set_status(&self, id: String, status: flumen_api::CommandStatus) {
        self.state.lock().statuses.insert(id, status);
    }
}
