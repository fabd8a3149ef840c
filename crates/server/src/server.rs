//! From listening to the last answer.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt;
use flumen_config::ServerConfig;
use flumen_engine::{Engine, EngineError};
use flumen_telemetry::Metrics;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::app::App;
use crate::connect::connect;
use crate::listen::{Bound, bind};
use crate::watch::watch;
use crate::{ServerError, routes};

/// How long answers that are being sent may take when the server stops.
const GRACE: Duration = Duration::from_secs(5);

/// A server that listens. Requests are answered once it [runs](Server::run).
pub struct Server {
    app: Arc<App>,
    router: axum::Router,
    bound: Vec<Bound>,
}

impl Server {
    /// Listens on all URLs of `listeners`.
    ///
    /// # Errors
    /// When a URL is wrong or its address taken, or the `access.control.allow.*` properties are no values of HTTP.
    pub async fn bind(config: ServerConfig, metrics: Metrics) -> Result<Self, ServerError> {
        if config.listeners.is_empty() {
            let reason = "it names no URL".to_owned();
            return Err(ServerError::Listener { url: String::new(), reason });
        }
        let mut bound = Vec::new();
        for url in &config.listeners {
            bound.push(bind(url).await?);
        }
        let app = Arc::new(App::new(config, metrics));
        let router = routes::router(app.clone())?;
        Ok(Self { app, router, bound })
    }

    /// The URLs it listens on, with the ports that were taken.
    pub fn urls(&self) -> Vec<String> {
        self.bound.iter().map(|bound| bound.url.clone()).collect()
    }

    /// Answers requests until `stop`, then lets the queries stop and returns. The engine comes from `start`, which may block
    /// and is called again, after a pause, as long as it fails; `ready` is called when it is there.
    ///
    /// # Errors
    /// [`ServerError::Stop`] when the queries take longer to stop than `ksql.streams.shutdown.timeout.ms`.
    pub async fn run<C, R>(self, start: C, ready: R, stop: impl Future<Output = ()>) -> Result<(), ServerError>
    where
        C: Fn() -> Result<Engine, EngineError> + Send + Sync + 'static,
        R: FnOnce() + Send + 'static,
    {
        let Self { app, router, bound } = self;
        let (end, ended) = watch::channel(false);
        let mut listeners = JoinSet::new();
        for Bound { socket, .. } in bound {
            let mut ended = ended.clone();
            // Rows are to leave at once.
            let socket = socket.tap_io(|connection| {
                if let Err(error) = connection.set_nodelay(true) {
                    tracing::debug!(%error, "a connection keeps Nagle's algorithm");
                }
            });
            let serve = axum::serve(socket, router.clone()).with_graceful_shutdown(async move {
                // A sender that is gone means the same.
                let _ = ended.wait_for(|ended| *ended).await;
            });
            listeners.spawn(async move { serve.await });
        }
        let connecting = tokio::spawn({
            let app = app.clone();
            async move {
                connect(app.clone(), start).await;
                ready();
                watch(app).await;
            }
        });
        stop.await;
        tracing::info!("stopping");
        let engine = app.set_stopping();
        connecting.abort();
        let closed = match engine {
            Some(engine) => close(engine, app.config.shutdown_timeout).await,
            None => Ok(()),
        };
        end.send_replace(true);
        if tokio::time::timeout(GRACE, async { while listeners.join_next().await.is_some() {} }).await.is_err() {
            tracing::info!("some clients did not take their last answer");
        }
        closed
    }
}

/// Stops the queries; that ends the answers of push queries too.
async fn close(engine: Engine, patience: Duration) -> Result<(), ServerError> {
    match tokio::time::timeout(patience, tokio::task::spawn_blocking(move || engine.close())).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => {
            tracing::error!(%error, "stopping the queries failed");
            Ok(())
        }
        Err(_) => Err(ServerError::Stop(patience)),
    }
}
