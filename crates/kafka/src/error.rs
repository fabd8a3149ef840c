//! What can go wrong with Kafka, sorted by what the caller can do about it.

/// A failed call or a failed delivery.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{operation}: {reason}")]
pub struct KafkaError {
    /// What to do about it.
    pub kind: ErrorKind,
    /// What was tried, with the names it was tried on.
    pub operation: String,
    /// Kafka's error code; negative ones are the client's own. `None` if the call never reached the client.
    pub code: Option<i32>,
    /// The reason, as text for the user.
    pub reason: String,
}

/// What the caller can do about a [`KafkaError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A setting is unknown or wrong: fix the configuration.
    Config,
    /// No answer (broker down, no leader, time-out): wait and try again; the client reconnects by itself.
    Unavailable,
    /// The topic, partition or group does not exist.
    NotFound,
    /// It exists already.
    AlreadyExists,
    /// The broker refuses this user.
    Denied,
    /// The request is wrong and will stay so.
    Invalid,
    /// The offset is no longer, or not yet, in the log.
    OffsetOutOfRange,
    /// The group went on without this member; its slots may belong to another.
    StaleMember,
    /// Call the same again.
    Retriable,
    /// The transaction must be aborted; the producer stays usable.
    Abortable,
    /// Another client took over this identity: drop this one, do not replace it.
    Fenced,
    /// This client is dead: drop it and make a new one.
    Fatal,
}

impl KafkaError {
    /// An error with the client's or the broker's code; its text is Kafka's own.
    pub(crate) fn from_code(operation: impl Into<String>, code: i32) -> Self {
        let reason = crate::native::describe(code);
        Self { kind: ErrorKind::of(code), operation: operation.into(), code: Some(code), reason }
    }

    /// An error that arose on this side of the client.
    pub(crate) fn local(kind: ErrorKind, operation: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { kind, operation: operation.into(), code: None, reason: reason.into() }
    }

    /// The same with a better text, if there is one.
    pub(crate) fn because(mut self, reason: String) -> Self {
        if !reason.is_empty() {
            self.reason = reason;
        }
        self
    }

    /// Whether waiting and calling the same again can help.
    pub fn is_retriable(&self) -> bool {
        matches!(self.kind, ErrorKind::Unavailable | ErrorKind::Retriable)
    }
}

impl ErrorKind {
    /// The kind of an error code outside of transactions. Codes: the protocol's error table, and `rd_kafka_resp_err_t` for negative ones.
    fn of(code: i32) -> Self {
        match code {
            -195 | -193 | -192 | -187 | -185 | -180 | -166 | -137 => Self::Unavailable, // transport, resolve, time-outs, coordinator, brokers
            5..=9 | 13..=16 | 19 | 20 | 41 | 56 | 78 => Self::Unavailable, // leader, broker, network, coordinator, replicas, storage
            -190 | -188 | -156 | 3 | 69 | 100 => Self::NotFound,           // partition, topic, leader of either, group
            36 => Self::AlreadyExists,
            -169 | 29..=31 | 33 | 34 | 53 | 54 | 58 => Self::Denied, // authentication and authorisation
            -140 | 1 => Self::OffsetOutOfRange,
            -142 | 22 | 25 => Self::StaleMember, // assignment lost, illegal generation, unknown member
            -184 | -178 | -177 | -153 | 27 | 51 | 88 | 89 => Self::Retriable, // queue full, in progress, rebalance, concurrent, unstable, quota
            -144 | 47 | 52 | 82 | 90 => Self::Fenced,                         // producer epoch, coordinator epoch, instance id
            -197 | -196 | -150 | -149 | -148 | 45 | 49 | 59 => Self::Fatal,   // destroyed, fatal, sequence, producer id
            -151 | -152 => Self::Abortable,                                   // purged by an abort
            _ => Self::Invalid,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_text_and_kind() {
        let gone = KafkaError::from_code("read topic 'a'", 3);
        assert_eq!(gone.kind, ErrorKind::NotFound);
        assert!(gone.to_string().starts_with("read topic 'a': "), "{gone}");
        assert!(gone.reason.len() > 10, "{gone}");
        assert!(KafkaError::from_code("x", -195).is_retriable());
        assert_eq!(KafkaError::from_code("x", 82).kind, ErrorKind::Fenced);
    }

    #[test]
    fn a_code_of_a_later_kafka_is_described_by_its_number() {
        let new = KafkaError::from_code("x", 9999);
        assert!(new.reason.contains("9999"), "{new}");
    }
}
