//! The project's own commands: `cargo xtask demo | test | ci | bench | floor | tidy | setup`.
//!
//! It needs neither RocksDB nor a system library to build, so it can prepare both on a fresh machine.

mod bench;
mod beside;
mod broker;
mod brokertest;
mod checkout;
mod ci;
mod demo;
mod floor;
mod http;
mod server;
mod setup;
mod test;
mod tidy;

use anyhow::{Result, bail};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  demo  [--data-dir DIR]            set up, build, start a server with its embedded broker and show queries at work
  test                              every test of the workspace, then the SQL cases
  ci    [--without-conformance]     test, formatting, clippy, tidy and the conformance floor
  bench [rows | broker | WORKLOAD…] speed beside Kafka Streams on one Kafka; `rows`: nanoseconds a row in memory;
                                    `broker`: the embedded broker beside Apache Kafka
  floor                             add the conformance cases that pass now to the floor
  tidy                              the rules of the source tree
  setup                             only the set-up: system packages, RocksDB, folders";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match args.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", &[] as &[String]),
    };
    let outcome = match command {
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        "demo" => demo::run(rest),
        "test" => no_arguments(rest).and_then(|()| test::run()),
        "ci" => ci::run(rest),
        "bench" => bench::run(rest),
        "floor" => no_arguments(rest).and_then(|()| floor::grow()),
        "tidy" => no_arguments(rest).and_then(|()| tidy::run()),
        "setup" => no_arguments(rest).and_then(|()| setup::prepare().map(|_| true)),
        other => {
            eprintln!("cargo xtask: no command `{other}`\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cargo xtask {command}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn no_arguments(rest: &[String]) -> Result<()> {
    match rest.first() {
        None => Ok(()),
        Some(extra) => bail!("unexpected argument `{extra}`"),
    }
}
