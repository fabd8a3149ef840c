//! `flumen broker`: the embedded broker alone, for other programs or several servers on one machine.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use flumen_broker::{Broker, BrokerConfig};
use flumen_telemetry::Format;

use crate::signal;

/// What `flumen broker` is started with.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Where everything is kept.
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// The address to listen on. There is no authentication: beyond loopback it is open to the network.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:9092")]
    listen: String,
}

/// Runs the broker until a signal.
pub fn run(options: Options) -> anyhow::Result<ExitCode> {
    flumen_telemetry::init(Format::Text, "info")?;
    let config = BrokerConfig { listen: resolve(&options.listen)?, ..BrokerConfig::new(options.data_dir) };
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let stop = signal::stop()?;
        let broker = Broker::start(config).await?;
        println!("flumen: broker listening on {}", broker.address());
        stop.await;
        broker.stop().await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// The first address of `host:port`.
pub fn resolve(listen: &str) -> anyhow::Result<SocketAddr> {
    let mut addresses = listen.to_socket_addrs().with_context(|| format!("'{listen}' is no address host:port of this machine"))?;
    addresses.next().with_context(|| format!("'{listen}' has no address"))
}
