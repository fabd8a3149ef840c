//! Queries over a WebSocket, with a client that knows just enough of the protocol.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::http::{ksql, until};
use crate::process::Server;

struct Socket(BufReader<TcpStream>);

/// What a server sends.
#[derive(Debug, PartialEq)]
enum Frame {
    Json(Value),
    Close(u16, String),
}

impl Socket {
    /// Opens a connection; the status line if it is refused.
    fn open(url: &str, query: &str, headers: &str) -> Result<Socket, String> {
        let address = url.strip_prefix("http://").expect("a URL");
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time limit");
        let mut socket = Socket(BufReader::new(stream));
        let request = format!(
            "GET /ws/query?{query} HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
        );
        socket.0.get_mut().write_all(request.as_bytes()).expect("to send");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.extend(socket.bytes(1));
        }
        let head = String::from_utf8(head).expect("text");
        let status = head.lines().next().unwrap_or_default().to_owned();
        if status.contains(" 101 ") { Ok(socket) } else { Err(status) }
    }

    /// Asks one query.
    fn ask(url: &str, ksql: &str) -> Socket {
        let body = json!({"ksql": ksql, "streamsProperties": {"auto.offset.reset": "earliest"}}).to_string();
        let encoded: String = body.bytes().map(|byte| format!("%{byte:02X}")).collect();
        Socket::open(url, &format!("request={encoded}&version=1"), "").expect("an upgrade")
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.0.read_exact(&mut bytes).expect("bytes");
        bytes
    }

    /// The next frame; those of a server are whole and not masked.
    fn next(&mut self) -> Frame {
        let head = self.bytes(2);
        let length = match head[1] {
            126 => self.bytes(2).iter().fold(0, |n, byte| n * 256 + usize::from(*byte)),
            127 => self.bytes(8).iter().fold(0, |n, byte| n * 256 + usize::from(*byte)),
            short => usize::from(short),
        };
        let payload = self.bytes(length);
        match head[0] {
            0x81 => Frame::Json(serde_json::from_slice(&payload).expect("JSON")),
            0x88 => Frame::Close(u16::from_be_bytes([payload[0], payload[1]]), String::from_utf8_lossy(&payload[2..]).into_owned()),
            other => panic!("a frame of kind {other:x}"),
        }
    }

    fn all(mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        loop {
            frames.push(self.next());
            if let Some(Frame::Close(..)) = frames.last() {
                return frames;
            }
        }
    }
}

fn field(name: &str, ty: &str) -> Value {
    json!({"name": name, "schema": {"type": ty, "fields": null, "memberSchema": null}})
}

fn row(cells: Value) -> Frame {
    Frame::Json(json!({"row": {"columns": cells}}))
}

#[tokio::test]
async fn rows_come_as_frames_and_the_last_one_says_why() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &["ksql.max.push.queries=1"]);
    let url = server.url.clone();
    let made = "CREATE STREAM s (id STRING KEY, v INT) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 1);
                CREATE TABLE t AS SELECT id, COUNT(*) AS n FROM s GROUP BY id EMIT CHANGES;
                INSERT INTO s (id, v) VALUES ('a', 1); INSERT INTO s (id, v) VALUES ('a', 2);";
    assert_eq!(ksql(&url, made).await.0, 200);
    until(&url, "SELECT n FROM t WHERE id = 'a';", &["[2]"]).await;
    let done = || [Frame::Json(json!({"error": "done"})), Frame::Close(1000, "done".to_owned())];

    let mut expected = vec![Frame::Json(json!([field("V", "INTEGER")])), row(json!([1])), row(json!([2]))];
    expected.extend(done());
    assert_eq!(Socket::ask(&url, "SELECT v FROM s EMIT CHANGES LIMIT 2;").all(), expected);
    let mut expected = vec![Frame::Json(json!([field("N", "BIGINT")])), row(json!([2]))];
    expected.extend(done());
    assert_eq!(Socket::ask(&url, "SELECT n FROM t WHERE id = 'a';").all(), expected);
    let printed = Socket::ask(&url, "PRINT s FROM BEGINNING LIMIT 2;").all();
    assert_eq!(printed.len(), 6, "{printed:?}");
    assert!(matches!(&printed[2], Frame::Json(Value::String(line)) if line.contains("key: a")), "{printed:?}");

    let refused = |ksql: &str| match Socket::ask(&url, ksql).all().as_slice() {
        [Frame::Json(error), Frame::Close(code, reason)] if reason.len() <= 123 => {
            (*code, error["error"].as_str().expect("why").to_owned())
        }
        frames => panic!("{frames:?}"),
    };
    let (code, why) = refused("SELECT * FROM r EMIT CHANGES;");
    assert!(code == 1003 && why.contains("R does not exist. Did you mean S?"), "{code} {why}");
    assert!(refused("").1.contains("\"ksql\""));
    let mut first = Socket::ask(&url, "SELECT v FROM s EMIT CHANGES;");
    assert!(matches!(first.next(), Frame::Json(_)));
    let (code, why) = refused("SELECT v FROM s EMIT CHANGES;");
    assert!(code == 1013 && why.contains("ksql.max.push.queries"), "{code} {why}");
    // A client that goes away makes room.
    drop(first);
    until(&url, "SELECT v FROM s WHERE v = 2;", &["[2]"]).await;

    let bad = |query: &str| Socket::open(&url, query, "").expect("an upgrade").all();
    assert!(matches!(bad("request=%7B").last(), Some(Frame::Close(1003, _))));
    assert!(matches!(bad("request=%7B%7D&version=9").first(), Some(Frame::Json(error)) if error["error"].to_string().contains("'9'")));
    assert!(Socket::open(&url, "", "Origin: http://evil.example\r\n").is_err_and(|status| status.contains(" 403 ")));
    for plain in ["", "?request=a&request=b"] {
        let plain = reqwest::get(format!("{url}/ws/query{plain}")).await.expect("an answer");
        assert_eq!(plain.status(), 400);
        assert_eq!(plain.json::<Value>().await.expect("JSON")["error_code"], 40000);
    }
    assert!(server.stop().success());
}
