//! Metrics that another part of the process counts by itself: they are read when someone asks for them.

use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, MetricEncoder};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use std::fmt;
use std::sync::Arc;

/// How a value behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Counter,
    Gauge,
}

/// One metric as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    name: &'static str,
    help: &'static str,
    kind: Kind,
    values: Values,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Values {
    One(u64),
    By(&'static str, Vec<(String, u64)>),
}

impl Reading {
    /// A value that only grows. `_total` comes behind its name.
    pub fn counter(name: &'static str, help: &'static str, value: u64) -> Self {
        Self { name, help, kind: Kind::Counter, values: Values::One(value) }
    }

    /// Values that only grow, one for each value of a label.
    pub fn counters(name: &'static str, help: &'static str, label: &'static str, values: Vec<(String, u64)>) -> Self {
        Self { name, help, kind: Kind::Counter, values: Values::By(label, values) }
    }

    /// A value that goes up and down.
    pub fn gauge(name: &'static str, help: &'static str, value: u64) -> Self {
        Self { name, help, kind: Kind::Gauge, values: Values::One(value) }
    }

    fn encode(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Counter => ConstCounter::new(0u64).metric_type(),
            Kind::Gauge => ConstGauge::new(0u64).metric_type(),
        };
        // With the full stop that registered metrics get.
        let help = format!("{}.", self.help);
        let mut metric = encoder.encode_descriptor(self.name, &help, None, kind)?;
        match &self.values {
            Values::One(value) => self.encode_value(*value, metric),
            Values::By(label, values) => {
                values.iter().try_for_each(|(of, value)| self.encode_value(*value, metric.encode_family(&[(*label, of.as_str())])?))
            }
        }
    }

    fn encode_value(&self, value: u64, encoder: MetricEncoder<'_>) -> fmt::Result {
        match self.kind {
            Kind::Counter => ConstCounter::new(value).encode(encoder),
            Kind::Gauge => ConstGauge::new(value).encode(encoder),
        }
    }
}

/// Where readings come from. Clones read the same.
#[derive(Clone)]
pub struct Readings(Arc<dyn Fn() -> Vec<Reading> + Send + Sync>);

impl Readings {
    /// Readings that `read` gives, each time someone asks for the metrics.
    pub fn new(read: impl Fn() -> Vec<Reading> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// The readings alone in the OpenMetrics text format.
    pub fn text(&self) -> String {
        let mut registry = Registry::with_prefix(crate::metrics::PREFIX);
        registry.register_collector(Box::new(self.clone()));
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &registry);
        text
    }
}

impl fmt::Debug for Readings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Readings")
    }
}

impl Collector for Readings {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        (self.0)().iter().try_for_each(|reading| reading.encode(&mut encoder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metrics;
    use std::sync::atomic::{AtomicU64, Ordering};

    fn counting() -> Readings {
        let times = AtomicU64::new(0);
        Readings::new(move || {
            let by = vec![("Fetch".to_owned(), 4), ("Pro\"duce".to_owned(), 5)];
            vec![
                Reading::counter("reads", "Times that this was read", times.fetch_add(1, Ordering::Relaxed) + 1),
                Reading::gauge("size_bytes", "A size", 7),
                Reading::counters("requests", "Requests", "api", by),
                Reading::counters("nothing", "What did not happen", "api", Vec::new()),
            ]
        })
    }

    #[test]
    fn they_are_read_when_someone_asks() {
        let readings = counting();
        assert!(readings.text().contains("flumen_reads_total 1\n"));
        assert_eq!(
            readings.text(),
            "# HELP flumen_reads Times that this was read.\n# TYPE flumen_reads counter\nflumen_reads_total 2\n\
             # HELP flumen_size_bytes A size.\n# TYPE flumen_size_bytes gauge\nflumen_size_bytes 7\n\
             # HELP flumen_requests Requests.\n# TYPE flumen_requests counter\nflumen_requests_total{api=\"Fetch\"} 4\n\
             flumen_requests_total{api=\"Pro\\\"duce\"} 5\n\
             # HELP flumen_nothing What did not happen.\n# TYPE flumen_nothing counter\n# EOF\n"
        );
    }

    #[test]
    fn they_come_with_the_other_metrics() {
        let metrics = Metrics::with_readings(counting());
        metrics.persistent_queries().set(2);
        let text = metrics.clone().text();
        assert!(text.contains("flumen_persistent_queries 2\n") && text.contains("flumen_size_bytes 7\n"), "{text}");
        assert!(!Metrics::new().text().contains("flumen_size_bytes"));
    }
}
