//! Commands of the shell itself, which need no semicolon.

use crate::{CliError, Output};
use std::path::PathBuf;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Empty the screen.
    Clear,
    /// Fix the width of the columns of a query, in characters; 0 lets them fit the terminal.
    ColumnWidth(u16),
    /// Leave the shell.
    Exit,
    /// List the commands.
    Help,
    /// List what was typed before.
    History,
    /// Show or change how answers are shown.
    Output(Option<Output>),
    /// Show or change whether statements are sent without waiting for those before.
    Pipelining(Option<bool>),
    /// Run a file.
    RunScript(PathBuf),
    /// Show or change the server.
    Server(Option<String>),
    /// Copy all output to a file, or end that.
    Spool(Option<PathBuf>),
    /// Show the versions of shell and server.
    Version,
    /// Whether long values take several lines or are cut.
    Wrap(bool),
}

/// What `help` prints.
pub const HELP: &str = "\
Statements end with ; and may take several lines. Commands of the shell:

  clear                           empty the screen
  exit                            leave (also Ctrl-D)
  help                            this list
  history                         what was typed before
  output [JSON | TABULAR]         show or change how answers are shown
  request-pipelining [ON | OFF]   ON: a statement does not wait until the one before it is carried out
  run script 'FILE'               run the statements of a file
  server [URL]                    show or change the server
  set cli column-width N          width of a query's columns, in characters; 0 fits them to the terminal
  set cli wrap [ON | OFF]         ON: long values take several lines; OFF: they are cut
  spool 'FILE' | spool OFF        copy all output to a file, or end that
  version                         the versions of shell and server

Ctrl-C ends a running query, Up and Ctrl-R find what was typed before. SET, UNSET, DEFINE and UNDEFINE last until the shell
ends.";

impl Command {
    /// Reads a line that may be a command; `None` if it is none, and so SQL.
    ///
    /// # Errors
    /// When it is a command with something after it that does not belong there.
    pub fn read(line: &str) -> Option<Result<Command, CliError>> {
        let line = line.trim().trim_end_matches(';').trim_end();
        let words: Vec<&str> = line.split_whitespace().collect();
        let (first, rest) = words.split_first()?;
        let alone = |command: Command| match rest {
            [] => Ok(command),
            _ => Err(CliError::Command(format!("`{}` stands alone; `help` lists the commands", first.to_lowercase()))),
        };
        Some(match first.to_lowercase().as_str() {
            "clear" => alone(Command::Clear),
            "exit" | "quit" => alone(Command::Exit),
            "help" => alone(Command::Help),
            "history" => alone(Command::History),
            "version" => alone(Command::Version),
            "output" => output(rest),
            "request-pipelining" => match rest {
                [] => Ok(Command::Pipelining(None)),
                [word] => switch(word).map(|on| Command::Pipelining(Some(on))).ok_or_else(|| wrong("request-pipelining ON | OFF")),
                _ => Err(wrong("request-pipelining ON | OFF")),
            },
            "server" => match rest {
                [] => Ok(Command::Server(None)),
                [url] => Ok(Command::Server(Some((*url).to_owned()))),
                _ => Err(CliError::Command("write `server` or `server URL`".to_owned())),
            },
            "set" if rest.first().is_some_and(|word| word.eq_ignore_ascii_case("cli")) => set_cli(rest.get(1..).unwrap_or_default()),
            "spool" => spool(line.get(first.len()..).unwrap_or_default()),
            "run" => script(line),
            _ => return None,
        })
    }
}

fn wrong(usage: &str) -> CliError {
    CliError::Command(format!("write `{usage}`"))
}

fn switch(word: &str) -> Option<bool> {
    match word.to_ascii_uppercase().as_str() {
        "ON" => Some(true),
        "OFF" => Some(false),
        _ => None,
    }
}

