//! Says in the log when Kafka is lost, and when it is back.

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;

/// The shortest time between two looks, however often the health check may be made.
const SHORTEST: Duration = Duration::from_millis(100);

/// Watches a server that is ready, until it is no longer.
pub async fn watch(app: Arc<App>) {
    let pause = app.config.healthcheck_interval.max(SHORTEST);
    let mut well = true;
    while app.ready().is_ok() {
        let health = app.health().await;
        let now = health.details.get("kafka").is_some_and(|kafka| kafka.is_healthy);
        match (well, now) {
            (true, false) => tracing::warn!("Kafka does not answer: the queries wait for it"),
            (false, true) => tracing::info!("Kafka answers again: the queries go on"),
            _ => {}
        }
        well = now;
        tokio::time::sleep(pause).await;
    }
}
