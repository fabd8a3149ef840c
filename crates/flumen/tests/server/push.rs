//! Push queries: many at once, ended in every way, and what is left of them.

use std::time::{Duration, Instant};

use reqwest::Response;
use serde_json::{Value, json};

use crate::http::{LINES, ROWS, ksql, post, query};
use crate::process::Server;

/// How many push queries run at once.
const MANY: usize = 30;

async fn count(url: &str, statement: &str, list: &str) -> usize {
    let (status, answer) = ksql(url, statement).await;
    assert_eq!(status, 200, "{answer}");
    answer[0][list].as_array().expect("a list").len()
}

/// Waits until a list has this many entries.
async fn settles(url: &str, statement: &str, list: &str, expected: usize) {
    let deadline = Instant::now() + Duration::from_secs(90);
    loop {
        let found = count(url, statement, list).await;
        if found == expected {
            return;
        }
        assert!(Instant::now() < deadline, "{statement} gives {found} {list}, not {expected}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// The text of an answer up to a line that holds this.
async fn until_line(response: &mut Response, wanted: &str) -> String {
    let mut text = String::new();
    while !text.contains(wanted) {
        let chunk = response.chunk().await.expect("rows").expect("no end yet");
        text += std::str::from_utf8(&chunk).expect("text");
    }
    text
}

#[tokio::test]
async fn many_run_at_once_and_leave_nothing_behind() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &[]);
    let url = server.url.clone();
    let made = "CREATE STREAM s (id STRING KEY, v INT) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 2);
                INSERT INTO s (id, v) VALUES ('a', 1); INSERT INTO s (id, v) VALUES ('b', 1); INSERT INTO s (id, v) VALUES ('c', 2);";
    assert_eq!(ksql(&url, made).await.0, 200);
    let topics = count(&url, "SHOW ALL TOPICS;", "topics").await;
    let body = json!({"sql": "SELECT v, COUNT(*) AS n FROM s GROUP BY v EMIT CHANGES;", "properties": {"auto.offset.reset": "earliest"}});
    let mut running = Vec::new();
    for _ in 0..MANY {
        let response = post(&url, "/query-stream", LINES, &body).await;
        assert_eq!(response.status(), 200);
        running.push(response);
    }
    for response in &mut running {
        until_line(response, "[1,2]").await;
    }
    assert_eq!(count(&url, "SHOW QUERIES;", "queries").await, MANY);
    assert_eq!(count(&url, "SHOW ALL TOPICS;", "topics").await, topics + MANY);
    drop(running);
    settles(&url, "SHOW QUERIES;", "queries", 0).await;
    settles(&url, "SHOW ALL TOPICS;", "topics", topics).await;

    // The latest rows only, until the query is closed.
    let body = json!({"sql": "SELECT id, v FROM s EMIT CHANGES;", "properties": {"auto.offset.reset": "latest"}});
    let mut response = post(&url, "/query-stream", ROWS, &body).await;
    let head = until_line(&mut response, "schema").await;
    let id = head.split('"').find(|part| part.starts_with("transient_")).expect("an id").to_owned();
    assert_eq!(ksql(&url, "INSERT INTO s (id, v) VALUES ('d', 3);").await.0, 200);
    assert!(until_line(&mut response, r#"["d",3]"#).await.find(r#"["a",1]"#).is_none());
    assert_eq!(post(&url, "/close-query", "*/*", json!({"queryId": id})).await.status(), 200);
    until_line(&mut response, "Query Completed").await;
    assert!(response.chunk().await.expect("an end").is_none());
    settles(&url, "SHOW QUERIES;", "queries", 0).await;

    let windowed =
        "SELECT v, WINDOWSTART < WINDOWEND AS ok, COUNT(*) AS n FROM s WINDOW TUMBLING (SIZE 1000 DAYS) GROUP BY v EMIT CHANGES LIMIT 3;";
    let (_, text) = query(&url, LINES, windowed).await;
    let mut rows: Vec<&str> = text.lines().skip(1).collect();
    rows.sort_unstable();
    assert_eq!(rows, ["[1,true,2]", "[2,true,1]", "[3,true,1]"]);
    assert!(server.stop().success());
}

#[tokio::test]
async fn properties_and_what_goes_through_a_query() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &["processing.guarantee=exactly_once_v2", "commit.interval.ms=500"]);
    let url = server.url.clone();
    let made = "CREATE STREAM s (id STRING KEY, v INT) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 1);
                SET 'commit.interval.ms' = '100'; CREATE STREAM fast AS SELECT id, v FROM s EMIT CHANGES;
                SET 'commit.interval.ms' = '9000'; SET 'processing.guarantee' = 'at_least_once'; CREATE STREAM slow AS SELECT id, v FROM s EMIT CHANGES;";
    let (status, answer) = ksql(&url, made).await;
    assert_eq!((status, &answer[1]["warnings"]), (200, &json!([])), "{answer}");
    let warnings: Vec<&str> = answer[2]["warnings"].as_array().expect("warnings").iter().filter_map(|w| w["message"].as_str()).collect();
    assert!(warnings.len() == 2 && warnings[0].contains("exactly_once_v2") && warnings[1].contains("every 500 ms"), "{answer}");

    assert_eq!(ksql(&url, "INSERT INTO s (id, v) VALUES ('a', 1); INSERT INTO s (id, v) VALUES ('b', 2);").await.0, 200);
    let (_, text) = query(&url, LINES, "SELECT * FROM fast EMIT CHANGES LIMIT 2;").await;
    assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), [r#"["a",1]"#, r#"["b",2]"#]);
    let statistics = async |name: &str| {
        let described: Value = ksql(&url, &format!("DESCRIBE {name} EXTENDED;")).await.1;
        described[0]["sourceDescription"]["statistics"].as_str().expect("a text").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let written = statistics("fast").await;
    assert!(written.contains("total-messages: 2") && written.contains("last-message: 2"), "{written}");
    let read = statistics("s").await;
    assert!(read.contains("consumer-total-messages:"), "{read}");
    assert!(server.stop().success());
}
