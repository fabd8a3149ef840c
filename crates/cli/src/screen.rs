//! Standard output, whose end is an error to act on and not a panic: `flumen cli -e … | head` closes it early.

use crate::CliError;
use std::io::Write;

/// Writes text and shows it at once.
///
/// # Errors
/// When standard output is closed.
pub fn show(text: &str) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(CliError::Terminal)
}

/// Writes a line and shows it at once.
///
/// # Errors
/// When standard output is closed.
pub fn say(text: &str) -> Result<(), CliError> {
    show(&format!("{text}\n"))
}
