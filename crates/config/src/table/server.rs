//! Properties of the HTTP server, its security, its cluster duties, and the processing log.

use super::{INT, MAX};
use crate::property::{Kind, Property};

const STORE_TYPES: Kind = Kind::OneOf(&["JKS", "PKCS12", "BCFKS", "PEM"]);
const CLIENT_AUTH: Kind = Kind::OneOf(&["NONE", "REQUESTED", "REQUIRED"]);

pub(super) const TABLE: &[Property] = &[
    Property::server("listeners", Kind::List, Some("http://0.0.0.0:8088"), "Addresses of the HTTP API."),
    Property::server("ksql.advertised.listener", Kind::Text, None, "Address under which other nodes reach this one.").accepted(),
    Property::server("ksql.internal.listener", Kind::Text, None, "Address for other nodes alone.").accepted(),
    Property::server("listeners.proxy.protocol", Kind::Text, Some("NONE"), "Whether a proxy announces the client's address.").accepted(),
    Property::server("authentication.method", Kind::OneOf(&["NONE", "BASIC"]), Some("NONE"), "How clients show who they are.").accepted(),
    Property::server("authentication.realm", Kind::Text, Some(""), "Realm of the users.").accepted(),
    Property::server("authentication.roles", Kind::List, Some("*"), "Roles that may enter.").accepted(),
    Property::server("authentication.skip.paths", Kind::List, Some(""), "Paths open to all.").accepted(),
    Property::server("ksql.authentication.plugin.class", Kind::Text, None, "Class for authentication.").accepted(),
    Property::server("access.control.allow.origin", Kind::Text, Some(""), "Origin that browsers may call from; * is any."),
    Property::server("access.control.allow.methods", Kind::List, Some(""), "Methods that browsers may use."),
    Property::server("access.control.allow.headers", Kind::List, Some(""), "Headers that browsers may send."),
    Property::server("response.http.headers.config", Kind::Text, Some(""), "Headers added to every answer.").accepted(),
    Property::server("ssl.keystore.location", Kind::Text, Some(""), "The server's certificate and key.").accepted(),
    Property::server("ssl.keystore.password", Kind::Secret, Some(""), "Password of that file.").accepted(),
    Property::server("ssl.keystore.type", STORE_TYPES, Some("JKS"), "Form of that file.").accepted(),
    Property::server("ssl.keystore.reload", Kind::Bool, Some("false"), "Whether that file is watched.").accepted(),
    Property::server("ssl.keystore.watch.location", Kind::Text, Some(""), "File to watch instead.").accepted(),
    Property::server("ssl.key.password", Kind::Secret, Some(""), "Password of the key.").accepted(),
    Property::server("ssl.truststore.location", Kind::Text, Some(""), "Certificates that are trusted.").accepted(),
    Property::server("ssl.truststore.password", Kind::Secret, Some(""), "Password of that file.").accepted(),
    Property::server("ssl.truststore.type", STORE_TYPES, Some("JKS"), "Form of that file.").accepted(),
    Property::server("ssl.client.authentication", CLIENT_AUTH, Some("NONE"), "Whether clients need a certificate.").accepted(),
    Property::server("ssl.client.auth", Kind::Bool, Some("false"), "The older form of ssl.client.authentication.").accepted(),
    Property::server("ssl.enabled.protocols", Kind::List, Some(""), "Versions of TLS.").accepted(),
    Property::server("ssl.cipher.suites", Kind::List, Some(""), "Ciphers of TLS.").accepted(),
    Property::server("ksql.internal.ssl.client.authentication", CLIENT_AUTH, Some("NONE"), "Whether other nodes need a certificate.")
        .accepted(),
    Property::server("ksql.ssl.keystore.alias.external", Kind::Text, Some(""), "Certificate for clients.").accepted(),
    Property::server("ksql.ssl.keystore.alias.internal", Kind::Text, Some(""), "Certificate for other nodes.").accepted(),
    Property::server("ksql.server.sni.check.enable", Kind::Bool, Some("false"), "The host name of TLS must be that of the request.")
        .accepted(),
    Property::server(
        "query.stream.disconnect.check",
        Kind::Int(1, MAX),
        Some("1000"),
        "Time between looks whether a push client is still there, in ms.",
    )
    .accepted(),
    Property::server(
        "ksql.server.command.response.timeout.ms",
        Kind::Int(0, MAX),
        Some("5000"),
        "How long an answer waits for its command to be applied, in ms.",
    ),
    Property::server(
        "ksql.server.command.blocked.threshold.error.ms",
        Kind::Int(0, MAX),
        Some("15000"),
        "After how long a stuck command is an error, in ms.",
    )
    .accepted(),
    Property::server("ksql.server.command.topic.rate.limit", Kind::Number, Some("1.7976931348623157E308"), "Most commands per second.")
        .accepted(),
    Property::server("ksql.server.command.topic.migration.enabled", Kind::Text, Some("NONE"), "Moving the command topic.").accepted(),
    Property::server("ksql.server.preconditions", Kind::List, Some(""), "Classes that hold back the start.").accepted(),
    Property::server(
        "ksql.server.precondition.max.backoff.ms",
        Kind::Int(0, MAX),
        Some("5000"),
        "Longest wait between looks at them, in ms.",
    )
    .accepted(),
    Property::server("ksql.server.install.dir", Kind::Text, Some(""), "Where ksqlDB is installed.").accepted(),
    Property::server("ksql.server.websockets.num.threads", Kind::Int(1, INT), Some("5"), "Threads for WebSockets.").accepted(),
    Property::server("ksql.server.error.messages", Kind::Text, None, "Class of error texts.").accepted(),
    Property::server(
        "ksql.healthcheck.interval.ms",
        Kind::Int(1, MAX),
        Some("5000"),
        "How long the answer of /healthcheck is kept, in ms.",
    ),
    Property::server("ksql.verticle.instances", Kind::Int(1, INT), None, "Event loops of the HTTP server.").accepted(),
    Property::server("ksql.worker.pool.size", Kind::Int(1, INT), Some("100"), "Threads of the HTTP server.").accepted(),
    Property::server(
        "ksql.idle.connection.timeout.seconds",
        Kind::Int(0, MAX),
        Some("86400"),
        "After how long an idle connection is closed, in s.",
    )
    .accepted(),
    Property::server("ksql.internal.http2.max.pool.size", Kind::Int(1, INT), Some("3000"), "Most connections to other nodes.").accepted(),
    Property::server("ksql.local.commands.location", Kind::Text, Some(""), "File of local commands.").accepted(),
    Property::server("ksql.heartbeat.enable", Kind::Bool, Some("false"), "Nodes watch each other.").accepted(),
    Property::server("ksql.heartbeat.send.interval.ms", Kind::Int(1, MAX), Some("100"), "Time between heartbeats, in ms.").accepted(),
    Property::server("ksql.heartbeat.check.interval.ms", Kind::Int(1, MAX), Some("200"), "Time between looks at them, in ms.").accepted(),
    Property::server("ksql.heartbeat.window.ms", Kind::Int(1, MAX), Some("2000"), "Time looked at, in ms.").accepted(),
    Property::server("ksql.heartbeat.missed.threshold.ms", Kind::Int(0, MAX), Some("3"), "Heartbeats that may be missing.").accepted(),
    Property::server("ksql.heartbeat.discover.interval.ms", Kind::Int(1, MAX), Some("2000"), "Time between looks for new nodes, in ms.")
        .accepted(),
    Property::server("ksql.heartbeat.thread.pool.size", Kind::Int(1, INT), Some("3"), "Threads for heartbeats.").accepted(),
    Property::server("ksql.lag.reporting.enable", Kind::Bool, Some("false"), "Nodes tell each other how far they are.").accepted(),
    Property::server("ksql.lag.reporting.send.interval.ms", Kind::Int(1, MAX), Some("5000"), "Time between such reports, in ms.")
        .accepted(),
    Property::server(
        "ksql.fetch.remote.hosts.max.timeout.seconds",
        Kind::Int(0, MAX),
        Some("10"),
        "Time-out of questions to other nodes, in s.",
    )
    .accepted(),
    Property::server("ksql.logging.server.rate.limited.response.codes", Kind::List, Some(""), "Answers that are logged seldom.").accepted(),
    Property::server("ksql.logging.server.rate.limited.request.paths", Kind::List, Some(""), "Requests that are logged seldom.").accepted(),
    Property::server("ksql.endpoint.logging.ignored.paths.regex", Kind::Text, Some(""), "Requests that are not logged.").accepted(),
    Property::server("ksql.endpoint.logging.log.queries", Kind::Bool, Some("false"), "Parameters of requests are logged.").accepted(),
    Property::server(
        "ksql.logging.processing.stream.auto.create",
        Kind::Bool,
        Some("false"),
        "A stream over the processing log is made at the start.",
    ),
    Property::server("ksql.logging.processing.stream.name", Kind::Text, Some("KSQL_PROCESSING_LOG"), "Name of that stream."),
    Property::server(
        "ksql.logging.processing.topic.auto.create",
        Kind::Bool,
        Some("false"),
        "The topic of the processing log is made at the start.",
    ),
    Property::server(
        "ksql.logging.processing.topic.name",
        Kind::Text,
        Some(""),
        "Name of that topic; empty is the service id with ksql_processing_log behind it.",
    ),
    Property::server("ksql.logging.processing.topic.partitions", Kind::Int(1, INT), Some("1"), "Partitions of that topic."),
    Property::server("ksql.logging.processing.topic.replication.factor", Kind::Int(1, 32767), Some("1"), "Replicas of that topic."),
    Property::server("ksql.logging.processing.rows.include", Kind::Bool, Some("false"), "Entries hold the record itself."),
];
