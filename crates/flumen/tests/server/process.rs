//! A server process on a data directory of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long a start or a stop may take.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A running server; killed when dropped.
pub struct Server {
    child: Child,
    pub url: String,
}

/// A server that may not be ready yet.
pub struct Starting {
    server: Server,
    said: mpsc::Receiver<String>,
}

impl Starting {
    /// Waits until it is ready.
    pub fn ready(self) -> Server {
        let Starting { mut server, said } = self;
        server.url = said.recv_timeout(PATIENCE).expect("the line that says it is ready");
        server
    }
}

impl Server {
    /// Starts a server and waits until it is ready.
    pub fn start(data: &Path, settings: &[&str]) -> Server {
        Self::spawn(data, "127.0.0.1:0", settings).ready()
    }

    /// Starts a server on an address.
    pub fn spawn(data: &Path, listen: &str, settings: &[&str]) -> Starting {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flumen"));
        command.args(["server", "--set", &format!("listeners=http://{listen}"), "--data-dir"]).arg(data);
        for setting in settings {
            command.args(["--set", setting]);
        }
        let mut child = command.stdout(Stdio::piped()).spawn().expect("a process");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, said) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if let Some(url) = line.strip_prefix("flumen: listening on ") {
                    let _ = sender.send(url.to_owned());
                }
            }
        });
        Starting { server: Server { child, url: String::new() }, said }
    }

    /// Asks it to stop, as a service manager does, and waits for its end.
    pub fn stop(mut self) -> ExitStatus {
        let told = Command::new("kill").arg(self.child.id().to_string()).status().expect("kill");
        assert!(told.success());
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("its state") {
                return status;
            }
            assert!(Instant::now() < deadline, "the server does not stop");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended already cannot be killed, and need not.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
