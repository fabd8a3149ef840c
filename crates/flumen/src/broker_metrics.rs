//! What the embedded broker counts, as metrics: beside those of a server, or at an address of their own.

use std::sync::Arc;

use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use flumen_broker::{Monitor, Statistics};
use flumen_telemetry::{Metrics, Reading, Readings};
use tokio::net::TcpListener;

/// The metrics of a broker; none when it has stopped.
pub fn readings(monitor: Monitor) -> Readings {
    Readings::new(move || monitor.read().map(metrics).unwrap_or_default())
}

fn metrics(read: Statistics) -> Vec<Reading> {
    let by_api = |of: fn(&flumen_broker::ApiStatistics) -> u64| read.apis.iter().map(|a| (a.api.clone(), of(a))).collect();
    vec![
        Reading::counters("broker_requests", "Requests answered by the broker", "api", by_api(|a| a.requests)),
        Reading::counters(
            "broker_failed_requests",
            "Requests whose answer told of an error or that ended their connection",
            "api",
            by_api(|a| a.failed),
        ),
        Reading::counter("broker_request_bytes", "Bytes of requests to the broker", read.request_bytes),
        Reading::counter("broker_response_bytes", "Bytes of the broker's answers", read.response_bytes),
        Reading::gauge("broker_connections", "Open connections to the broker", read.connections),
        Reading::counter("broker_refused_connections", "Connections closed because there were too many", read.refused_connections),
        Reading::counter("broker_appended_records", "Records written by producers", read.appended_records),
        Reading::counter("broker_appended_bytes", "Bytes of batches written by producers", read.appended_bytes),
        Reading::counter("broker_fetched_records", "Records given to consumers", read.fetched_records),
        Reading::counter("broker_fetched_bytes", "Bytes of batches given to consumers", read.fetched_bytes),
        Reading::gauge("broker_topics", "Topics", read.topics),
        Reading::gauge("broker_partitions", "Partitions of all topics", read.partitions),
        Reading::gauge("broker_segments", "Segments of all partitions", read.segments),
        Reading::gauge("broker_log_bytes", "Bytes of all segments", read.log_bytes),
        Reading::gauge("broker_open_transactions", "Transactions that are open or being ended", read.open_transactions),
        Reading::gauge("broker_groups", "Consumer groups with members or committed offsets", read.groups),
        Reading::gauge("broker_group_members", "Members of all consumer groups", read.group_members),
        Reading::counter("broker_compactions", "Compactions of a partition", read.compactions),
        Reading::counter("broker_compacted_bytes", "Bytes read and written by compaction", read.compacted_bytes),
        Reading::counter("broker_disk_errors", "Times that the disk took no records", read.disk_errors),
        Reading::gauge("broker_disk_refuses", "1 if the disk took no records the last time, else 0", read.disk_refuses.into()),
    ]
}

/// Answers `GET /metrics` until the runtime ends.
pub async fn serve(socket: TcpListener, readings: Readings) -> std::io::Result<()> {
    let readings = Arc::new(readings);
    let answer = move || {
        let readings = readings.clone();
        // Every log is looked at, and a log may be waiting for the disk.
        async move {
            let text = tokio::task::spawn_blocking(move || readings.text()).await.unwrap_or_default();
            ([(CONTENT_TYPE, Metrics::CONTENT_TYPE)], text)
        }
    };
    axum::serve(socket, axum::Router::new().route("/metrics", get(answer))).await
}
