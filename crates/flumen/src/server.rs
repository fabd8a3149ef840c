//! `flumen server`: the HTTP server, the engine behind it, and the embedded broker when no other is named.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use flumen_broker::{Broker, BrokerConfig, BrokerHandle, Fsync};
use flumen_config::{ServerConfig, Sources};
use flumen_server::Server;
use flumen_telemetry::{Format, Metrics};

use crate::{broker, broker_metrics, data_dir, signal};

/// What `flumen server` is started with.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// A `.properties` file.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set a property; wins over the file and the environment.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Where state and, without bootstrap.servers, the embedded broker's topics are kept [default: flumen-data].
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

/// How long threads that still wait for Kafka may take at the end.
const LAST_THREADS: Duration = Duration::from_secs(1);

/// Runs the server until a signal.
pub fn run(options: Options) -> anyhow::Result<ExitCode> {
    flumen_telemetry::init(Format::Text, "info")?;
    let mut set = options.set;
    set.extend(options.data_dir.map(|dir| format!("flumen.data.dir={}", dir.display())));
    let config = ServerConfig::load(&Sources { file: options.config, environment: std::env::vars().collect(), set })?;
    let _locked = data_dir::lock(&config.data_dir)?;
    let embedded = match config.bootstrap_servers {
        Some(_) => None,
        None => Some(start_broker(&config)?),
    };
    let metrics = match &embedded {
        Some(broker) => Metrics::with_readings(broker_metrics::readings(broker.monitor())),
        None => Metrics::new(),
    };
    let bootstrap = embedded.as_ref().map(|broker| broker.address().to_string());
    let bootstrap = bootstrap.or_else(|| config.bootstrap_servers.clone()).unwrap_or_default();
    let runtime = tokio::runtime::Runtime::new()?;
    let served = runtime.block_on(serve(config, bootstrap, metrics));
    runtime.shutdown_timeout(LAST_THREADS);
    // After the queries, whose last commits go to it.
    if let Some(broker) = embedded {
        broker.stop()?;
    }
    served.map(|()| ExitCode::SUCCESS)
}

async fn serve(config: ServerConfig, bootstrap: String, metrics: Metrics) -> anyhow::Result<()> {
    let stop = signal::stop()?;
    let server = Server::bind(config.clone(), metrics.clone()).await?;
    let urls = server.urls();
    for url in &urls {
        tracing::info!(%url, %bootstrap, "listening; connecting to Kafka");
    }
    let connect = move || flumen_engine::connect(&config, &bootstrap, metrics.clone());
    let ready = move || urls.iter().for_each(|url| println!("flumen: listening on {url}"));
    Ok(server.run(connect, ready, stop).await?)
}

fn start_broker(config: &ServerConfig) -> anyhow::Result<BrokerHandle> {
    let listen = broker::resolve(&config.broker_listen)?;
    let mut settings = BrokerConfig { listen, ..BrokerConfig::new(config.data_dir.join("broker")) };
    if config.broker_fsync_always {
        settings.log.fsync = Fsync::Always;
    }
    let broker = Broker::start_in_thread(settings)?;
    tracing::info!(address = %broker.address(), "the embedded broker listens");
    Ok(broker)
}
