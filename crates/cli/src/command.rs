//! Commands of the shell itself, which need no semicolon.

use crate::{CliError, Output};
use std::path::PathBuf;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Empty the screen.
    Clear,
    /// Leave the shell.
    Exit,
    /// List the commands.
    Help,
    /// List what was typed before.
    History,
    /// Show or change how answers are shown.
    Output(Option<Output>),
    /// Run a file.
    RunScript(PathBuf),
    /// Show or change the server.
    Server(Option<String>),
    /// Show the versions of shell and server.
    Version,
}

/// What `help` prints.
pub const HELP: &str = "\
Statements end with ; and may take several lines. Commands of the shell:

  clear                      empty the screen
  exit                       leave (also Ctrl-D)
  help                       this list
  history                    what was typed before
  output [JSON | TABULAR]    show or change how answers are shown
  run script 'FILE'          run the statements of a file
  server [URL]               show or change the server
  version                    the versions of shell and server

Ctrl-C ends a running query. SET, UNSET, DEFINE and UNDEFINE last until the shell ends.";

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
            "server" => match rest {
                [] => Ok(Command::Server(None)),
                [url] => Ok(Command::Server(Some((*url).to_owned()))),
                _ => Err(CliError::Command("write `server` or `server URL`".to_owned())),
            },
            "run" => script(line),
            _ => return None,
        })
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
    }

    #[test]
    fn sql_is_no_command() {
        for line in ["SELECT 1;", "SHOW STREAMS", "", "helper"] {
            assert!(Command::read(line).is_none(), "{line}");
        }
    }

    #[test]
    fn a_wrong_command_says_how_it_is_written() {
        for line in ["exit now", "output xml", "run away", "server a b"] {
            assert!(matches!(Command::read(line), Some(Err(CliError::Command(_)))), "{line}");
        }
    }
}
