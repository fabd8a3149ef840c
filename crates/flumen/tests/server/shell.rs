//! The shell in a terminal: Ctrl-C, history, Ctrl-D.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::http::ksql;
use crate::process::{PATIENCE, Server};

/// What asks a terminal for the place of its cursor.
const WHERE: &str = "\x1b[6n";

/// A shell in a pseudo-terminal, which `script` of util-linux makes; killed when dropped.
struct Terminal {
    child: Child,
    keys: Arc<Mutex<ChildStdin>>,
    shown: Arc<Mutex<String>>,
    /// How much of `shown` has been waited for.
    seen: usize,
}

impl Terminal {
    fn open(url: &str, home: &Path) -> Terminal {
        let shell = format!("stty rows 40 cols 100; exec {} cli {url}", env!("CARGO_BIN_EXE_flumen"));
        let mut command = Command::new("script");
        command.args(["-qefc", &shell, "/dev/null"]).env("HOME", home).env("TERM", "xterm").env("SHELL", "/bin/sh");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script");
        let keys = Arc::new(Mutex::new(child.stdin.take().expect("its input")));
        let shown = Arc::new(Mutex::new(String::new()));
        let mut output = child.stdout.take().expect("its output");
        std::thread::spawn({
            let (keys, shown) = (keys.clone(), shown.clone());
            move || {
                let mut bytes = [0; 4096];
                while let Ok(read @ 1..) = output.read(&mut bytes) {
                    let text = String::from_utf8_lossy(&bytes[..read]).into_owned();
                    // A terminal that is asked where its cursor is tells it.
                    for _ in text.matches(WHERE) {
                        let _ = keys.lock().expect("no panic").write_all(b"\x1b[1;1R");
                    }
                    shown.lock().expect("no panic").push_str(&text);
                }
            }
        });
        Terminal { child, keys, shown, seen: 0 }
    }

    fn press(&self, keys: &str) {
        let mut input = self.keys.lock().expect("no panic");
        input.write_all(keys.as_bytes()).and_then(|()| input.flush()).expect("a terminal");
    }

    /// Waits until the shell reads what is typed: it asks where the cursor is then.
    fn prompts(&mut self) {
        self.shows(WHERE);
    }

    /// Waits until the terminal has shown a text, after what was waited for before.
    fn shows(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let shown = self.shown.lock().expect("no panic").clone();
            if let Some(at) = shown[self.seen..].find(text) {
                self.seen += at + text.len();
                return;
            }
            assert!(Instant::now() < deadline, "no {text:?} in {:?}", &shown[self.seen..]);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // One that has ended already cannot be killed, and need not.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until so many queries run.
async fn queries(url: &str, count: usize) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let (_, listed) = ksql(url, "SHOW QUERIES;").await;
        if listed[0]["queries"].as_array().is_some_and(|queries| queries.len() == count) {
            return;
        }
        assert!(Instant::now() < deadline, "{listed}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_ends_a_query_and_not_the_shell() {
    if Command::new("script").arg("--version").stdout(Stdio::null()).status().is_err() {
        return println!("skipped: script of util-linux is not installed");
    }
    let (data, home) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let server = Server::start(data.path(), &[]);
    let made = "CREATE STREAM s (id STRING KEY, v INT) WITH (kafka_topic = 's', value_format = 'JSON', partitions = 1);
                INSERT INTO s (id, v) VALUES ('first', 1);";
    assert_eq!(ksql(&server.url, made).await.0, 200);

    let mut terminal = Terminal::open(&server.url, home.path());
    terminal.shows("connected to");
    terminal.prompts();
    terminal.press("SET 'auto.offset.reset' = 'earliest';\r");
    terminal.shows("Successfully changed");
    terminal.prompts();
    // A statement of two lines.
    terminal.press("SELECT * FROM s\r");
    terminal.press("EMIT CHANGES;\r");
    terminal.shows("|first");
    queries(&server.url, 1).await;
    terminal.press("\x03");
    terminal.shows("Query terminated");
    queries(&server.url, 0).await;

    terminal.prompts();
    terminal.press("SHOW STREAMS;\r");
    terminal.shows("Stream Name");
    terminal.prompts();
    // What is half typed is dropped.
    terminal.press("SELECT half \x03");
    terminal.prompts();
    terminal.press("SHOW TABLES;\r");
    terminal.shows("Table Name");
    terminal.prompts();
    // Twice back in the history, then on with what stands there.
    terminal.press("\x1b[A\x1b[A\r");
    terminal.shows("Stream Name");
    terminal.prompts();
    terminal.press("\x04");
    let deadline = Instant::now() + PATIENCE;
    while terminal.child.try_wait().expect("its state").is_none() {
        assert!(Instant::now() < deadline, "Ctrl-D does not end the shell");
        std::thread::sleep(Duration::from_millis(20));
    }

    // Another shell knows what the first one was told.
    let mut again = Terminal::open(&server.url, home.path());
    again.shows("connected to");
    again.prompts();
    again.press("\x1b[A\r");
    again.shows("Stream Name");
    assert!(server.stop().success());
}
