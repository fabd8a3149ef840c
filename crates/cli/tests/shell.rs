//! The shell against a server that answers what the test tells it to.

use clap::Parser;
use flumen_cli::Options;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, channel};

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    options: Options,
}

/// Serves one canned answer a path, and tells what was asked.
fn server(answers: Vec<(&'static str, u16, &'static str)>) -> (String, Receiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (asked, requests) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let Some((path, body)) = read(&stream) else { continue };
            let known = answers.iter().find(|(known, ..)| *known == path);
            let (_, status, text) = known.unwrap_or(&("", 404, "{}"));
            let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", text.len());
            let mut stream = stream;
            // Told first: whoever has the answer looks at what was asked.
            if asked.send((path, body)).is_err() || stream.write_all(format!("{head}{text}").as_bytes()).is_err() {
                return;
            }
        }
    });
    (url, requests)
}

fn read(stream: &TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, String::from_utf8(body).ok()?))
}

fn run(url: &str, arguments: &[&str]) -> ExitCode {
    let all = ["flumen", url].into_iter().chain(arguments.iter().copied());
    flumen_cli::run(Arguments::try_parse_from(all).expect("right arguments").options)
}

const STREAMS: &str = r#"[{"@type":"streams","statementText":"SHOW STREAMS;","streams":[],"warnings":[]}]"#;
const CREATED: &str = r#"[{"@type":"currentStatus","statementText":"","commandId":"stream/`A`/create","commandStatus":{"status":"SUCCESS","message":"Stream created","queryId":null},"commandSequenceNumber":7,"warnings":[]}]"#;
const ROWS: &str =
    "[{\"header\":{\"queryId\":\"q\",\"schema\":\"`A` INTEGER\"}},\n{\"row\":{\"columns\":[1]}},\n{\"finalMessage\":\"Limit Reached\"}]";

#[test]
fn statements_go_together_and_queries_alone() {
    let (url, requests) = server(vec![("/ksql", 200, CREATED), ("/query", 200, ROWS)]);
    let code = run(
        &url,
        &["-e", "CREATE STREAM A (A INT) WITH (kafka_topic='a'); SHOW STREAMS; SELECT * FROM A EMIT CHANGES LIMIT 1; SHOW TABLES;"],
    );
    assert_eq!(code, ExitCode::SUCCESS);
    let asked: Vec<(String, String)> = requests.try_iter().collect();
    let paths: Vec<&str> = asked.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["/ksql", "/query", "/ksql"]);
    assert!(asked[0].1.contains("CREATE STREAM A") && asked[0].1.contains("SHOW STREAMS;"));
    assert!(asked[1].1.contains("\"commandSequenceNumber\":7"), "the query waits for what the session did before: {}", asked[1].1);
}

#[test]
fn properties_and_variables_go_with_each_request() {
    let (url, requests) = server(vec![("/ksql", 200, STREAMS), ("/is_valid_property/auto.offset.reset", 200, "true")]);
    let text = "SET 'auto.offset.reset' = 'earliest'; DEFINE place = 'orders'; SHOW STREAMS; UNSET 'auto.offset.reset'; SHOW STREAMS;";
    assert_eq!(run(&url, &["-e", text, "--output", "json"]), ExitCode::SUCCESS);
    let bodies: Vec<String> = requests.try_iter().filter(|(path, _)| path == "/ksql").map(|(_, body)| body).collect();
    assert_eq!(bodies.len(), 2);
    assert!(bodies[0].contains("\"auto.offset.reset\":\"earliest\"") && bodies[0].contains("\"PLACE\":\"orders\""), "{}", bodies[0]);
    assert!(!bodies[1].contains("earliest"), "{}", bodies[1]);
}

#[test]
fn a_refused_statement_ends_the_run_with_a_failure() {
    let refusal =
        r#"{"@type":"statement_error","error_code":40001,"message":"no such stream","statementText":"DROP STREAM A;","entities":[]}"#;
    let (url, requests) = server(vec![("/ksql", 400, refusal)]);
    assert_eq!(run(&url, &["-e", "DROP STREAM A; SELECT * FROM B EMIT CHANGES;"]), ExitCode::FAILURE);
    assert_eq!(requests.try_iter().count(), 1, "nothing is sent after the failure");
}

#[test]
fn a_server_that_is_not_there_is_a_failure() {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    assert_eq!(run(&format!("http://{free}"), &["-e", "SHOW STREAMS;"]), ExitCode::FAILURE);
}

#[test]
fn a_script_is_run_from_its_file() {
    let (url, requests) = server(vec![("/ksql", 200, STREAMS)]);
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), "-- first\nSHOW STREAMS;\n").expect("written");
    assert_eq!(run(&url, &["-f", file.path().to_str().expect("a path")]), ExitCode::SUCCESS);
    assert_eq!(requests.try_iter().count(), 1);
}
