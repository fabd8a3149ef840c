//! The shell: SQL typed or read from a file, sent over HTTP, answers as tables or JSON.

mod client;
mod command;
mod error;
mod options;
mod pieces;
mod render;
mod screen;
mod session;
mod shell;

pub use error::CliError;
pub use options::{Options, Output};

use command::Command;
use session::Session;
use std::io::{BufRead, ErrorKind, IsTerminal};
use std::process::ExitCode;

/// Runs the shell: the statements of the options if there are any, else those of standard input, typed ones with a prompt.
/// Exits with 1 when a statement that was not typed fails.
pub fn run(options: Options) -> ExitCode {
    match start(options) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has enough of it.
        Err(CliError::Terminal(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn start(options: Options) -> Result<(), CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::Terminal)?;
    let (execute, file) = (options.execute.clone(), options.file.clone());
    let mut session = Session::new(options)?;
    if let Some(text) = execute {
        return runtime.block_on(session.execute(&text));
    }
    if let Some(path) = file {
        return runtime.block_on(session.script(&path));
    }
    if std::io::stdin().is_terminal() {
        return shell::run(&runtime, &mut session);
    }
    runtime.block_on(piped(std::io::stdin().lock(), &mut session))
}

/// Runs what comes in lines, each statement when it is complete, up to `exit` or the first failure.
async fn piped(input: impl BufRead, session: &mut Session) -> Result<(), CliError> {
    let mut text = String::new();
    for line in input.lines() {
        let line = line.map_err(CliError::Terminal)?;
        if text.trim().is_empty() {
            text.clear();
            if matches!(Command::read(&line), Some(Ok(Command::Exit))) {
                return Ok(());
            }
        }
        text.push_str(&line);
        text.push('\n');
        if shell::is_complete(&text) {
            session.execute(&std::mem::take(&mut text)).await?;
        }
    }
    session.execute(&text).await
}
