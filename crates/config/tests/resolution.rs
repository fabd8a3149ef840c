//! Where values come from, which wins, and what a session may change.

use flumen_config::{Client, ConfigError, Guarantee, OffsetReset, QueryConfig, ServerConfig, Sources};
use std::collections::BTreeMap;
use std::time::Duration;

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
}

fn server(list: &[(&str, &str)]) -> ServerConfig {
    ServerConfig::from_pairs(pairs(list)).expect("a valid configuration")
}

fn query(server: &ServerConfig, list: &[(&str, &str)]) -> Result<QueryConfig, ConfigError> {
    QueryConfig::resolve(server, &pairs(list).into_iter().collect())
}

#[test]
fn defaults_are_ksqldbs() {
    let server = server(&[]);
    assert_eq!(server.service_id, "default_");
    assert_eq!(server.listeners, ["http://0.0.0.0:8088"]);
    assert_eq!(server.bootstrap_servers, None);
    assert_eq!(server.processing_log.topic, "default_ksql_processing_log");
    let query = query(&server, &[]).expect("defaults");
    assert_eq!(query.auto_offset_reset, OffsetReset::Latest);
    assert_eq!(query.guarantee, Guarantee::AtLeastOnce);
    assert_eq!(query.commit_interval, Duration::from_secs(2));
    assert_eq!(query.collect_list_limit, None);
}

#[test]
fn arguments_win_over_the_environment_and_that_over_the_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("server.properties");
    std::fs::write(&file, "ksql.service.id=file_\nlisteners=http://file:1\nksql.streams.commit.interval.ms=1\n").expect("a file");
    let sources = Sources {
        file: Some(file),
        environment: pairs(&[
            ("KSQL_KSQL_SERVICE_ID", "env_"),
            ("FLUMEN_LISTENERS", "http://env:1"),
            ("FLUMEN_LOG", "debug"),
            ("FLUMEN_DATA_DIR", "d"),
        ]),
        set: vec!["listeners=http://set:1".to_owned()],
    };
    let server = ServerConfig::load(&sources).expect("a valid configuration");
    assert_eq!(server.service_id, "env_");
    assert_eq!(server.listeners, ["http://set:1"]);
    assert_eq!(server.data_dir.to_str(), Some("d"));
    assert_eq!(query(&server, &[]).expect("valid").commit_interval, Duration::from_millis(1));
}

#[test]
fn a_session_overrides_what_belongs_to_queries_only() {
    let server = server(&[("ksql.properties.overrides.denylist", "max.task.idle.ms")]);
    let ok = query(&server, &[("auto.offset.reset", "EARLIEST"), ("ksql.streams.processing.guarantee", "exactly_once_v2")]).expect("valid");
    assert_eq!(ok.auto_offset_reset, OffsetReset::Earliest);
    assert_eq!(ok.guarantee, Guarantee::ExactlyOnce);
    for name in
        ["bootstrap.servers", "ksql.service.id", "ssl.keystore.location", "ksql.extension.dir", "flumen.data.dir", "max.task.idle.ms"]
    {
        let error = query(&server, &[(name, "1")]).expect_err(name);
        assert!(error.to_string().starts_with("Cannot override property"), "{error}");
    }
}

#[test]
fn an_allow_list_closes_everything_else() {
    let server =
        server(&[("ksql.properties.overrides.validation.mode", "allowlist"), ("ksql.properties.overrides.allowlist", "auto.offset.reset")]);
    assert!(query(&server, &[("auto.offset.reset", "earliest")]).is_ok());
    assert!(query(&server, &[("commit.interval.ms", "5")]).is_err());
}

#[test]
fn wrong_values_and_names_say_what_would_do() {
    let message = |name: &str, value: &str| ServerConfig::from_pairs(pairs(&[(name, value)])).expect_err("refused").to_string();
    assert!(message("commit.interval.ms", "soon").contains("expected a whole number"));
    assert!(message("commit.interval.ms", "0").contains("from 1"));
    assert!(message("processing.guarantee", "twice").contains("exactly_once_v2"));
    assert!(message("ksql.pull.queries.enable", "maybe").contains("true or false"));
    assert!(message("flumen.broker.fsync", "sometimes").contains("expected one of os, always"));
    assert!(message("ksql.servic.id", "x").contains("did you mean 'ksql.service.id'?"));
}

#[test]
fn the_embedded_broker_leaves_the_disk_to_the_system_unless_told() {
    for (set, always) in [(&[][..], false), (&[("flumen.broker.fsync", "os")], false), (&[("flumen.broker.fsync", "Always")], true)] {
        assert_eq!(server(set).broker_fsync_always, always, "{set:?}");
    }
}

#[test]
fn frozen_settings_outlive_a_change_of_the_server() {
    let frozen = query(&server(&[("commit.interval.ms", "7")]), &[("auto.offset.reset", "earliest")]).expect("valid").frozen().clone();
    let thawed = QueryConfig::thaw(&server(&[("commit.interval.ms", "9")]), &frozen).expect("valid");
    assert_eq!(thawed.commit_interval, Duration::from_millis(7));
    assert_eq!(thawed.auto_offset_reset, OffsetReset::Earliest);
    let unknown = BTreeMap::from([("a.name.of.the.past".to_owned(), "1".to_owned())]);
    assert!(QueryConfig::thaw(&server(&[]), &unknown).is_ok());
}

#[test]
fn client_properties_lose_their_prefixes() {
    let server = server(&[
        ("linger.ms", "1"),
        ("ksql.streams.producer.linger.ms", "2"),
        ("consumer.fetch.min.bytes", "3"),
        ("security.protocol", "SSL"),
    ]);
    let producer = server.client_properties(Client::Producer);
    assert_eq!(producer.get("linger.ms").map(String::as_str), Some("2"));
    assert!(!producer.contains_key("fetch.min.bytes"));
    let consumer = server.client_properties(Client::Consumer);
    assert_eq!(consumer.get("linger.ms").map(String::as_str), Some("1"));
    assert_eq!(consumer.get("fetch.min.bytes").map(String::as_str), Some("3"));
    assert_eq!(consumer.get("security.protocol").map(String::as_str), Some("SSL"));
}

#[test]
fn secrets_are_not_listed() {
    let server = server(&[
        ("ssl.key.password", "swordfish"),
        ("sasl.jaas.config", "swordfish"),
        ("ksql.schema.registry.basic.auth.user.info", "swordfish"),
    ]);
    let entries = server.entries();
    assert!(entries.iter().all(|e| e.value.as_deref() != Some("swordfish")));
    assert!(entries.iter().any(|e| e.name == "ssl.key.password" && e.set && !e.editable));
}
