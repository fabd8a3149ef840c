//! The outside world of a server: Kafka, worker threads, RocksDB, the system's clock.

mod instance;
mod log;
mod producers;
mod tasks;
mod topics;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use flumen_cluster::{Leases, ensure_topics, slot_of};
use flumen_config::{Client, QueryConfig, ServerConfig};
use flumen_kafka::{Admin, ClientSettings};
use flumen_state::{Backend, Budget, StateError, open_rocksdb};
use flumen_telemetry::Metrics;
use flumen_worker::{WorkerSettings, Workers};

use crate::{Clock, Engine, EngineError, Entropy, Env};
use log::KafkaLog;
use tasks::WorkerTasks;
use topics::KafkaTopics;

/// How long one call to the broker may take.
const CALL: Duration = Duration::from_secs(30);

/// Connects to Kafka at `bootstrap`, takes the leases of the service, opens the state below the data directory and starts
/// the engine. Blocks until the queries of the command log are started; an error leaves nothing running.
pub fn connect(config: &ServerConfig, bootstrap: &str, metrics: Metrics) -> Result<Engine, EngineError> {
    let settings = client_settings(config, bootstrap);
    let admin = Arc::new(Admin::new(&settings)?);
    admin.check(Duration::from_secs(5))?;
    let service = config.service_id.clone();
    let slots = ensure_topics(&admin, &service, config.lease_slots.into(), config.internal_topic_replicas.into(), CALL)?;
    let instance = instance::id(&config.data_dir)?;
    let gone: Arc<parking_lot::Mutex<Option<std::sync::Weak<Workers>>>> = Arc::default();
    let told = gone.clone();
    let leases = Leases::join(&settings, &admin, &service, &instance, slots, move |change| {
        if let flumen_cluster::LeaseChange::Gone(slots) = change
            && let Some(workers) = told.lock().as_ref().and_then(std::sync::Weak::upgrade)
        {
            workers.leases_gone(&slots);
        }
    })?;
    let backend = open_state(&config.data_dir.join("state"), config)?;
    let defaults = QueryConfig::resolve(config, &Default::default()).map_err(|e| EngineError::internal(e.to_string()))?;
    let worker_settings = WorkerSettings {
        service_id: service.clone(),
        client: settings.clone(),
        instance_id: instance,
        threads: config.worker_threads,
        guarantee: defaults.guarantee,
        commit_interval: defaults.commit_interval,
        push_stall: config.push_stall_timeout,
        slots,
        config: config.clone(),
    };
    let registry = Arc::new(flumen_functions::builtins());
    let fence = leases.fence();
    let workers = Workers::start(worker_settings, admin.clone(), fence, slot_of, backend.clone(), registry, metrics.clone())
        .map_err(|e| EngineError::internal(e.to_string()))?;
    let workers = Arc::new(workers);
    *gone.lock() = Some(Arc::downgrade(&workers));
    let env = Env {
        topics: Arc::new(KafkaTopics::new(admin.clone(), settings.clone())),
        log: Arc::new(KafkaLog::new(settings, admin, service)),
        tasks: Arc::new(WorkerTasks::new(workers, backend, leases)),
        clock: Arc::new(SystemClock),
        random: Arc::new(SystemRandom),
    };
    let engine = Engine::start(config.clone(), env, metrics)?;
    engine.make_processing_log_stream();
    Ok(engine)
}

fn client_settings(config: &ServerConfig, bootstrap: &str) -> ClientSettings {
    let mut settings = ClientSettings::new(bootstrap).with_client_id(format!("flumen-{}", config.service_id));
    for client in [Client::Consumer, Client::Producer, Client::Admin] {
        for (name, value) in config.client_properties(client) {
            settings = settings.with_property(name, value);
        }
    }
    settings
}

/// Opens the state database; a damaged one is put aside and rebuilt from the changelogs.
fn open_state(path: &Path, config: &ServerConfig) -> Result<Arc<dyn Backend>, EngineError> {
    let bytes = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let budget = Budget { block_cache: bytes(config.block_cache_bytes), write_buffers: bytes(config.write_buffer_bytes) };
    std::fs::create_dir_all(path).map_err(|e| EngineError::internal(format!("cannot make {}: {e}", path.display())))?;
    match open_rocksdb(path, &budget) {
        Err(StateError::Corrupt(why)) => {
            let aside = path.with_extension(format!("damaged-{}", SystemClock.now_ms()));
            tracing::error!(%why, aside = %aside.display(), "the state database is damaged; it is put aside and rebuilt");
            std::fs::rename(path, &aside).map_err(|e| EngineError::internal(format!("cannot move {}: {e}", path.display())))?;
            Ok(open_rocksdb(path, &budget)?)
        }
        other => Ok(other?),
    }
}

struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

struct SystemRandom;

impl Entropy for SystemRandom {
    fn next(&self) -> u64 {
        // The standard library seeds each hasher from the system's randomness.
        use std::hash::{BuildHasher, Hasher};
        std::collections::hash_map::RandomState::new().build_hasher().finish()
    }
}
