//! What users get wrong: each has a clear answer, and the server goes on as before.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http::{LINES, ROWS, ksql, post, query, until};
use crate::process::Server;

/// The refusal of a request, whose code fits its status.
async fn refused(url: &str, path: &str, body: impl ToString) -> (u64, String) {
    let answer = post(url, path, "*/*", body).await;
    let status = answer.status().as_u16();
    let error: Value = answer.json().await.expect("JSON");
    let code = error["error_code"].as_u64().expect("a code");
    assert_eq!(code / 100, u64::from(status), "{error}");
    (code, error["message"].as_str().expect("a message").to_owned())
}

async fn refused_statement(url: &str, statement: &str) -> String {
    let (code, message) = refused(url, "/ksql", json!({"ksql": statement})).await;
    assert_eq!(code, 40001, "{message}");
    message
}

#[tokio::test]
async fn requests_that_are_wrong() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &[]);
    let url = server.url.clone();
    let made = "CREATE STREAM s (id STRING KEY, v INT) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 1);
                CREATE TABLE t AS SELECT id, COUNT(*) AS n FROM s GROUP BY id EMIT CHANGES;";
    assert_eq!(ksql(&url, made).await.0, 200);

    for path in ["/ksql", "/query", "/query-stream", "/close-query", "/ksql/terminate"] {
        for body in ["", "null", "[]", "[\"SHOW STREAMS;\"]", "5", "{\"ksql\":", "{\"ksql\": \"SHOW STREAMS;\"} x"] {
            let (code, message) = refused(&url, path, body).await;
            assert!(code == 40000 && (message.contains("JSON") || message.contains("queryId")), "{path} {body}: {code} {message}");
        }
    }
    // The field that the endpoint wants is named.
    assert!(refused(&url, "/ksql", json!({"sql": "SHOW STREAMS;"})).await.1.contains("\"ksql\""));
    assert!(refused(&url, "/query-stream", json!({"ksql": "SELECT * FROM t;"})).await.1.contains("\"sql\""));
    // A path that is not text has an answer of the usual form.
    let answer = reqwest::get(format!("{url}/status/%ff/a/b")).await.expect("an answer");
    assert_eq!(answer.status(), 400);
    assert_eq!(answer.json::<Value>().await.expect("JSON")["error_code"], 40000);

    let too_far = "INSERT INTO s (ROWTIME, id, v) VALUES (9223372036854775807, 'a', 1);";
    let message = refused_statement(&url, too_far).await;
    assert!(message.contains("topic 's'") && message.contains("timestamp"), "{message}");
    let columns: Vec<String> = (0..20_000).map(|n| format!("c{n} INT")).collect();
    let wide = format!("CREATE STREAM w ({}) WITH (kafka_topic = 'w', value_format = 'JSON', partitions = 1);", columns.join(", "));
    let message = refused_statement(&url, &wide).await;
    assert!(message.contains("too large for the command log"), "{message}");
    let long = format!("CREATE TABLE {} AS SELECT v, COUNT(*) AS n FROM s GROUP BY v EMIT CHANGES;", "a".repeat(240));
    let message = refused_statement(&url, &long).await;
    assert!(message.contains("too long") && message.contains("249"), "{message}");
    let message =
        refused_statement(&url, "CREATE STREAM n (v INT) WITH (kafka_topic = 'a\0b', value_format = 'JSON', partitions = 1);").await;
    assert!(message.contains("topic"), "{message}");

    // Twenty clients at once: one makes it, the others learn why they did not.
    let create = "CREATE STREAM same (v INT) WITH (kafka_topic = 'same', value_format = 'JSON', partitions = 1);";
    let answers = futures(20, &url, create).await;
    assert_eq!(answers.iter().filter(|(status, _)| *status == 200).count(), 1, "{answers:?}");
    assert!(answers.iter().all(|(status, text)| *status == 200 || text.contains("already exists")), "{answers:?}");

    assert_eq!(ksql(&url, "INSERT INTO s (id, v) VALUES ('a', 1);").await.0, 200);
    until(&url, "SELECT n FROM t WHERE id = 'a';", &["[1]"]).await;
    assert!(server.stop().success());
}

async fn futures(count: usize, url: &str, statement: &str) -> Vec<(u16, String)> {
    let tasks: Vec<_> = (0..count)
        .map(|_| {
            let (url, statement) = (url.to_owned(), statement.to_owned());
            tokio::spawn(async move {
                let (status, answer) = ksql(&url, &statement).await;
                (status, answer.to_string())
            })
        })
        .collect();
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.expect("an answer"));
    }
    answers
}

#[tokio::test]
async fn a_terminated_service_is_empty_and_stays_so() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &[]);
    let url = server.url.clone();
    let made = "CREATE TYPE pair AS STRUCT<a INT, b INT>;
                CREATE STREAM s (id STRING KEY, v INT) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 1);
                CREATE STREAM big AS SELECT * FROM s WHERE v > 5 EMIT CHANGES;
                CREATE STREAM huge AS SELECT * FROM big WHERE v > 50 EMIT CHANGES;
                INSERT INTO big SELECT * FROM s WHERE v < 0 EMIT CHANGES;";
    assert_eq!(ksql(&url, made).await.0, 200);
    assert_eq!(refused(&url, "/ksql/terminate", json!({"deleteTopicList": ["("]})).await.0, 40000);
    let answer = post(&url, "/ksql/terminate", ROWS, json!({"deleteTopicList": ["s", "HU.*"]})).await;
    assert_eq!(answer.status(), 200);
    let answer: Value = answer.json().await.expect("JSON");
    assert_eq!(answer[0]["commandId"], "cluster/TerminateCluster/terminate");
    assert_eq!(refused(&url, "/ksql", json!({"ksql": "SHOW STREAMS;"})).await.0, 50304);
    assert!(server.stop().success());

    let server = Server::start(data.path(), &[]);
    let url = server.url.clone();
    let (_, known) = ksql(&url, "SHOW STREAMS; SHOW QUERIES; SHOW TYPES; SHOW TOPICS;").await;
    assert_eq!((&known[0]["streams"], &known[1]["queries"], &known[2]["types"]), (&json!([]), &json!([]), &json!({})), "{known}");
    // The topic that a user made stays, whatever the patterns.
    let names: Vec<&str> = known[3]["topics"].as_array().expect("topics").iter().filter_map(|topic| topic["name"].as_str()).collect();
    assert_eq!(names, ["BIG", "s"], "{known}");
    assert!(server.stop().success());
}

