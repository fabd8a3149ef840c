//! What kind of producer.

use std::time::Duration;

/// How a producer commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducerOptions {
    /// The id whose transactions this producer writes; `None`: no transactions.
    pub transactional_id: Option<String>,
    /// After how long the broker aborts a transaction that its producer left open.
    pub transaction_timeout: Duration,
}

impl ProducerOptions {
    /// A producer without transactions.
    pub fn idempotent() -> Self {
        Self { transactional_id: None, transaction_timeout: Duration::from_secs(10) }
    }

    /// A producer of the transactions of `id`, which the broker aborts after 10 s without an end.
    pub fn transactional(id: impl Into<String>) -> Self {
        Self { transactional_id: Some(id.into()), ..Self::idempotent() }
    }
}
