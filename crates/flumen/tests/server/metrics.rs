//! What `/metrics` says of each query.

use std::time::{Duration, Instant};

use crate::http::ksql;
use crate::process::Server;

/// The values of a query's samples by name, those of several partitions added up.
async fn of_query(url: &str, query: &str, name: &str) -> Option<f64> {
    let text = reqwest::get(format!("{url}/metrics")).await.expect("an answer").text().await.expect("text");
    let samples = text.lines().filter(|l| l.starts_with(&format!("flumen_query_{name}{{")) && l.contains(&format!("query=\"{query}\"")));
    let values: Vec<f64> = samples.filter_map(|l| l.rsplit(' ').next()?.parse().ok()).collect();
    (!values.is_empty()).then(|| values.iter().sum())
}

/// Waits until a sample of a query passes a check.
async fn until(url: &str, query: &str, name: &str, right: impl Fn(f64) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let value = of_query(url, query, name).await;
        if value.is_some_and(&right) {
            return;
        }
        assert!(Instant::now() < deadline, "{name} of {query}: {value:?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test]
async fn flow_state_and_lag_are_told_by_query() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &[]);
    let url = server.url.clone();
    let made = "CREATE STREAM s (id STRING KEY, v INT) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 2);
                CREATE TABLE t AS SELECT id, COUNT(*) AS n FROM s GROUP BY id EMIT CHANGES;
                INSERT INTO s VALUES ('a', 1); INSERT INTO s VALUES ('b', 2); INSERT INTO s VALUES ('a', 3);";
    let (status, answer) = ksql(&url, made).await;
    assert_eq!(status, 200, "{answer}");
    let id = answer.to_string();
    let id = id.split("CTAS_T_").nth(1).and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()).expect("a query id");
    let id = format!("CTAS_T_{id}");
    until(&url, &id, "records_in_total", |n| n == 3.0).await;
    until(&url, &id, "in_bytes_total", |n| n > 3.0).await;
    until(&url, &id, "records_out_total", |n| n == 2.0 || n == 3.0).await;
    until(&url, &id, "out_bytes_total", |n| n > 2.0).await;
    until(&url, &id, "errors_total", |n| n == 0.0).await;
    until(&url, &id, "lag_records", |n| n == 0.0).await;
    until(&url, &id, "commit_seconds_count", |n| n > 0.0).await;
    until(&url, &id, "restore_remaining_records", |n| n == 0.0).await;
    until(&url, &id, "state_rows", |n| n == 2.0).await;
    until(&url, &id, "state_bytes", |n| n > 20.0).await;
}

/// The value of a sample without labels, or with these.
async fn sample(url: &str, name: &str) -> Option<f64> {
    let text = reqwest::get(format!("{url}/metrics")).await.expect("an answer").text().await.expect("text");
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

#[tokio::test]
async fn the_embedded_broker_is_told_too() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &["flumen.broker.fsync=always"]);
    let url = server.url.clone();
    let made = "CREATE STREAM s (id STRING KEY, v INT) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 2);";
    let (status, answer) = ksql(&url, made).await;
    assert_eq!(status, 200, "{answer}");
    let before = sample(&url, "flumen_broker_appended_records_total").await.expect("a value");
    let (status, answer) = ksql(&url, "INSERT INTO s VALUES ('a', 1);").await;
    assert_eq!(status, 200, "{answer}");
    assert!(sample(&url, "flumen_broker_appended_records_total").await > Some(before));
    assert!(sample(&url, "flumen_broker_requests_total{api=\"Produce\"}").await > Some(0.0));
    assert!(sample(&url, "flumen_broker_partitions").await >= Some(3.0), "those of the stream and the command topic");
    assert!(sample(&url, "flumen_broker_connections").await > Some(0.0));
    assert_eq!(sample(&url, "flumen_broker_disk_refuses").await, Some(0.0));
}
