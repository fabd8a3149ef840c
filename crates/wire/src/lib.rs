//! Kafka record batches, read and written in place.
