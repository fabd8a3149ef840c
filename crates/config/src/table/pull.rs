//! Properties of pull queries and push queries.

use super::{INT, MAX};
use crate::property::{Kind, Property};

pub(super) const TABLE: &[Property] = &[
    Property::server("ksql.pull.queries.enable", Kind::Bool, Some("true"), "Pull queries are allowed."),
    Property::query("ksql.query.pull.table.scan.enabled", Kind::Bool, Some("true"), "Pull queries may read a whole table."),
    Property::query("ksql.query.pull.range.scan.enabled", Kind::Bool, Some("true"), "Pull queries may read a range of keys."),
    Property::query("ksql.query.pull.stream.enabled", Kind::Bool, Some("true"), "Pull queries on streams are allowed."),
    Property::query("ksql.query.pull.limit.clause.enabled", Kind::Bool, Some("true"), "LIMIT is allowed in pull queries."),
    Property::query("ksql.query.pull.interpreter.enabled", Kind::Bool, Some("true"), "How ksqlDB evaluates pull queries.").accepted(),
    Property::query("ksql.query.pull.enable.standby.reads", Kind::Bool, Some("false"), "Pull queries may be answered by a standby.")
        .accepted(),
    Property::query(
        "ksql.query.pull.max.allowed.offset.lag",
        Kind::Int(0, MAX),
        Some("9223372036854775807"),
        "Records that a standby may be behind and still answer.",
    )
    .accepted(),
    Property::query("ksql.query.pull.consistency.token.enabled", Kind::Bool, Some("false"), "Consistency tokens are sent.").accepted(),
    Property::server("ksql.query.pull.max.qps", Kind::Int(0, INT), Some("2147483647"), "Most pull queries per second.").accepted(),
    Property::server("ksql.query.pull.max.concurrent.requests", Kind::Int(0, INT), Some("2147483647"), "Most pull queries at a time.")
        .accepted(),
    Property::server(
        "ksql.query.pull.max.hourly.bandwidth.megabytes",
        Kind::Int(0, INT),
        Some("2147483647"),
        "Most output of pull queries in an hour, in MB.",
    )
    .accepted(),
    Property::server("ksql.query.pull.thread.pool.size", Kind::Int(1, INT), Some("50"), "Threads for pull queries.").accepted(),
    Property::server("ksql.query.pull.router.thread.pool.size", Kind::Int(1, INT), Some("50"), "Threads that forward pull queries.")
        .accepted(),
    Property::server("ksql.query.pull.coordinator.queue.capacity", Kind::Int(1, INT), Some("2147483647"), "Most waiting pull queries.")
        .accepted(),
    Property::server(
        "ksql.query.pull.router.queue.capacity",
        Kind::Int(1, INT),
        Some("2147483647"),
        "Most waiting forwarded pull queries.",
    )
    .accepted(),
    Property::server(
        "ksql.query.pull.forwarding.timeout.ms",
        Kind::Int(0, MAX),
        Some("20000"),
        "Time-out of a forwarded pull query, in ms.",
    )
    .accepted(),
    Property::server("ksql.query.pull.metrics.enabled", Kind::Bool, Some("true"), "Pull queries are measured.").accepted(),
    Property::server("ksql.query.pull.cancel.on.disconnect.enabled", Kind::Bool, Some("false"), "A pull query ends when its client goes.")
        .accepted(),
    Property::server("ksql.max.push.queries", Kind::Int(0, INT), Some("100"), "Most push queries at a time."),
    Property::query("ksql.query.push.v2.enabled", Kind::Bool, Some("false"), "ksqlDB's scalable push queries.").accepted(),
    Property::query("ksql.query.push.v2.registry.installed", Kind::Bool, Some("false"), "ksqlDB's scalable push queries are prepared.")
        .accepted(),
    Property::query("ksql.query.push.v2.alos.enabled", Kind::Bool, Some("true"), "At-least-once for scalable push queries.").accepted(),
    Property::query("ksql.query.push.v2.interpreter.enabled", Kind::Bool, Some("true"), "How ksqlDB evaluates scalable push queries.")
        .accepted(),
    Property::query("ksql.query.push.v2.metrics.enabled", Kind::Bool, Some("true"), "Scalable push queries are measured.").accepted(),
    Property::query(
        "ksql.query.push.v2.new.latest.delay.ms",
        Kind::Int(0, MAX),
        Some("5000"),
        "Wait before a new consumer of scalable push queries, in ms.",
    )
    .accepted(),
    Property::query(
        "ksql.query.push.v2.latest.reset.age.ms",
        Kind::Int(0, MAX),
        Some("30000"),
        "Age at which such a consumer starts anew, in ms.",
    )
    .accepted(),
    Property::query("ksql.query.push.v2.max.catchup.consumers", Kind::Int(0, INT), Some("5"), "Most consumers that catch up.").accepted(),
    Property::query(
        "ksql.query.push.v2.catchup.consumer.msg.window",
        Kind::Int(0, INT),
        Some("50"),
        "Records behind at which one has caught up.",
    )
    .accepted(),
    Property::query("ksql.query.push.v2.continuation.tokens.enabled", Kind::Bool, Some("false"), "Continuation tokens are sent.")
        .accepted(),
    Property::server(
        "ksql.query.push.v2.max.hourly.bandwidth.megabytes",
        Kind::Int(0, INT),
        Some("2147483647"),
        "Most output of push queries in an hour, in MB.",
    )
    .accepted(),
];
