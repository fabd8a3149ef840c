//! Brings the engine up behind a server that listens already, as often as it takes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use flumen_engine::{Engine, EngineError};

use crate::app::{App, Ready};
use crate::request::blocking;

/// Pause after the first failure; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Tries until the engine is there. An engine that comes when the server is stopping already is closed again.
pub async fn connect<C>(app: Arc<App>, connect: C)
where
    C: Fn() -> Result<Engine, EngineError> + Send + Sync + 'static,
{
    let (start, connect) = (Instant::now(), Arc::new(connect));
    let mut pause = FIRST_PAUSE;
    loop {
        let (app_now, connect_now) = (app.clone(), connect.clone());
        let attempt = blocking(move || -> Result<(), EngineError> {
            let engine = connect_now()?;
            let cluster_id = engine.env().topics.cluster_id()?;
            if let Err(late) = app_now.set_ready(Ready { engine, cluster_id }) {
                late.engine.close();
            }
            Ok(())
        })
        .await;
        let why = match attempt {
            Ok(Ok(())) => break,
            Ok(Err(error)) => error.to_string(),
            Err(failure) => failure.to_string(),
        };
        tracing::warn!(again_in = ?pause, "the server is not ready: {why}");
        app.set_reason(why);
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    app.metrics.started_after(start.elapsed().as_secs_f64());
}