fn output(rest: &[&str]) -> Result<Command, CliError> {
    match rest {
        [] => Ok(Command::Output(None)),
        [word] if word.eq_ignore_ascii_case("json") => Ok(Command::Output(Some(Output::Json))),
        [word] if word.eq_ignore_ascii_case("tabular") => Ok(Command::Output(Some(Output::Tabular))),
        _ => Err(CliError::Command("write `output JSON` or `output TABULAR`".to_owned())),
    }
}

fn set_cli(rest: &[&str]) -> Result<Command, CliError> {
    match rest {
        [name, value] if name.eq_ignore_ascii_case("wrap") => {
            switch(value).map(Command::Wrap).ok_or_else(|| wrong("set cli wrap ON | OFF"))
        }
        [name, value] if name.eq_ignore_ascii_case("column-width") => value
            .parse()
            .map(Command::ColumnWidth)
            .map_err(|_| wrong("set cli column-width N, a number of characters, or 0 to fit the terminal")),
        _ => Err(CliError::Command("the shell has the settings `set cli wrap ON | OFF` and `set cli column-width N`".to_owned())),
    }
}

fn spool(rest: &str) -> Result<Command, CliError> {
    match rest.trim().trim_matches('\'') {
        "" => Err(CliError::Command("write `spool 'FILE'` or `spool OFF`".to_owned())),
        word if word.eq_ignore_ascii_case("off") => Ok(Command::Spool(None)),
        file => Ok(Command::Spool(Some(PathBuf::from(file)))),
    }
}

fn script(line: &str) -> Result<Command, CliError> {
    let wrong = || CliError::Command("write `run script 'FILE'`".to_owned());
    let rest = line.get(3..).unwrap_or_default().trim_start();
    let file = rest.get(..6).filter(|word| word.eq_ignore_ascii_case("script")).and_then(|_| rest.get(6..)).ok_or_else(wrong)?;
    let file = file.trim().trim_matches('\'');
    if file.is_empty() { Err(wrong()) } else { Ok(Command::RunScript(PathBuf::from(file))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<Command> {
        Command::read(line).map(|c| c.expect("a right command"))
    }

    #[test]
    fn commands_need_no_semicolon_and_take_one() {
        assert_eq!(read("exit"), Some(Command::Exit));
        assert_eq!(read("  HELP ; "), Some(Command::Help));
        assert_eq!(read("output json"), Some(Command::Output(Some(Output::Json))));
        assert_eq!(read("server http://h:1"), Some(Command::Server(Some("http://h:1".to_owned()))));
        assert_eq!(read("Run Script 'a b.sql';"), Some(Command::RunScript(PathBuf::from("a b.sql"))));
        assert_eq!(read("request-pipelining"), Some(Command::Pipelining(None)));
        assert_eq!(read("Request-Pipelining off;"), Some(Command::Pipelining(Some(false))));
        assert_eq!(read("SET CLI WRAP on"), Some(Command::Wrap(true)));
        assert_eq!(read("set cli column-width 12"), Some(Command::ColumnWidth(12)));
        assert_eq!(read("spool 'a b.txt'"), Some(Command::Spool(Some(PathBuf::from("a b.txt")))));
        assert_eq!(read("spool off"), Some(Command::Spool(None)));
    }

    #[test]
    fn sql_is_no_command() {
        for line in ["SELECT 1;", "SHOW STREAMS", "", "helper", "SET 'cli' = '1';"] {
            assert!(Command::read(line).is_none(), "{line}");
        }
    }

    #[test]
    fn a_wrong_command_says_how_it_is_written() {
        let wrong = [
            "exit now",
            "output xml",
            "run away",
            "server a b",
            "spool",
            "set cli",
            "set cli wrap",
            "set cli wrap maybe",
            "set cli column-width -1",
            "request-pipelining perhaps",
        ];
        for line in wrong {
            assert!(matches!(Command::read(line), Some(Err(CliError::Command(_)))), "{line}");
        }
    }
}
