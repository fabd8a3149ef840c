//! The one binary: `flumen server`, `cli`, `test` and `broker`.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong use.

mod broker;
mod broker_metrics;
mod data_dir;
mod server;
mod signal;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Rows, records and messages are many small allocations that come and go between threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A streaming SQL server on Kafka, compatible with ksqlDB.
#[derive(Debug, Parser)]
#[command(name = "flumen", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve SQL over HTTP, with a broker of its own unless bootstrap.servers names one.
    Server(server::Options),
    /// Type statements at a server, or run them from a file.
    Cli(flumen_cli::Options),
    /// Run test files in memory.
    Test(test::Options),
    /// Run the embedded broker alone.
    Broker(broker::Options),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Server(options) => server::run(options),
        Command::Cli(options) => return flumen_cli::run(options),
        Command::Test(options) => test::run(options),
        Command::Broker(options) => broker::run(options),
    };
    result.unwrap_or_else(|error| {
        eprintln!("flumen: {}", text(&error));
        ExitCode::FAILURE
    })
}

/// An error with its causes, each said once: the text of many an error holds that of its cause.
fn text(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    #[test]
    fn a_cause_is_said_once() {
        let error = Err::<(), _>(anyhow!("no such file")).context("cannot open x: no such file").context("cannot start");
        assert_eq!(super::text(&error.unwrap_err()), "cannot start: cannot open x: no such file");
    }
}
