//! The queries that are measured.

use std::fmt;

/// A query over the orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workload {
    /// Half of the orders, four of their fields.
    Filter,
    /// Count and sum by user.
    Count,
    /// Count by user and minute.
    Tumbling,
    /// Orders with what is known of their user.
    StreamTableJoin,
}

/// All of them.
pub const ALL: [Workload; 4] = [Workload::Filter, Workload::Count, Workload::Tumbling, Workload::StreamTableJoin];

/// The sources: every field of the JSON is declared, whether a query reads it or not.
pub const SOURCES: [&str; 2] = [
    "CREATE STREAM orders (user_id VARCHAR KEY, order_id BIGINT, item VARCHAR, category VARCHAR, price DOUBLE, quantity INTEGER, \
     status VARCHAR, note VARCHAR, ts BIGINT) WITH (kafka_topic = 'orders', value_format = 'JSON');",
    "CREATE TABLE users (user_id VARCHAR PRIMARY KEY, name VARCHAR, region VARCHAR, tier VARCHAR) \
     WITH (kafka_topic = 'users', value_format = 'JSON');",
];

impl Workload {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Workload::Filter => "filter",
            Workload::Count => "count",
            Workload::Tumbling => "tumbling",
            Workload::StreamTableJoin => "stjoin",
        }
    }

    /// STREAM or TABLE, and the query.
    pub fn query(self) -> (&'static str, &'static str) {
        match self {
            Workload::Filter => (
                "STREAM",
                "SELECT user_id AS k, order_id, AS_VALUE(user_id) AS user_id, item, price FROM orders WHERE price > 50 EMIT CHANGES",
            ),
            Workload::Count => ("TABLE", "SELECT user_id, COUNT(*) AS cnt, SUM(price) AS total FROM orders GROUP BY user_id EMIT CHANGES"),
            Workload::Tumbling => (
                "TABLE",
                "SELECT user_id, COUNT(*) AS cnt FROM orders WINDOW TUMBLING (SIZE 1 MINUTE, GRACE PERIOD 10 SECONDS) \
                 GROUP BY user_id EMIT CHANGES",
            ),
            Workload::StreamTableJoin => (
                "STREAM",
                "SELECT o.user_id AS k, o.order_id, AS_VALUE(o.user_id) AS user_id, o.item, o.price, u.name, u.region, u.tier \
                 FROM orders o LEFT JOIN users u ON o.user_id = u.user_id EMIT CHANGES",
            ),
        }
    }

    /// Records it reads before the first order: those of the table.
    pub fn records_before(self) -> u64 {
        match self {
            Workload::StreamTableJoin => super::KEYS,
            _ => 0,
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
