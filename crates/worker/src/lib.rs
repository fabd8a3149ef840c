//! Drives tasks on Kafka: fetch, transaction, restore, retry.