#[tokio::test]
async fn records_that_do_not_read_are_skipped_counted_and_noted() {
    let data = tempfile::tempdir().expect("a folder");
    let server =
        Server::start(data.path(), &["ksql.logging.processing.topic.auto.create=true", "ksql.logging.processing.stream.auto.create=true"]);
    let url = server.url.clone();
    let made = "CREATE STREAM raw (id STRING KEY, text STRING) WITH (kafka_topic = 'r', key_format = 'KAFKA', value_format = 'KAFKA', partitions = 1);
                CREATE STREAM s (id STRING KEY, v INT) WITH (kafka_topic = 'r', value_format = 'JSON');
                CREATE STREAM good AS SELECT * FROM s EMIT CHANGES;";
    assert_eq!(ksql(&url, made).await.0, 200);
    for text in ["{\"v\": 1}", "no json", "{\"v\": \"x\"}", "{\"v\": 99999999999}", "[1]", "{\"v\": 2}"] {
        assert_eq!(ksql(&url, &format!("INSERT INTO raw (id, text) VALUES ('k', '{text}');")).await.0, 200, "{text}");
    }
    let (status, text) = query(&url, LINES, "SELECT v FROM good EMIT CHANGES LIMIT 2;").await;
    assert_eq!((status, text.lines().skip(1).collect::<Vec<_>>()), (200, vec!["[1]", "[2]"]), "{text}");
    let metrics = reqwest::get(format!("{url}/metrics")).await.expect("an answer").text().await.expect("text");
    let errors = metrics.lines().find(|line| line.starts_with("flumen_query_errors_total{query=\"CSAS_GOOD")).unwrap_or_default();
    assert!(errors.ends_with(" 4"), "{errors} in {metrics}");
    let (status, text) = query(&url, LINES, "PRINT default_ksql_processing_log FROM BEGINNING LIMIT 4;").await;
    assert_eq!(status, 200, "{text}");
    let at = "SELECT message->deserializationError->`OFFSET` AS bad FROM ksql_processing_log EMIT CHANGES LIMIT 4;";
    assert_eq!(query(&url, LINES, at).await.1.lines().skip(1).collect::<Vec<_>>(), ["[1]", "[2]", "[3]", "[4]"]);
    for offset in 1..=4 {
        let entry = text.lines().find(|line| line.contains(&format!("\"topic\":\"r\",\"partition\":0,\"offset\":{offset}")));
        assert!(entry.is_some_and(|entry| entry.contains("CSAS_GOOD") && entry.contains("\"errorMessage\":\"")), "{offset}: {text}");
    }
    assert!(server.stop().success());
}

#[test]
fn commands_that_are_wrong() {
    let data = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = data.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let dir = data.path().join("d").display().to_string();
    let (unknown, wrong, plain) = (file("a", "kqsl.service.id=x\n"), file("b", "ksql.service.id=x\nlisteners=\n"), file("c", "x"));
    let bad_sql = file("bad.sql", "--@test: a\nCREATE STREM s;\n");
    let server = ["server", "--set", "listeners=http://127.0.0.1:0", "--data-dir"];
    let cases: [(Vec<&str>, &str); 8] = [
        ([&server[..], &[&dir, "--config", &unknown]].concat(), "ksql.service.id"),
        ([&server[..], &[&dir, "--config", "/no/such/file"]].concat(), "/no/such/file"),
        (vec!["server", "--data-dir", &dir, "--config", &wrong], "listeners"),
        ([&server[..], &[&dir, "--set", "ksql.streams.commit.interval.ms=soon"]].concat(), "whole number"),
        ([&server[..], &[&dir, "--set", "novalue"]].concat(), "novalue"),
        ([&server[..], &[&plain]].concat(), "data directory"),
        (vec!["test", "/no/such/folder"], "/no/such/folder"),
        (vec!["cli", "http://127.0.0.1:1", "-e", "SHOW STREAMS;"], "127.0.0.1:1"),
    ];
    for (arguments, part) in cases {
        let (code, said) = run(&arguments);
        assert!(code.is_some_and(|code| code != 0) && said.contains(part), "{arguments:?}: {code:?} {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
    let (code, said) = run(&["test", &bad_sql, "--filter", "nothing like it"]);
    assert!(code == Some(1) && said.contains("no case was run"), "{code:?} {said}");
    let (code, said) = run(&["test", &bad_sql]);
    assert!(code == Some(1) && said.contains("bad.sql") && said.contains("STREM"), "{code:?} {said}");
}

/// Runs a command that is expected to end by itself.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flumen"));
    let mut child =
        command.args(arguments).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().expect("a process");
    let deadline = Instant::now() + Duration::from_secs(60);
    while child.try_wait().expect("its state").is_none() {
        if Instant::now() > deadline {
            child.kill().expect("its end");
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().expect("its output");
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}
