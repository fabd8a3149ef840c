//! The embedded single-node server of the Kafka protocol.
