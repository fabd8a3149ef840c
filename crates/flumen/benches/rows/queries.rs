//! The queries, planned from SQL as a server plans them.

use std::sync::Arc;

use flumen_catalog::Catalog;
use flumen_expr::{CompareOp, Expr, Registry, build};
use flumen_parser::parse_statement;
use flumen_plan::QueryPlan;
use flumen_planner::{PlanContext, TopicInfo, plan_statement};
use flumen_types::{SqlType, Value};

use crate::Column;

/// What is measured as whole tasks.
pub const QUERIES: [(&str, &str); 4] = [
    (
        "filter",
        "CREATE STREAM out AS SELECT user_id AS k, order_id, AS_VALUE(user_id) AS user_id, item, price FROM orders WHERE price > 50 EMIT CHANGES;",
    ),
    ("count", "CREATE TABLE out AS SELECT user_id, COUNT(*) AS cnt, SUM(price) AS total FROM orders GROUP BY user_id EMIT CHANGES;"),
    (
        "tumbling",
        "CREATE TABLE out AS SELECT user_id, COUNT(*) AS cnt FROM orders WINDOW TUMBLING (SIZE 1 MINUTE, GRACE PERIOD 10 SECONDS) \
         GROUP BY user_id EMIT CHANGES;",
    ),
    (
        "stjoin",
        "CREATE STREAM out AS SELECT o.user_id AS k, o.order_id, AS_VALUE(o.user_id) AS user_id, o.item, o.price, u.name, u.region, u.tier \
         FROM orders o LEFT JOIN users u ON o.user_id = u.user_id EMIT CHANGES;",
    ),
];

/// The value columns of the orders.
pub const VALUES: [Column; 8] = [
    ("ORDER_ID", SqlType::Bigint),
    ("ITEM", SqlType::String),
    ("CATEGORY", SqlType::String),
    ("PRICE", SqlType::Double),
    ("QUANTITY", SqlType::Integer),
    ("STATUS", SqlType::String),
    ("NOTE", SqlType::String),
    ("TS", SqlType::Bigint),
];

/// The plan of a query over the orders and the users.
pub fn plan(sql: &str) -> (Arc<QueryPlan>, Arc<Registry>) {
    let registry = flumen_functions::builtins();
    let info = TopicInfo { partitions: 1, replicas: 1, retention_ms: None };
    let topics = ["orders", "users"].map(|name| (name.to_owned(), info)).into_iter().collect();
    let context = PlanContext { topics, ..PlanContext::default() };
    let columns: Vec<String> = VALUES.iter().map(|(name, ty)| format!("{name} {ty}")).collect();
    let orders =
        format!("CREATE STREAM orders (user_id VARCHAR KEY, {}) WITH (kafka_topic = 'orders', value_format = 'JSON');", columns.join(", "));
    let users = "CREATE TABLE users (user_id VARCHAR PRIMARY KEY, name VARCHAR, region VARCHAR, tier VARCHAR) \
                 WITH (kafka_topic = 'users', value_format = 'JSON');";
    let mut catalog = Catalog::new();
    for (offset, source) in [(0, orders.as_str()), (1, users)] {
        let parsed = parse_statement(source).expect("a statement");
        let planned = plan_statement(&parsed.statement, &parsed.text, &catalog, &registry, &context).expect("a source");
        catalog = catalog.apply(offset, &planned.command(source).expect("a command")).expect("a catalog").0;
    }
    let parsed = parse_statement(sql).expect("a query");
    let planned = plan_statement(&parsed.statement, &parsed.text, &catalog, &registry, &context).expect("a plan");
    (Arc::new(planned.query.expect("a query")), Arc::new(registry))
}

/// The condition `price > 50` over a chunk that has the price alone.
pub fn price_above_50() -> Expr {
    let price = Expr::column(0, "PRICE", SqlType::Double);
    build::compare(CompareOp::Gt, price, Expr::literal(Value::Integer(50), SqlType::Integer)).expect("a condition")
}
