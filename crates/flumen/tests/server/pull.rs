//! Pull queries: rows of streams up to their end, rows of tables out of their stores.

use std::time::Duration;

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

#[tokio::test]
async fn tables_are_read_from_their_stores() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &[]);
    let url = server.url.clone();
    let made = "CREATE STREAM s (id STRING KEY, v INT) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 1);
                CREATE TABLE t AS SELECT id, COUNT(*) AS n FROM s GROUP BY id EMIT CHANGES;
                CREATE TABLE pairs WITH (key_format = 'JSON') AS SELECT id, v, COUNT(*) AS n FROM s GROUP BY id, v EMIT CHANGES;
                CREATE TABLE hourly AS SELECT id, COUNT(*) AS n FROM s WINDOW TUMBLING (SIZE 1 HOUR, RETENTION 3 HOURS, GRACE PERIOD 0 SECONDS)
                    GROUP BY id EMIT CHANGES;
                CREATE TABLE visits AS SELECT id, COUNT(*) AS n FROM s WINDOW SESSION (10 MINUTES) GROUP BY id EMIT CHANGES;
                CREATE TABLE plain (id STRING PRIMARY KEY, v INT) WITH (kafka_topic = 'plain', value_format = 'JSON', partitions = 1);";
    assert_eq!(ksql(&url, made).await.0, 200);
    for hour in 0..6 {
        let at = hour * 3_600_000 + 1;
        let insert =
            format!("INSERT INTO s (rowtime, id, v) VALUES ({at}, 'a', {hour}); INSERT INTO s (rowtime, id, v) VALUES ({at}, 'b', 9);");
        assert_eq!(ksql(&url, &insert).await.0, 200);
    }
    until(&url, "SELECT * FROM t;", &[r#"["a",6]"#, r#"["b",6]"#]).await;
    until(&url, "SELECT id FROM visits WHERE windowstart = '1970-01-01T05:00:00.001';", &[r#"["a"]"#, r#"["b"]"#]).await;
    assert_eq!(rows(&url, "SELECT id, n + 1 FROM t WHERE id LIKE '%a' OR id = 'c';").await, [r#"["a",7]"#]);
    assert_eq!(rows(&url, "SELECT id FROM t WHERE id > 'a';").await, [r#"["b"]"#]);
    assert_eq!(rows(&url, "SELECT id FROM t LIMIT 1;").await.len(), 1);
    until(&url, "SELECT v FROM pairs WHERE id = 'a' AND v BETWEEN 4 AND 9;", &["[4]", "[5]"]).await;
    assert_eq!(rows(&url, "SELECT * FROM pairs WHERE id = 'a' AND v IN (1, 2, 7);").await, [r#"["a",1,1]"#, r#"["a",2,1]"#]);

    // Three hours before the newest window are kept, whatever the store still has.
    let kept = [r#"["a",10800000,14400000,1]"#, r#"["a",14400000,18000000,1]"#, r#"["a",18000000,21600000,1]"#];
    until(&url, "SELECT * FROM hourly WHERE id = 'a';", &kept).await;
    assert_eq!(rows(&url, "SELECT * FROM hourly WHERE id = 'a' AND windowend <= '1970-01-01T05:00:00';").await, kept[..2]);
    assert_eq!(rows(&url, "SELECT * FROM hourly WHERE id = 'a' AND windowstart = 14400000;").await, kept[1..2]);
    assert_eq!(rows(&url, "SELECT id FROM hourly WHERE windowstart > 14400000 AND id <> 'a';").await, [r#"["b"]"#]);
    assert!(rows(&url, "SELECT * FROM hourly WHERE windowstart < 10800000;").await.is_empty());
    assert_eq!(rows(&url, "SELECT windowend, n FROM visits WHERE id = 'b' AND windowend >= 18000000;").await, ["[18000001,1]"]);

    assert!(refused(&url, "SELECT * FROM plain;").await.contains("CREATE TABLE QUERYABLE_PLAIN AS SELECT * FROM PLAIN"));
    assert!(refused(&url, "SELECT t.n FROM t JOIN pairs p ON t.id = p.id;").await.contains("don't support JOIN clauses"));
    let body = json!({"sql": "SELECT * FROM t WHERE n = 6;", "properties": {"ksql.query.pull.table.scan.enabled": false}});
    let text = post(&url, "/query-stream", LINES, body).await.text().await.expect("text");
    assert!(text.contains("Query requires table scan to be enabled"), "{text}");
    assert!(server.stop().success());
}

#[tokio::test]
async fn a_large_table_goes_out_in_pieces() {
    const ROWS_OF_T: usize = 20_000;
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &["flumen.push.stall.timeout.ms=2000"]);
    let url = server.url.clone();
    let made = format!(
        "CREATE STREAM s (id STRING KEY, n INT) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 1);
         CREATE STREAM many AS SELECT id, EXPLODE(GENERATE_SERIES(1, n)) AS v FROM s EMIT CHANGES;
         CREATE TABLE t AS SELECT v, COUNT(*) AS n, LATEST_BY_OFFSET(RPAD(id, 1000, 'x')) AS wide FROM many GROUP BY v EMIT CHANGES;
         INSERT INTO s (id, n) VALUES ('a', {ROWS_OF_T});"
    );
    assert_eq!(ksql(&url, &made).await.0, 200);
    until(&url, &format!("SELECT v, n FROM t WHERE v = {ROWS_OF_T};"), &[&format!("[{ROWS_OF_T},1]")]).await;
    let mut numbers: Vec<i64> = rows(&url, "SELECT v FROM t;").await.iter().map(|row| row[1..row.len() - 1].parse().expect(row)).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(1..=ROWS_OF_T as i64));
    assert_eq!(rows(&url, "SELECT v, wide FROM t LIMIT 3000;").await.len(), 3000);
    assert_eq!(rows(&url, "SELECT v FROM t WHERE v % 2 = 0 LIMIT 15000;").await.len(), ROWS_OF_T / 2);

    // A client that does not read is cut off, and told so where it begins again.
    let mut slow = post(&url, "/query-stream", LINES, json!({"sql": "SELECT * FROM t;"})).await;
    tokio::time::sleep(Duration::from_secs(12)).await;
    let (mut text, mut size) = (Vec::new(), 0);
    while let Some(part) = slow.chunk().await.expect("a part") {
        size += part.len();
        text = part.to_vec();
    }
    let last = String::from_utf8_lossy(&text);
    assert!(size < ROWS_OF_T * 1000 && last.contains("did not read"), "{size} bytes, then {last}");
    assert!(server.stop().success());
}
