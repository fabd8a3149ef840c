//! Pull queries: rows of streams up to their end, rows of tables out of their stores.

use serde_json::{Value, json};

use crate::http::{LINES, ROWS, ksql, post, query, until};
use crate::process::Server;

/// The rows of a query, in order of their text.
async fn rows(url: &str, sql: &str) -> Vec<String> {
    let (status, text) = query(url, LINES, sql).await;
    assert_eq!(status, 200, "{sql}: {text}");
    let mut rows: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
    rows.sort();
    rows
}

/// The message of a query that is refused.
async fn refused(url: &str, sql: &str) -> String {
    let (status, text) = query(url, LINES, sql).await;
    let error: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((status, &error["error_code"]), (400, &json!(40001)), "{sql}: {text}");
    error["message"].as_str().expect("a message").to_owned()
}

#[tokio::test]
async fn a_stream_is_read_to_its_end() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &["ksql.max.push.queries=3"]);
    let url = server.url.clone();
    let made = "CREATE STREAM s (id STRING KEY, v INT) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 3);
                CREATE STREAM big AS SELECT id, v FROM s WHERE v > 1 EMIT CHANGES;";
    assert_eq!(ksql(&url, made).await.0, 200);
    assert!(rows(&url, "SELECT * FROM s;").await.is_empty());
    for (id, v) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
        assert_eq!(ksql(&url, &format!("INSERT INTO s (id, v) VALUES ('{id}', {v});")).await.0, 200);
    }
    assert_eq!(rows(&url, "SELECT * FROM s;").await, [r#"["a",1]"#, r#"["b",2]"#, r#"["c",3]"#, r#"["d",4]"#]);
    assert_eq!(rows(&url, "SELECT UCASE(id), v * 2 AS w FROM s WHERE v >= 2 AND id <> 'c';").await, [r#"["B",4]"#, r#"["D",8]"#]);
    assert_eq!(rows(&url, "SELECT v FROM s LIMIT 2;").await.len(), 2);
    assert!(rows(&url, "SELECT v FROM s LIMIT 0;").await.is_empty());
    // What a query writes is there once it is committed.
    until(&url, "SELECT * FROM big;", &[r#"["b",2]"#, r#"["c",3]"#, r#"["d",4]"#]).await;

    // The latest offsets are asked for by the session, and do not matter.
    let body = json!({"ksql": "SELECT v FROM s WHERE v = 4;", "streamsProperties": {"auto.offset.reset": "latest"}});
    let text = post(&url, "/query", ROWS, body).await.text().await.expect("text");
    let answer: Value = serde_json::from_str(&text).expect("an array");
    assert_eq!(answer[1], json!({"row": {"columns": [4]}}), "{text}");
    assert_eq!(answer[2], json!({"finalMessage": "Query Completed"}));
    let text = query(&url, ROWS, "SELECT v FROM s LIMIT 1;").await.1;
    assert!(text.contains("Limit Reached"), "{text}");

    assert!(refused(&url, "SELECT COUNT(*) FROM s GROUP BY id;").await.contains("Pull queries don't support GROUP BY clauses"));
    assert!(refused(&url, "SELECT idd FROM s;").await.contains("Did you mean"));
    // None of those that have ended is left over.
    assert!(ksql(&url, "SHOW QUERIES;").await.1[0]["queries"].as_array().is_some_and(|q| q.len() == 1));
    assert!(server.stop().success());
}
