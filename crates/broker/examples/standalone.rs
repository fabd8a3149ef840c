//! A broker by itself: `standalone DATA_DIR PORT`. Runs until standard input ends or it is killed.

use flumen_broker::{Broker, BrokerConfig};
use std::io::Read;

fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_env_filter(tracing_subscriber::EnvFilter::from_default_env()).with_writer(std::io::stderr).init();
    let arguments: Vec<String> = std::env::args().collect();
    let [_, dir, port] = arguments.as_slice() else { anyhow::bail!("usage: standalone DATA_DIR PORT") };
    let mut config = BrokerConfig::new(dir);
    config.listen.set_port(port.parse()?);
    let broker = Broker::start_in_thread(config)?;
    println!("listening on {}", broker.address());
    std::io::stdin().read_to_end(&mut Vec::new())?;
    broker.stop()?;
    Ok(())
}
