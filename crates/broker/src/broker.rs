//! Starting and stopping the broker.

use crate::{config::BrokerConfig, error::BrokerError, net, node::Node, statistics::Monitor};
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};

/// How long running requests get to finish when the broker stops.
const GRACE: Duration = Duration::from_secs(5);

/// A running broker. Its tasks belong to the runtime it was started in and end with [`Broker::stop`] or soon after it is dropped.
#[derive(Debug)]
pub struct Broker {
    address: SocketAddr,
    node: Arc<Node>,
    stop: watch::Sender<bool>,
    listener: JoinHandle<()>,
    keeper: JoinHandle<()>,
    cleaner: JoinHandle<()>,
}

impl Broker {
    /// Opens the data directory, recovers what lies there and begins to listen.
    ///
    /// # Errors
    /// [`BrokerError`] if the directory is in use, of another version or cannot be read, or the address cannot be listened on.
    pub async fn start(config: BrokerConfig) -> Result<Self, BrokerError> {
        let listen = config.listen;
        let node =
            tokio::task::spawn_blocking(move || Node::open(config)).await.map_err(|error| BrokerError::Thread(error.to_string()))??;
        let node = Arc::new(node);
        let refused = |source| BrokerError::Listen { address: listen, source };
        let socket = TcpListener::bind(listen).await.map_err(refused)?;
        let address = socket.local_addr().map_err(refused)?;
        if !address.ip().is_loopback() {
            tracing::warn!(%address, "listening beyond this machine, without any authentication");
        }
        let (stop, stopped) = watch::channel(false);
        let keeper = tokio::spawn(net::keep(node.clone(), stopped.clone()));
        let cleaner = tokio::spawn(net::clean(node.clone(), stopped.clone()));
        let listener = tokio::spawn(net::listen(node.clone(), socket, stopped, GRACE));
        Ok(Self { address, node, stop, listener, keeper, cleaner })
    }

    /// The address clients come to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What reads the broker's statistics.
    pub fn monitor(&self) -> Monitor {
        Monitor::new(Arc::downgrade(&self.node))
    }

    /// Takes no more requests, lets running ones finish, and leaves the files as a quick start wants them.
    ///
    /// # Errors
    /// [`BrokerError::Thread`] if a task of the broker had panicked.
    pub async fn stop(self) -> Result<(), BrokerError> {
        let failed = |error: tokio::task::JoinError| BrokerError::Thread(error.to_string());
        let Self { node, stop, listener, keeper, cleaner, .. } = self;
        stop.send_replace(true);
        let ended = (listener.await, keeper.await, cleaner.await);
        tokio::task::spawn_blocking(move || node.close()).await.map_err(failed)?;
        ended.0.and(ended.1).and(ended.2).map_err(failed)
    }
}
