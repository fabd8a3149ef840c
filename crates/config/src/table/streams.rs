//! Properties of query execution that ksqlDB passes to Kafka Streams, under `ksql.streams.`; the prefix may be left out.

use super::{INT, MAX};
use crate::property::{Kind, Property};

pub(super) const TABLE: &[Property] = &[
    Property::query(
        "ksql.streams.auto.offset.reset",
        Kind::OneOf(&["earliest", "latest"]),
        Some("latest"),
        "Where a new query starts reading.",
    ),
    Property::query(
        "ksql.streams.processing.guarantee",
        Kind::OneOf(&["at_least_once", "exactly_once_v2", "exactly_once", "exactly_once_beta"]),
        Some("at_least_once"),
        "at_least_once, or exactly_once_v2: every record counts once, also after a failure. The server's holds for all queries.",
    ),
    Property::query(
        "ksql.streams.commit.interval.ms",
        Kind::Int(1, MAX),
        Some("2000"),
        "Time between commits, in ms; a query can ask for less than its server's, not for more.",
    ),
    Property::query(
        "ksql.streams.cache.max.bytes.buffering",
        Kind::Int(0, MAX),
        Some("10000000"),
        "0 emits every change of a table; otherwise the last per key and commit.",
    ),
    Property::query("ksql.streams.statestore.cache.max.bytes", Kind::Int(0, MAX), None, "The newer name of cache.max.bytes.buffering."),
    Property::query(
        "ksql.streams.max.task.idle.ms",
        Kind::Int(-1, MAX),
        Some("0"),
        "How long a task waits for an input that is at its end while others have records, in ms; -1: nor for one that is behind.",
    ),
    Property::query(
        "ksql.streams.task.timeout.ms",
        Kind::Int(0, MAX),
        Some("300000"),
        "How long a task is tried again after a time-out of Kafka, in ms.",
    )
    .accepted(),
    Property::query(
        "ksql.streams.buffered.records.per.partition",
        Kind::Int(1, INT),
        Some("1000"),
        "Records fetched ahead for a partition.",
    )
    .accepted(),
    Property::server(
        "ksql.streams.num.stream.threads",
        Kind::Int(1, INT),
        Some("4"),
        "Threads of one query; in Flumen flumen.worker.threads serve all.",
    )
    .accepted(),
    Property::server("ksql.streams.num.standby.replicas", Kind::Int(0, INT), Some("0"), "Copies of each state on other nodes.").accepted(),
    Property::server("ksql.streams.state.dir", Kind::Text, None, "ksqlDB's folder of local state; in Flumen flumen.data.dir.").accepted(),
    Property::server("ksql.streams.application.id", Kind::Text, None, "Overwritten by the server.").accepted(),
    Property::server("ksql.streams.application.server", Kind::Text, None, "Overwritten by the server.").accepted(),
    Property::server(
        "ksql.streams.replication.factor",
        Kind::Int(-1, 32767),
        Some("-1"),
        "Replicas of internal topics; -1 is ksql.internal.topic.replicas.",
    )
    .accepted(),
    Property::query("ksql.streams.topology.optimization", Kind::Text, Some("all"), "Optimizations of Kafka Streams.").accepted(),
    Property::query(
        "ksql.streams.acceptable.recovery.lag",
        Kind::Int(0, MAX),
        Some("10000"),
        "Lag at which a standby counts as caught up.",
    )
    .accepted(),
    Property::query("ksql.streams.max.warmup.replicas", Kind::Int(1, INT), Some("2"), "Most states that are copied ahead of a move.")
        .accepted(),
    Property::query(
        "ksql.streams.probing.rebalance.interval.ms",
        Kind::Int(60_000, MAX),
        Some("600000"),
        "Time between looks whether they are ready, in ms.",
    )
    .accepted(),
    Property::query("ksql.streams.poll.ms", Kind::Int(0, MAX), Some("100"), "Longest wait for records, in ms.").accepted(),
    Property::query("ksql.streams.window.size.ms", Kind::Int(0, MAX), None, "Size of the windows of a consumer.").accepted(),
    Property::query("ksql.streams.default.deserialization.exception.handler", Kind::Text, None, "Overwritten by the server.").accepted(),
    Property::query("ksql.streams.default.production.exception.handler", Kind::Text, None, "Overwritten by the server.").accepted(),
    Property::query("ksql.streams.default.timestamp.extractor", Kind::Text, None, "Overwritten by the server.").accepted(),
    Property::query("ksql.streams.default.key.serde", Kind::Text, None, "Overwritten by the server.").accepted(),
    Property::query("ksql.streams.default.value.serde", Kind::Text, None, "Overwritten by the server.").accepted(),
    Property::query("ksql.streams.rocksdb.config.setter", Kind::Text, None, "Class that tunes state stores.").accepted(),
    Property::query(
        "ksql.streams.state.cleanup.delay.ms",
        Kind::Int(0, MAX),
        Some("600000"),
        "Wait before a state that moved away is deleted, in ms.",
    )
    .accepted(),
    Property::query(
        "ksql.streams.repartition.purge.interval.ms",
        Kind::Int(0, MAX),
        Some("30000"),
        "Time between deletions of consumed repartition records, in ms.",
    )
    .accepted(),
    Property::query("ksql.streams.upgrade.from", Kind::Text, None, "Version that a rolling upgrade starts from.").accepted(),
    Property::query("ksql.streams.rack.aware.assignment.tags", Kind::List, Some(""), "Tags that spread standbys.").accepted(),
    Property::server("ksql.streams.shutdown.timeout.ms", Kind::Int(0, MAX), Some("300000"), "How long a query may take to stop, in ms."),
];
