//! The product's use of the Kafka client, in batches.
