//! The registry of metrics, and its text for a Prometheus server to read.
//!
//! A query's counters are looked up once, when the query starts, and then only added to: [`Metrics::query`] gives handles.

use crate::Readings;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueryLabel {
    query: String,
}

/// Labels of what is counted by query and partition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct TopicLabels {
    /// The query's id.
    pub query: String,
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    endpoint: String,
    status: u16,
}

type ByQuery<M> = Family<QueryLabel, M>;

/// All metrics of a process. Clones share the same values.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    records_in: ByQuery<Counter>,
    bytes_in: ByQuery<Counter>,
    records_out: ByQuery<Counter>,
    bytes_out: ByQuery<Counter>,
    errors: ByQuery<Counter>,
    late: ByQuery<Counter>,
    restarts: ByQuery<Counter>,
    commit: ByQuery<Histogram>,
    restore_remaining: ByQuery<Gauge>,
    restored: ByQuery<Counter>,
    state_bytes: ByQuery<Gauge>,
    state_rows: ByQuery<Gauge>,
    lag: Family<TopicLabels, Gauge>,
    requests: Family<RequestLabels, Counter>,
    persistent_queries: Gauge,
    push_queries: Gauge,
    start_seconds: Gauge<f64, AtomicU64>,
}

/// The metrics of one query; clones share the same values.
#[derive(Clone)]
pub struct QueryMetrics {
    /// Records read.
    pub records_in: Counter,
    /// Bytes of keys and values read.
    pub bytes_in: Counter,
    /// Records written to topics that users see.
    pub records_out: Counter,
    /// Bytes of keys and values written.
    pub bytes_out: Counter,
    /// Records that could not be processed.
    pub errors: Counter,
    /// Records dropped because their window had closed.
    pub late: Counter,
    /// Times the query was started again after a failure.
    pub restarts: Counter,
    /// Seconds that a commit took.
    pub commit: Histogram,
    /// Changelog records that are still to be restored.
    pub restore_remaining: Gauge,
    /// Changelog records restored.
    pub restored: Counter,
    /// Bytes of state, on disk and in memory.
    pub state_bytes: Gauge,
    /// Rows of state.
    pub state_rows: Gauge,
}

/// What the name of every metric begins with.
pub(crate) const PREFIX: &str = "flumen";

/// Upper bounds of the commit histogram, in seconds.
const COMMIT_SECONDS: [f64; 12] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0];

