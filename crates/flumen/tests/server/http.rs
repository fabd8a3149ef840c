//! Statements, queries, errors and the end, over plain HTTP.

use std::time::{Duration, Instant};

use reqwest::{Client, Response};
use serde_json::{Value, json};

use crate::process::Server;

pub async fn post(url: &str, path: &str, accept: &str, body: impl ToString) -> Response {
    let request = Client::new().post(format!("{url}{path}")).header("accept", accept).body(body.to_string());
    request.timeout(Duration::from_secs(60)).send().await.expect("an answer")
}

pub async fn ksql(url: &str, statements: &str) -> (u16, Value) {
    let body = json!({"ksql": statements, "streamsProperties": {"auto.offset.reset": "earliest"}});
    let response = post(url, "/ksql", "application/json", body).await;
    (response.status().as_u16(), response.json().await.expect("JSON"))
}

pub async fn query(url: &str, accept: &str, sql: &str) -> (u16, String) {
    let body = json!({"sql": sql, "properties": {"auto.offset.reset": "earliest"}});
    let response = post(url, "/query-stream", accept, body).await;
    (response.status().as_u16(), response.text().await.expect("text"))
}

async fn get(url: &str, path: &str) -> (u16, Value) {
    let response = Client::new().get(format!("{url}{path}")).send().await.expect("an answer");
    (response.status().as_u16(), response.json().await.expect("JSON"))
}

pub const LINES: &str = "application/vnd.ksqlapi.delimited.v1";
pub const ROWS: &str = "application/vnd.ksql.v1+json";

/// Asks a pull query until it gives these lines.
pub async fn until(url: &str, sql: &str, expected: &[&str]) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let (status, text) = query(url, LINES, sql).await;
        let mut lines: Vec<&str> = text.lines().skip(1).collect();
        lines.sort_unstable();
        if status == 200 && lines == expected {
            return;
        }
        assert!(Instant::now() < deadline, "{status} {text}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn statements_queries_and_a_restart() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &[]);
    let url = server.url.clone();
    let (status, made) = ksql(
        &url,
        "CREATE STREAM s (id STRING KEY, v INT, d DECIMAL(6, 2)) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 2);
         CREATE TABLE t AS SELECT id, COUNT(*) AS n, SUM(v) AS total FROM s GROUP BY id EMIT CHANGES;
         INSERT INTO s (id, v, d) VALUES ('a', 1, 1.5);
         INSERT INTO s (id, v, d) VALUES ('a', 2, 22.50);",
    )
    .await;
    assert_eq!(status, 200, "{made}");
    assert_eq!(made[0]["commandStatus"]["message"], "Stream created");
    assert_eq!(made.as_array().map(Vec::len), Some(2), "{made}");

    let (status, text) = query(&url, LINES, "SELECT * FROM s EMIT CHANGES LIMIT 2;").await;
    assert_eq!(status, 200, "{text}");
    assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), ["[\"a\",1,1.50]", "[\"a\",2,22.50]"]);
    let (_, text) = query(&url, ROWS, "SELECT v FROM s EMIT CHANGES LIMIT 1;").await;
    let rows: Value = serde_json::from_str(&text).expect("an array");
    assert_eq!(rows[1], json!({"row": {"columns": [1]}}));
    assert_eq!(rows[2], json!({"finalMessage": "Limit Reached"}));
    let (status, text) = query(&url, LINES, "PRINT s FROM BEGINNING LIMIT 1;").await;
    assert_eq!((status, text.lines().count()), (200, 3), "{text}");
    assert_eq!(query(&url, ROWS, "PRINT s FROM BEGINNING LIMIT 1;").await.0, 406);
    until(&url, "SELECT * FROM t;", &["[\"a\",2,3]"]).await;

    assert!(server.stop().success());
    let server = Server::start(data.path(), &[]);
    until(&server.url, "SELECT n, total FROM t WHERE id = 'a';", &["[2,3]"]).await;
    assert!(server.stop().success());
}

#[tokio::test]
async fn errors_and_what_a_server_tells_of_itself() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &["flumen.http.max.body.bytes=2000", "ksql.max.push.queries=1"]);
    let url = server.url.clone();
    let code = async |path: &str, accept: &str, body: Value| {
        let response = post(&url, path, accept, body).await;
        let status = response.status().as_u16();
        let error: Value = response.json().await.expect("JSON");
        let code = error["error_code"].as_u64().expect("a code");
        assert_eq!(code / 100, u64::from(status), "{error}");
        code
    };
    assert_eq!(code("/ksql", ROWS, json!({"ksql": "SELECT 1 FROM x;"})).await, 40002);
    assert_eq!(code("/ksql", ROWS, json!({"ksql": "SELEC;"})).await, 40001);
    assert_eq!(code("/ksql", ROWS, json!("text")).await, 40000);
    assert_eq!(code("/ksql", ROWS, json!({"ksql": "SHOW TOPICS;", "streamsProperties": {"no.such": 1}})).await, 40000);
    assert_eq!(code("/ksql", ROWS, json!({"ksql": "x".repeat(3000)})).await, 41300);
    assert_eq!(code("/ksql", "text/html", json!({"ksql": "SHOW TOPICS;"})).await, 40600);
    assert_eq!(code("/query-stream", "*/*", json!({"sql": "SHOW TOPICS;"})).await, 40001);
    assert_eq!(code("/close-query", "*/*", json!({"queryId": "nobody"})).await, 40000);
    assert_eq!(code("/inserts-stream", "*/*", json!({"target": "s"})).await, 40004);
    assert_eq!(code("/no/such/path", "*/*", json!({})).await, 40400);

    let made = "CREATE STREAM a (v INT) WITH (kafka_topic = 'a', value_format = 'JSON', partitions = 1);";
    assert_eq!(ksql(&url, made).await.0, 200);
    let (status, error) = ksql(&url, "DROP STREAM a; DROP STREAM b;").await;
    assert_eq!((status, &error["error_code"], &error["entities"]), (400, &json!(40001), &json!([])), "{error}");
    assert_eq!(get(&url, "/status/stream/%60A%60/create").await.1["status"], "SUCCESS");
    assert_eq!(get(&url, "/status/stream/B/create").await.0, 404);

    // The first push query is running as soon as its head is there; its end makes room.
    let push = json!({"sql": "SELECT * FROM a EMIT CHANGES;"});
    let mut first = post(&url, "/query-stream", LINES, &push).await;
    assert!(first.chunk().await.expect("a head").is_some());
    assert_eq!(code("/query-stream", LINES, push.clone()).await, 40003);
    drop(first);
    let deadline = Instant::now() + Duration::from_secs(60);
    while post(&url, "/query-stream", LINES, &push).await.status() != 200 {
        assert!(Instant::now() < deadline, "the query of a client that went away still runs");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    assert_eq!(get(&url, "/info").await.1["KsqlServerInfo"]["serverStatus"], "RUNNING");
    assert_eq!(get(&url, "/healthcheck").await.1["isHealthy"], true);
    assert_eq!(get(&url, "/is_valid_property/auto.offset.reset").await, (200, json!(true)));
    assert_eq!(get(&url, "/is_valid_property/auto.ofset.reset").await.0, 400);
    assert_eq!(get(&url, "/chc/ready").await, (200, json!({})));
    let metrics = Client::new().get(format!("{url}/metrics")).send().await.expect("an answer").text().await.expect("text");
    assert!(metrics.contains("flumen_http_requests_total{endpoint=\"/ksql\",status=\"400\"}"), "{metrics}");
}
