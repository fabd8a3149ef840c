//! Tracing set-up, metrics registry and exporter, named threads.
