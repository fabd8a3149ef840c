//! Properties of the engine: names, defaults of new sources, limits, error handling.

use super::{INT, MAX};
use crate::property::{Kind, Property};

/// Topics of the platform, hidden and read-only by default: a list of regular expressions.
const PLATFORM_TOPICS: &str = "_confluent.*,__confluent.*,_schemas,__consumer_offsets,__transaction_state,connect-configs,connect-offsets,connect-status,connect-statuses";

pub(super) const TABLE: &[Property] = &[
    Property::server(
        "bootstrap.servers",
        Kind::Text,
        None,
        "Addresses of Kafka, host:port separated by commas; without it the embedded broker starts.",
    ),
    Property::server(
        "ksql.service.id",
        Kind::Text,
        Some("default_"),
        "Name of the service; servers with the same one on the same Kafka belong together.",
    ),
    Property::server("ksql.persistent.prefix", Kind::Text, Some("query_"), "Prefix of persistent queries in the names of internal topics.")
        .accepted(),
    Property::server("ksql.transient.prefix", Kind::Text, Some("transient_"), "Prefix of the ids of push queries.").accepted(),
    Property::server(
        "ksql.output.topic.name.prefix",
        Kind::Text,
        Some(""),
        "Put before the name of a topic that a statement leaves to the server.",
    ),
    Property::server("ksql.queries.file", Kind::Text, None, "Statements to run without an HTTP API.").accepted(),
    Property::server("ksql.internal.topic.replicas", Kind::Int(1, 32767), Some("1"), "Replicas of internal topics."),
    Property::server(
        "ksql.internal.topic.min.insync.replicas",
        Kind::Int(1, 32767),
        Some("1"),
        "Replicas of internal topics that must have a write before it counts.",
    ),
    Property::server(
        "ksql.create.topic.inherit.source.replicas.enabled",
        Kind::Bool,
        Some("true"),
        "New topics take the replication of the source.",
    )
    .accepted(),
    Property::query("ksql.persistence.default.format.key", Kind::Text, Some("KAFKA"), "Key format where a statement names none."),
    Property::query("ksql.persistence.default.format.value", Kind::Text, None, "Value format where a statement names none."),
    Property::query(
        "ksql.persistence.wrap.single.values",
        Kind::Bool,
        None,
        "Whether a single value column is written inside an object; unset leaves it to the format.",
    ),
    Property::query("ksql.insert.into.values.enabled", Kind::Bool, Some("true"), "INSERT … VALUES is allowed."),
    Property::server("ksql.schema.registry.url", Kind::List, Some(""), "Schema Registry, one or more URLs."),
    Property::server("ksql.connect.url", Kind::Text, Some("http://localhost:8083"), "Kafka Connect.").accepted(),
    Property::server("ksql.connect.worker.config", Kind::Text, Some(""), "Configuration of an embedded Connect worker.").accepted(),
    Property::server("ksql.connect.request.timeout.ms", Kind::Int(0, MAX), Some("5000"), "Time-out of requests to Connect, in ms.")
        .accepted(),
    Property::server("ksql.connect.request.headers.plugin", Kind::Text, None, "Class that adds headers to requests to Connect.").accepted(),
    Property::server("ksql.connect.basic.auth.credentials.source", Kind::Text, Some("NONE"), "Where credentials for Connect come from.")
        .accepted(),
    Property::server("ksql.connect.basic.auth.credentials.file", Kind::Text, Some(""), "File of credentials for Connect.").accepted(),
    Property::server("ksql.connect.basic.auth.credentials.reload", Kind::Bool, Some("false"), "Whether that file is watched.").accepted(),
    Property::server("ksql.query.persistent.active.limit", Kind::Int(0, INT), Some("2147483647"), "Most persistent queries of a server."),
    Property::query(
        "ksql.query.persistent.max.bytes.buffering.total",
        Kind::Int(-1, MAX),
        Some("-1"),
        "Most bytes buffered by persistent queries.",
    )
    .accepted(),
    Property::query(
        "ksql.query.transient.max.bytes.buffering.total",
        Kind::Int(-1, MAX),
        Some("-1"),
        "Most bytes buffered by push queries.",
    )
    .accepted(),
    Property::query(
        "ksql.query.retry.backoff.initial.ms",
        Kind::Int(0, MAX),
        Some("15000"),
        "Wait before a failed query's first retry, in ms.",
    ),
    Property::query(
        "ksql.query.retry.backoff.max.ms",
        Kind::Int(0, MAX),
        Some("900000"),
        "Longest wait between retries of a failed query, in ms.",
    ),
    Property::query("ksql.query.error.max.queue.size", Kind::Int(0, INT), Some("10"), "Errors kept for a query.").accepted(),
    Property::query(
        "ksql.query.status.running.threshold.seconds",
        Kind::Int(0, MAX),
        Some("300"),
        "How long a query must run to count as healthy, in s.",
    )
    .accepted(),
    Property::query("ksql.fail.on.deserialization.error", Kind::Bool, Some("false"), "A record that cannot be read stops the query."),
    Property::query("ksql.fail.on.production.error", Kind::Bool, Some("true"), "A record that cannot be written stops the query.")
        .accepted(),
    Property::query(
        "ksql.timestamp.throw.on.invalid",
        Kind::Bool,
        Some("false"),
        "A record whose timestamp column cannot be read stops the query.",
    ),
    Property::query("ksql.suppress.enabled", Kind::Bool, Some("true"), "EMIT FINAL is allowed."),
    Property::query("ksql.suppress.buffer.size.bytes", Kind::Int(-1, MAX), Some("-1"), "Buffer of EMIT FINAL, in bytes; -1 is unlimited.")
        .accepted(),
    Property::query("ksql.create.or.replace.enabled", Kind::Bool, Some("true"), "CREATE OR REPLACE is allowed."),
    Property::query("ksql.lambdas.enabled", Kind::Bool, Some("true"), "Lambda functions are allowed.").accepted(),
    Property::server("ksql.headers.columns.enabled", Kind::Bool, Some("true"), "HEADERS columns are allowed."),
    Property::server("ksql.source.table.materialization.enabled", Kind::Bool, Some("true"), "CREATE SOURCE TABLE keeps a queryable state."),
    Property::query("ksql.rowpartition.rowoffset.enabled", Kind::Bool, Some("true"), "ROWPARTITION and ROWOFFSET are allowed.").accepted(),
    Property::query("ksql.variable.substitution.enable", Kind::Bool, Some("true"), "Variables are put into statements."),
    Property::query(
        "ksql.nested.error.set.null",
        Kind::Bool,
        Some("true"),
        "An error in one element of an ARRAY, MAP or STRUCT constructor makes that element NULL, not the whole value.",
    ),
    Property::query(
        "ksql.cast.strings.preserve.nulls",
        Kind::Bool,
        Some("true"),
        "CAST of NULL to VARCHAR is NULL and not the text 'null'.",
    ),
    Property::server("ksql.udfs.enabled", Kind::Bool, Some("true"), "User functions are loaded.").accepted(),
    Property::server("ksql.udf.collect.metrics", Kind::Bool, Some("false"), "Functions are measured.").accepted(),
    Property::server("ksql.udf.enable.security.manager", Kind::Bool, Some("true"), "User functions run under a security manager.")
        .accepted(),
    Property::server("ksql.extension.dir", Kind::Text, Some("ext"), "Folder of user functions.").accepted(),
    Property::query("ksql.functions.collect_list.limit", Kind::Int(-1, INT), Some("2147483647"), "Most elements that COLLECT_LIST keeps."),
    Property::query("ksql.functions.collect_set.limit", Kind::Int(-1, INT), Some("2147483647"), "Most elements that COLLECT_SET keeps."),
    Property::server("ksql.hidden.topics", Kind::List, Some(PLATFORM_TOPICS), "Regular expressions of topics that are not listed."),
    Property::server(
        "ksql.readonly.topics",
        Kind::List,
        Some(PLATFORM_TOPICS),
        "Regular expressions of topics that no statement may write.",
    ),
    Property::server("ksql.metastore.backup.location", Kind::Text, Some(""), "Folder for a copy of the command log.").accepted(),
    Property::query("ksql.assert.topic.default.timeout.ms", Kind::Int(0, MAX), Some("1000"), "How long ASSERT TOPIC waits, in ms."),
    Property::query("ksql.assert.schema.default.timeout.ms", Kind::Int(0, MAX), Some("1000"), "How long ASSERT SCHEMA waits, in ms.")
        .accepted(),
    Property::server("ksql.websocket.connection.max.timeout.ms", Kind::Int(0, MAX), Some("3600000"), "Longest life of a WebSocket, in ms."),
    Property::server(
        "ksql.admin.request.retry.timeout.ms",
        Kind::Int(0, MAX),
        Some("2500"),
        "How long failed requests about topics are tried again, in ms.",
    )
    .accepted(),
    Property::server(
        "ksql.runtime.feature.shared.enabled",
        Kind::Bool,
        Some("false"),
        "Queries share a runtime; in Flumen they always do.",
    )
    .accepted(),
    Property::server("ksql.shared.runtimes.count", Kind::Int(1, INT), Some("2"), "Number of shared runtimes.").accepted(),
    Property::server("ksql.transient.query.cleanup.service.enable", Kind::Bool, Some("true"), "Left-overs of push queries are cleaned up.")
        .accepted(),
    Property::server(
        "ksql.transient.query.cleanup.service.initial.delay.seconds",
        Kind::Int(0, MAX),
        Some("600"),
        "Wait before the first such clean-up, in s.",
    )
    .accepted(),
    Property::server(
        "ksql.transient.query.cleanup.service.period.seconds",
        Kind::Int(0, MAX),
        Some("600"),
        "Time between such clean-ups, in s.",
    )
    .accepted(),
    Property::server(
        "ksql.access.validator.enable",
        Kind::OneOf(&["on", "off", "auto"]),
        Some("auto"),
        "Kafka's permissions are checked before a statement runs.",
    )
    .accepted(),
    Property::server("ksql.authorization.cache.expiry.time.secs", Kind::Int(0, MAX), Some("30"), "Life of a cached permission, in s.")
        .accepted(),
    Property::server("ksql.authorization.cache.max.entries", Kind::Int(0, MAX), Some("10000"), "Most cached permissions.").accepted(),
    Property::server("ksql.security.extension.class", Kind::Text, None, "Class for authorization.").accepted(),
    Property::server("ksql.resource.extension.class", Kind::List, None, "Classes that extend the HTTP API.").accepted(),
    Property::server("ksql.metrics.extension", Kind::Text, None, "Class for more metrics.").accepted(),
    Property::server("ksql.metrics.tags.custom", Kind::Text, Some(""), "Labels for every metric.").accepted(),
    Property::server("ksql.new.query.planner.enabled", Kind::Bool, Some("false"), "ksqlDB's unfinished planner.").accepted(),
    Property::server("ksql.deployment.type", Kind::Text, Some("selfManaged"), "Who runs the server.").accepted(),
    Property::server("ksql.json_sr.converter.deserializer.enabled", Kind::Bool, Some("true"), "How JSON_SR is read.").accepted(),
    Property::server(
        "ksql.endpoint.migrate.query",
        Kind::Bool,
        Some("true"),
        "/query and /query-stream share one path; in Flumen they always do.",
    )
    .accepted(),
    Property::server("ksql.queryanonymizer.logs_enabled", Kind::Bool, Some("true"), "Statements are logged without names.").accepted(),
    Property::server("ksql.queryanonymizer.cluster_namespace", Kind::Text, None, "Name space of those logs.").accepted(),
    Property::server("ksql.properties.overrides.denylist", Kind::List, Some(""), "Properties that SET may not change."),
    Property::server("ksql.properties.overrides.allowlist", Kind::List, Some(""), "Properties that SET may change, in allow-list mode."),
    Property::server(
        "ksql.properties.overrides.validation.mode",
        Kind::OneOf(&["denylist", "allowlist"]),
        Some("denylist"),
        "Which of the two lists counts.",
    ),
    Property::server("ksql.kafka.client.additional.config.prefixes", Kind::List, Some(""), "Prefixes of further client properties.")
        .accepted(),
    Property::server(
        "ksql.plugins.rocksdb.cache.size",
        Kind::Int(-1, MAX),
        Some("-1"),
        "ksqlDB's cache of state blocks; here flumen.state.block.cache.bytes.",
    )
    .accepted(),
    Property::server(
        "ksql.plugins.rocksdb.num.background.threads",
        Kind::Int(1, INT),
        Some("1"),
        "ksqlDB's background threads of state stores.",
    )
    .accepted(),
    Property::server("enable.fips", Kind::Bool, Some("false"), "Only approved ciphers.").accepted(),
];
