//! The black-box checks of a Kafka broker, on the embedded one.

use crate::beside;
use crate::broker::Broker;
use crate::test::Totals;
use anyhow::{Context, Result, bail};
use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Checks of what the embedded broker refuses on purpose.
const REFUSED: [&str; 1] = ["kip848"];

/// What a line of the checks says.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    Passed(&'a str),
    Failed(&'a str),
    Other,
}

/// Runs the checks of the folder named by `FLUMEN_BROKERTEST`, else of `../shared/brokertest`, on a broker of this binary.
///
/// # Errors
/// When the program of the checks does not compile, or the broker does not start.
pub fn run(root: &Path, flumen: &Path) -> Result<Totals> {
    let mut totals = Totals::default();
    let folder = env::var_os("FLUMEN_BROKERTEST").map_or_else(|| root.join("../shared/brokertest"), PathBuf::from);
    if !folder.join("Cargo.toml").is_file() {
        totals.skipped.push("the checks of a Kafka broker: FLUMEN_BROKERTEST names no folder that holds them".to_owned());
        return Ok(totals);
    }
    let program = beside::build(&folder, "brokertest")?;
    let data = env::temp_dir().join(format!("flumen-brokertest-{}", std::process::id()));
    let outcome = Broker::start(flumen, &data, "127.0.0.1:0").and_then(|broker| check(&program, &broker.address, &mut totals));
    // What is left over does no harm.
    let _ = std::fs::remove_dir_all(&data);
    outcome.map(|()| totals)
}

fn check(program: &Path, address: &str, totals: &mut Totals) -> Result<()> {
    let mut command = Command::new(program);
    let mut child = command.arg(address).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let child = child.as_mut().map_err(|error| anyhow::anyhow!("{} cannot be run: {error}", program.display()))?;
    let output = child.stdout.take().context("the checks have no output")?;
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        match read(&line) {
            Line::Passed(name) if REFUSED.contains(&name) => {
                println!("broker check {name}: FAILED: it passes, though the broker is to refuse it");
                totals.failed += 1;
            }
            Line::Failed(name) if !REFUSED.contains(&name) => {
                println!("broker check {name}: FAILED: {line}");
                totals.failed += 1;
            }
            Line::Passed(_) | Line::Failed(_) => totals.passed += 1,
            Line::Other => {}
        }
    }
    child.wait().context("the checks cannot be waited for")?;
    println!("broker checks: {} passed, {} failed", totals.passed, totals.failed);
    if totals.passed == 0 {
        bail!("the checks of the broker have not run");
    }
    Ok(())
}

fn read(line: &str) -> Line<'_> {
    let mut words = line.split_whitespace();
    match (words.next(), words.next()) {
        (Some("PASS"), Some(name)) => Line::Passed(name),
        (Some("FAIL"), Some(name)) => Line::Failed(name),
        _ => Line::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_tell_what_passed() {
        assert_eq!(read("PASS compaction     [1.2s] 10 -> 3"), Line::Passed("compaction"));
        assert_eq!(read("FAIL kip848         [0.1s] unsupported"), Line::Failed("kip848"));
        assert_eq!(read("mock at 127.0.0.1:1"), Line::Other);
    }
}
