//! What all requests share: settings, metrics, and how far the server is in its life.

use std::sync::Arc;
use std::time::Instant;

use flumen_api::{ErrorCode, Health, HealthDetail, ServerState};
use flumen_config::ServerConfig;
use flumen_engine::Engine;
use flumen_telemetry::Metrics;
use parking_lot::RwLock;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::failure::Failure;
use crate::request::blocking;

/// Pull queries that read at the same time: half of the threads that tokio has for work that blocks.
const PULLS: usize = 256;

/// What all requests share.
pub struct App {
    pub config: ServerConfig,
    pub metrics: Metrics,
    life: RwLock<Life>,
    /// Threads that PRINT may take; as many as there may be push queries.
    prints: Arc<Semaphore>,
    /// Threads that pull queries may take, so that some are left for other requests.
    pulls: Arc<Semaphore>,
    /// The last answer of the health check. The lock is held while a new one is made, so that probes do not pile up.
    health: tokio::sync::Mutex<Option<(Instant, Health)>>,
}

/// How far the server is.
enum Life {
    /// No engine yet; why the last attempt failed, if one did.
    Starting(Option<String>),
    Ready(Ready),
    /// The service was ended for good; only stopping is left.
    Terminated(Ready),
    Stopping,
}

/// The engine, once it is there.
#[derive(Clone)]
pub struct Ready {
    pub engine: Engine,
    /// Kafka's cluster id.
    pub cluster_id: String,
}

impl App {
    pub fn new(config: ServerConfig, metrics: Metrics) -> Self {
        let prints = Arc::new(Semaphore::new(config.max_push_queries.min(Semaphore::MAX_PERMITS)));
        let pulls = Arc::new(Semaphore::new(PULLS));
        Self { config, metrics, life: RwLock::new(Life::Starting(None)), prints, pulls, health: tokio::sync::Mutex::default() }
    }

    /// Leave for a thread of PRINT.
    pub fn print_thread(&self) -> Result<OwnedSemaphorePermit, Failure> {
        self.prints.clone().try_acquire_owned().map_err(|_| {
            let text = "Too many topics are printed at once. End one, or raise ksql.max.push.queries";
            Failure::new(ErrorCode::MAX_PUSH_QUERIES, text)
        })
    }

    /// Leave for a thread that reads the rows of a pull query; waits for one.
    pub async fn pull_thread(&self) -> Result<OwnedSemaphorePermit, Failure> {
        let closed = |_| Failure::new(ErrorCode::SHUTTING_DOWN, "The server is shutting down");
        self.pulls.clone().acquire_owned().await.map_err(closed)
    }

    /// The engine, or why there is none now.
    pub fn ready(&self) -> Result<Ready, Failure> {
        match &*self.life.read() {
            Life::Ready(ready) => Ok(ready.clone()),
            Life::Starting(why) => {
                let why = why.as_ref().map(|why| format!(" The last attempt to start failed: {why}")).unwrap_or_default();
                Err(Failure::new(ErrorCode::NOT_READY, format!("KSQL is not yet ready to serve requests.{why}")))
            }
            Life::Terminated(_) => {
                let text = "The cluster has been terminated: its queries, streams and tables are gone. Restart the server to begin anew";
                Err(Failure::new(ErrorCode::TERMINATED, text))
            }
            Life::Stopping => Err(Failure::new(ErrorCode::SHUTTING_DOWN, "The server is shutting down")),
        }
    }

    /// Notes why an attempt to start failed.
    pub fn set_reason(&self, why: String) {
        if let Life::Starting(reason) = &mut *self.life.write() {
            *reason = Some(why);
        }
    }

    /// Puts the engine to work; gives it back if the server is stopping by now.
    pub fn set_ready(&self, ready: Ready) -> Result<(), Ready> {
        let mut life = self.life.write();
        if matches!(*life, Life::Stopping) {
            return Err(ready);
        }
        *life = Life::Ready(ready);
        Ok(())
    }

    /// Takes no more requests, for the service has been ended.
    pub fn set_terminated(&self) {
        let mut life = self.life.write();
        if let Life::Ready(ready) = &*life {
            *life = Life::Terminated(ready.clone());
        }
    }

    /// Takes no more requests; gives the engine, which is to be closed.
    pub fn set_stopping(&self) -> Option<Engine> {
        match std::mem::replace(&mut *self.life.write(), Life::Stopping) {
            Life::Ready(ready) | Life::Terminated(ready) => Some(ready.engine),
            Life::Starting(_) | Life::Stopping => None,
        }
    }

    fn state(&self) -> ServerState {
        match &*self.life.read() {
            Life::Starting(_) => ServerState::Initializing,
            Life::Ready(_) => ServerState::Ready,
            Life::Terminated(_) => ServerState::Terminated,
            Life::Stopping => ServerState::Terminating,
        }
    }

    /// Whether the parts work, not older than the health check's interval.
    pub async fn health(&self) -> Health {
        let state = self.state();
        let Ok(ready) = self.ready() else { return health(state, false, false, false) };
        let mut last = self.health.lock().await;
        if let Some((at, known)) = &*last
            && at.elapsed() < self.config.healthcheck_interval
        {
            return known.clone();
        }
        let found = match blocking(move || ready.engine.health()).await {
            Ok(parts) => health(state, parts.metastore, parts.kafka, parts.command_runner),
            Err(_) => health(state, false, false, false),
        };
        *last = Some((Instant::now(), found.clone()));
        found
    }
}

fn health(state: ServerState, metastore: bool, kafka: bool, command_runner: bool) -> Health {
    let parts = [("metastore", metastore), ("kafka", kafka), ("commandRunner", command_runner)];
    Health {
        is_healthy: parts.iter().all(|(_, well)| *well),
        details: parts.map(|(name, well)| (name.to_owned(), HealthDetail { is_healthy: well })).into(),
        server_state: Some(state),
    }
}
