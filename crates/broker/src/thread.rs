//! A broker for programs that are not asynchronous: it runs in threads of its own.

use crate::{broker::Broker, config::BrokerConfig, error::BrokerError, statistics::Monitor};
use std::{net::SocketAddr, sync::mpsc, thread::JoinHandle};
use tokio::sync::oneshot;

/// A broker in its own threads; stopped when dropped.
#[derive(Debug)]
pub struct BrokerHandle {
    address: SocketAddr,
    monitor: Monitor,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), BrokerError>>>,
}

impl Broker {
    /// Starts a broker in its own threads and waits until it listens.
    ///
    /// # Errors
    /// As [`Broker::start`], and [`BrokerError::Thread`] if the thread cannot be started.
    pub fn start_in_thread(config: BrokerConfig) -> Result<BrokerHandle, BrokerError> {
        let (stop, stopped) = oneshot::channel();
        let (started, start) = mpsc::sync_channel(1);
        let run = move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_name("flumen-broker").enable_all().build();
            let runtime = match runtime {
                Ok(runtime) => runtime,
                Err(error) => {
                    let _ = started.send(Err(BrokerError::Thread(error.to_string())));
                    return Ok(());
                }
            };
            runtime.block_on(async {
                match Broker::start(config).await {
                    Ok(broker) => {
                        let _ = started.send(Ok((broker.address(), broker.monitor())));
                        let _ = stopped.await;
                        broker.stop().await
                    }
                    Err(error) => {
                        let _ = started.send(Err(error));
                        Ok(())
                    }
                }
            })
        };
        let failed = |error: &dyn std::fmt::Display| BrokerError::Thread(error.to_string());
        let thread = std::thread::Builder::new().name("flumen-broker".into()).spawn(run).map_err(|e| failed(&e))?;
        let (address, monitor) = start.recv().map_err(|e| failed(&e))??;
        Ok(BrokerHandle { address, monitor, stop: Some(stop), thread: Some(thread) })
    }
}

impl BrokerHandle {
    /// The address clients come to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What reads the broker's statistics.
    pub fn monitor(&self) -> Monitor {
        self.monitor.clone()
    }

    /// Stops the broker and waits for its end.
    ///
    /// # Errors
    /// As [`Broker::stop`].
    pub fn stop(mut self) -> Result<(), BrokerError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), BrokerError> {
        drop(self.stop.take());
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(BrokerError::Thread("it panicked".into())),
            None => Ok(()),
        }
    }
}

impl Drop for BrokerHandle {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            tracing::error!(%error, "the broker did not stop cleanly");
        }
    }
}
