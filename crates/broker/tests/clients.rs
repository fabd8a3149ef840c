//! Clients in other languages on the broker, where they are or can be installed: kcat, kafka-python, confluent-kafka.

use flumen_broker::{Broker, BrokerConfig, BrokerHandle};
use flumen_testing::{installed, run, said};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The packages, by the versions that were tried.
const PACKAGES: [&str; 2] = ["kafka-python==3.0.12", "confluent-kafka==2.16.1"];

fn broker(dir: &Path) -> BrokerHandle {
    Broker::start_in_thread(BrokerConfig::new(dir.join("broker"))).unwrap()
}

/// A Python with the packages; why not, if it cannot be had.
fn python() -> Result<PathBuf, String> {
    let folder = installed("python", &PACKAGES.join("-").replace("==", "-"), |folder| {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(Command::new(folder.join("bin/python")).args(pip).args(PACKAGES)).map(|_| ())
    })?;
    Ok(folder.join("bin/python"))
}

#[test]
fn clients_of_python_produce_and_consume_with_transactions() {
    let python = match python() {
        Ok(python) => python,
        Err(why) => return println!("skipped: clients of Python, {}", why.lines().last().unwrap_or_default()),
    };
    let dir = tempfile::tempdir().unwrap();
    let broker = broker(dir.path());
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    for script in ["confluent.py", "kafka_python.py"] {
        let mut command = Command::new("timeout");
        command.arg("120").arg(&python).arg(scripts.join(script)).arg(broker.address().to_string());
        let output = command.output().unwrap();
        assert!(output.status.success() && said(&output).contains("right"), "{script}: {}", said(&output));
    }
}

#[test]
fn kcat_produces_and_consumes() {
    if Command::new("kcat").arg("-V").stdout(Stdio::null()).status().is_err() {
        return println!("skipped: kcat is not installed");
    }
    let dir = tempfile::tempdir().unwrap();
    let broker = broker(dir.path());
    let address = broker.address().to_string();
    let kcat = |args: &[&str]| {
        let mut command = Command::new("timeout");
        command.args(["60", "kcat", "-b", &address]).args(args);
        command
    };
    // The topic is made by the first record.
    let mut producer = kcat(&["-P", "-t", "k", "-K", ":", "-z", "snappy"]).stdin(Stdio::piped()).spawn().unwrap();
    let lines: String = (0..1000).map(|i| format!("key{}:value {i}\n", i % 5)).collect();
    producer.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    assert!(producer.wait().unwrap().success());

    let read = run(&mut kcat(&["-C", "-t", "k", "-e", "-q", "-f", "%k:%s\n"])).unwrap();
    let text = said(&read);
    let mut found: Vec<&str> = text.lines().collect();
    let mut right: Vec<&str> = lines.lines().collect();
    found.sort_unstable();
    right.sort_unstable();
    assert_eq!(found, right);
    let listed = said(&run(&mut kcat(&["-L", "-J"])).unwrap());
    assert!(listed.contains(r#""topic":"k""#), "{listed}");
}