fn commit_histogram() -> Histogram {
    Histogram::new(COMMIT_SECONDS)
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// A registry with every family in it, all empty.
    pub fn new() -> Self {
        let mut metrics = Self {
            registry: Arc::new(Registry::default()),
            records_in: ByQuery::default(),
            bytes_in: ByQuery::default(),
            records_out: ByQuery::default(),
            bytes_out: ByQuery::default(),
            errors: ByQuery::default(),
            late: ByQuery::default(),
            restarts: ByQuery::default(),
            commit: Family::new_with_constructor(commit_histogram),
            restore_remaining: ByQuery::default(),
            restored: ByQuery::default(),
            state_bytes: ByQuery::default(),
            state_rows: ByQuery::default(),
            lag: Family::default(),
            requests: Family::default(),
            persistent_queries: Gauge::default(),
            push_queries: Gauge::default(),
            start_seconds: Gauge::default(),
        };
        metrics.registry = Arc::new(metrics.register());
        metrics
    }

    /// As [`new`](Self::new), and with what another part of the process counts by itself.
    pub fn with_readings(readings: Readings) -> Self {
        let mut metrics = Self::new();
        let mut registry = metrics.register();
        registry.register_collector(Box::new(readings));
        metrics.registry = Arc::new(registry);
        metrics
    }

    fn register(&self) -> Registry {
        let mut r = Registry::with_prefix(PREFIX);
        r.register("query_records_in", "Records read by a query", self.records_in.clone());
        r.register_with_unit("query_in", "Keys and values read by a query", Unit::Bytes, self.bytes_in.clone());
        r.register("query_records_out", "Records written by a query", self.records_out.clone());
        r.register_with_unit("query_out", "Keys and values written by a query", Unit::Bytes, self.bytes_out.clone());
        r.register("query_errors", "Records that a query could not process", self.errors.clone());
        r.register("query_late_records", "Records dropped because their window had closed", self.late.clone());
        r.register("query_restarts", "Times a query was started again after a failure", self.restarts.clone());
        r.register_with_unit("query_commit", "Duration of a commit", Unit::Seconds, self.commit.clone());
        r.register("query_restore_remaining_records", "Changelog records still to be restored", self.restore_remaining.clone());
        r.register("query_restored_records", "Changelog records restored", self.restored.clone());
        r.register_with_unit("query_state", "State of a query", Unit::Bytes, self.state_bytes.clone());
        r.register("query_state_rows", "Rows of state of a query", self.state_rows.clone());
        r.register("query_lag_records", "Records between a query's position and the end of a partition", self.lag.clone());
        r.register("http_requests", "Requests to the HTTP API", self.requests.clone());
        r.register("persistent_queries", "Persistent queries that run", self.persistent_queries.clone());
        r.register("push_queries", "Push queries that run", self.push_queries.clone());
        r.register_with_unit("start_duration", "Time from start to ready", Unit::Seconds, self.start_seconds.clone());
        r
    }

    /// The metrics of a query, made if they are not there.
    pub fn query(&self, id: &str) -> QueryMetrics {
        let label = QueryLabel { query: id.to_owned() };
        QueryMetrics {
            records_in: self.records_in.get_or_create_owned(&label),
            bytes_in: self.bytes_in.get_or_create_owned(&label),
            records_out: self.records_out.get_or_create_owned(&label),
            bytes_out: self.bytes_out.get_or_create_owned(&label),
            errors: self.errors.get_or_create_owned(&label),
            late: self.late.get_or_create_owned(&label),
            restarts: self.restarts.get_or_create_owned(&label),
            commit: self.commit.get_or_create_owned(&label),
            restore_remaining: self.restore_remaining.get_or_create_owned(&label),
            restored: self.restored.get_or_create_owned(&label),
            state_bytes: self.state_bytes.get_or_create_owned(&label),
            state_rows: self.state_rows.get_or_create_owned(&label),
        }
    }

    /// The gauge of a query's lag on a partition, in records.
    pub fn lag(&self, labels: &TopicLabels) -> Gauge {
        self.lag.get_or_create_owned(labels)
    }

    /// Forgets the lag of a partition that a query reads no longer here.
    pub fn forget_lag(&self, labels: &TopicLabels) {
        self.lag.remove(labels);
    }

    /// Forgets a query that was terminated.
    pub fn forget(&self, id: &str) {
        let label = QueryLabel { query: id.to_owned() };
        for family in
            [&self.records_in, &self.bytes_in, &self.records_out, &self.bytes_out, &self.errors, &self.late, &self.restarts, &self.restored]
        {
            family.remove(&label);
        }
        for family in [&self.restore_remaining, &self.state_bytes, &self.state_rows] {
            family.remove(&label);
        }
        self.commit.remove(&label);
    }

    /// Counts an answered request.
    pub fn request(&self, endpoint: &str, status: u16) {
        self.requests.get_or_create(&RequestLabels { endpoint: endpoint.to_owned(), status }).inc();
    }

    /// The number of persistent queries that run.
    pub fn persistent_queries(&self) -> &Gauge {
        &self.persistent_queries
    }

    /// The number of push queries that run.
    pub fn push_queries(&self) -> &Gauge {
        &self.push_queries
    }

    /// Notes how long the server took to become ready, in seconds.
    pub fn started_after(&self, seconds: f64) {
        self.start_seconds.set(seconds);
    }

    /// All values in the OpenMetrics text format, for `/metrics`.
    pub fn text(&self) -> String {
        let mut text = String::new();
        match encode(&mut text, &self.registry) {
            Ok(()) => text,
            // Writing to a string fails only if a metric breaks its own contract; what was written before is still good.
            Err(_) => text,
        }
    }

    /// The content type of [`text`](Self::text).
    pub const CONTENT_TYPE: &'static str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_counted_under_its_id_until_it_is_forgotten() {
        let metrics = Metrics::new();
        let query = metrics.query("CSAS_A_1");
        query.records_in.inc_by(3);
        query.commit.observe(0.003);
        query.state_bytes.set(10);
        let labels = TopicLabels { query: "CSAS_A_1".to_owned(), topic: "t".to_owned(), partition: 2 };
        metrics.lag(&labels).set(7);
        let text = metrics.text();
        for line in [
            "flumen_query_records_in_total{query=\"CSAS_A_1\"} 3",
            "flumen_query_commit_seconds_bucket{le=\"0.005\",query=\"CSAS_A_1\"} 1",
            "flumen_query_state_bytes{query=\"CSAS_A_1\"} 10",
            "flumen_query_lag_records{query=\"CSAS_A_1\",topic=\"t\",partition=\"2\"} 7",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
        metrics.forget("CSAS_A_1");
        metrics.forget_lag(&labels);
        assert!(!metrics.text().contains("CSAS_A_1"));
    }

    #[test]
    fn handles_of_one_query_share_their_values() {
        let metrics = Metrics::new();
        metrics.query("Q").errors.inc();
        assert_eq!(metrics.query("Q").errors.inc(), 1);
        metrics.request("/ksql", 200);
        assert!(metrics.text().contains("flumen_http_requests_total{endpoint=\"/ksql\",status=\"200\"} 1"));
    }
}
