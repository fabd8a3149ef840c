//! The prompt: lines typed until a statement is complete, with history.

use crate::CliError;
use crate::command::Command;
use crate::screen::{complain, copy, say};
use crate::session::Session;
use reedline::{
    FileBackedHistory, HistoryItem, Prompt, PromptEditMode, PromptHistorySearch, Reedline, SearchDirection, SearchQuery, Signal,
    ValidationResult, Validator,
};
use std::borrow::Cow;
use std::path::PathBuf;
use tokio::runtime::Runtime;

/// How many entries the history keeps.
const HISTORY: usize = 1000;

/// Reads and runs what is typed until `exit` or Ctrl-D. Failures are shown and do not end the shell.
pub fn run(runtime: &Runtime, session: &mut Session) -> Result<(), CliError> {
    end_with_the_terminal()?;
    match runtime.block_on(session.greeting()) {
        Ok(greeting) => say(&format!("Flumen shell, {greeting}"))?,
        Err(error) => say(&format!("Flumen shell, not connected: {error}"))?,
    }
    say("Statements end with ;   help lists commands   Ctrl-D leaves\n")?;
    let mut editor = Reedline::create().with_validator(Box::new(Complete));
    if let Some(history) = history_file().and_then(|file| FileBackedHistory::with_file(HISTORY, file).ok()) {
        editor = editor.with_history(Box::new(history));
    }
    loop {
        let line = match editor.read_line(&SqlPrompt).map_err(CliError::Terminal)? {
            Signal::Success(line) => line,
            Signal::CtrlD => return Ok(()),
            _ => continue,
        };
        if line.trim().is_empty() {
            continue;
        }
        if let Err(error) = copy(&format!("flumen> {line}\n")) {
            complain(&error);
        }
        match Command::read(&line) {
            Some(Ok(Command::Exit)) => return Ok(()),
            Some(Ok(Command::History)) => say(&history(&editor))?,
            _ => {
                if let Err(error) = runtime.block_on(session.execute(&line)) {
                    complain(&error);
                }
            }
        }
    }
}

/// Ends the process when its terminal goes away, even if whoever started it ignores that: the editor would read for ever.
fn end_with_the_terminal() -> Result<(), CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::Terminal)?;
    let hangup = || tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup());
    let watch = move || {
        runtime.block_on(async {
            if let Ok(mut hangup) = hangup() {
                hangup.recv().await;
                std::process::exit(129);
            }
        });
    };
    std::thread::Builder::new().name("hangup".to_owned()).spawn(watch).map_err(CliError::Terminal)?;
    Ok(())
}

fn history_file() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty())?;
    Some(PathBuf::from(home).join(".flumen_history"))
}

fn history(editor: &Reedline) -> String {
    let found: Vec<HistoryItem> = editor.history().search(SearchQuery::everything(SearchDirection::Forward, None)).unwrap_or_default();
    let lines = found.iter().enumerate().map(|(number, item)| format!("{:5}  {}", number + 1, item.command_line));
    lines.collect::<Vec<_>>().join("\n")
}

/// Says whether what was typed is complete.
struct Complete;

impl Validator for Complete {
    fn validate(&self, line: &str) -> ValidationResult {
        if is_complete(line) { ValidationResult::Complete } else { ValidationResult::Incomplete }
    }
}

/// Whether a text is a command of the shell or ends with a statement's end.
pub fn is_complete(line: &str) -> bool {
    let text = line.trim();
    if text.is_empty() || (!text.contains('\n') && Command::read(text).is_some()) {
        return true;
    }
    flumen_parser::is_complete(text)
}

struct SqlPrompt;

impl Prompt for SqlPrompt {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed("flumen")
    }
    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }
    fn render_prompt_indicator(&self, _mode: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("> ")
    }
    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("      > ")
    }
    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("(search: {}) ", search.term))
    }
}

#[cfg(test)]
mod tests {
    use super::is_complete;

    #[test]
    fn a_statement_is_complete_with_its_semicolon() {
        assert!(is_complete("SHOW STREAMS;"));
        assert!(is_complete("exit"));
        assert!(is_complete("SELECT *\nFROM A;"));
        for open in ["SHOW STREAMS", "SELECT ';", "SELECT 1; SELECT", "SELECT 1 -- ;"] {
            assert!(!is_complete(open), "{open}");
        }
    }
}
