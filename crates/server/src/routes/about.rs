//! What a server tells about itself: `/info`, `/healthcheck`, `/v1/metadata`, `/metrics` and the probes.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use flumen_api::{Health, Info, ServerInfo};
use flumen_telemetry::Metrics;
use serde::Serialize;

use crate::app::{App, Ready};
use crate::failure::Failure;

/// The ksqlDB release whose protocol this is; clients ask.
const VERSION: &str = "0.29.0";

/// `GET /info`.
pub async fn info(State(app): State<Arc<App>>, ready: Ready) -> Json<Info> {
    let well = app.health().await.details.get("commandRunner").is_none_or(|part| part.is_healthy);
    Json(Info {
        server: ServerInfo {
            version: VERSION.to_owned(),
            kafka_cluster_id: ready.cluster_id,
            ksql_service_id: app.config.service_id.clone(),
            server_status: Some(if well { "RUNNING" } else { "DEGRADED" }.to_owned()),
        },
    })
}

/// `GET /healthcheck`: 200 even where something is not well.
pub async fn health(State(app): State<Arc<App>>) -> Json<Health> {
    Json(app.health().await)
}

/// `GET /chc/ready`: 503 until the engine is there.
pub async fn is_ready(ready: Result<Ready, Failure>) -> Result<Json<BTreeMap<String, String>>, Failure> {
    ready.map(|_| Json(BTreeMap::new()))
}

/// `GET /chc/live`.
pub async fn is_live() -> Json<BTreeMap<String, String>> {
    Json(BTreeMap::new())
}

/// `GET /metrics`, for Prometheus.
pub async fn metrics(State(app): State<Arc<App>>) -> impl IntoResponse {
    ([(CONTENT_TYPE, Metrics::CONTENT_TYPE)], app.metrics.text())
}

/// Body of `GET /v1/metadata`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    version: &'static str,
    cluster_id: ClusterId,
}

/// Body of `GET /v1/metadata/id`.
#[derive(Debug, Serialize)]
pub struct ClusterId {
    id: &'static str,
    scope: Scope,
}

#[derive(Debug, Serialize)]
struct Scope {
    path: Vec<String>,
    clusters: BTreeMap<&'static str, String>,
}

/// `GET /v1/metadata`.
pub async fn metadata(app: State<Arc<App>>, ready: Ready) -> Json<Metadata> {
    let Json(cluster_id) = metadata_id(app, ready).await;
    Json(Metadata { version: VERSION, cluster_id })
}

/// `GET /v1/metadata/id`.
pub async fn metadata_id(State(app): State<Arc<App>>, ready: Ready) -> Json<ClusterId> {
    let clusters = BTreeMap::from([("kafka-cluster", ready.cluster_id), ("ksql-cluster", app.config.service_id.clone())]);
    Json(ClusterId { id: "", scope: Scope { path: Vec::new(), clusters } })
}
