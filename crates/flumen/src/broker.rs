//! `flumen broker`: the embedded broker alone, for other programs or several servers on one machine.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use flumen_broker::{Broker, BrokerConfig, Fsync};
use flumen_telemetry::Format;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::{broker_metrics, signal};

/// What `flumen broker` is started with.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Where everything is kept.
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// The address to listen on. There is no authentication: beyond loopback it is open to the network.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:9092")]
    listen: String,
    /// Host and port told to clients, if they reach the broker under another name than the one listened on.
    #[arg(long, value_name = "HOST:PORT")]
    advertise: Option<String>,
    /// When records are on the disk: `os` leaves it to the system (they outlive a crash of the process, the last seconds not a loss of power);
    /// `always` forces each batch to the disk before it is acknowledged.
    #[arg(long, value_name = "WHEN", default_value = "os", value_parser = ["os", "always"])]
    fsync: String,
    /// An address at which `GET /metrics` tells Prometheus what the broker does.
    #[arg(long, value_name = "HOST:PORT")]
    metrics_listen: Option<String>,
}

/// Runs the broker until a signal.
pub fn run(options: Options) -> anyhow::Result<ExitCode> {
    flumen_telemetry::init(Format::Text, "info")?;
    let advertised = options.advertise.as_deref().map(host_and_port).transpose()?;
    let mut config = BrokerConfig { listen: resolve(&options.listen)?, advertised, ..BrokerConfig::new(options.data_dir) };
    if options.fsync == "always" {
        config.log.fsync = Fsync::Always;
    }
    let metrics = options.metrics_listen.as_deref().map(resolve).transpose()?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let stop = signal::stop()?;
        let broker = Broker::start(config).await?;
        let serving = match metrics {
            Some(address) => Some(serve_metrics(address, &broker).await?),
            None => None,
        };
        println!("flumen: broker listening on {}", broker.address());
        stop.await;
        if let Some(serving) = serving {
            serving.abort();
        }
        broker.stop().await?;
        Ok(ExitCode::SUCCESS)
    })
}

async fn serve_metrics(address: SocketAddr, broker: &Broker) -> anyhow::Result<JoinHandle<()>> {
    let socket = TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address} for --metrics-listen"))?;
    println!("flumen: broker metrics on http://{}/metrics", socket.local_addr()?);
    let readings = broker_metrics::readings(broker.monitor());
    Ok(tokio::spawn(async move {
        if let Err(error) = broker_metrics::serve(socket, readings).await {
            tracing::error!(%error, "the metrics are served no longer");
        }
    }))
}

fn host_and_port(address: &str) -> anyhow::Result<(String, u16)> {
    let parts = address.rsplit_once(':').and_then(|(host, port)| Some((host.to_string(), port.parse().ok()?)));
    parts.filter(|(host, _)| !host.is_empty()).with_context(|| format!("'{address}' is no host:port"))
}

/// The first address of `host:port`.
pub fn resolve(listen: &str) -> anyhow::Result<SocketAddr> {
    let mut addresses = listen.to_socket_addrs().with_context(|| format!("'{listen}' is no address host:port of this machine"))?;
    addresses.next().with_context(|| format!("'{listen}' has no address"))
}
