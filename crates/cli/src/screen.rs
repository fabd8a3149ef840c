//! Standard output, whose end is an error to act on and not a panic: `flumen cli -e … | head` closes it early. What goes there
//! can be copied to a file.

use crate::CliError;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The file that output is copied to. There is one standard output, so there is one copy.
static SPOOL: Mutex<Option<(PathBuf, File)>> = Mutex::new(None);

/// Writes text and shows it at once.
///
/// # Errors
/// When standard output is closed, or the copy cannot be written.
pub fn show(text: &str) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(CliError::Terminal)?;
    copy(text)
}

/// Writes a line and shows it at once.
///
/// # Errors
/// As [`show`].
pub fn say(text: &str) -> Result<(), CliError> {
    show(&format!("{text}\n"))
}

/// Shows what went wrong, on standard error.
pub fn complain(error: &CliError) {
    eprintln!("{error}");
    // A copy that fails is what went wrong, or has been told already.
    let _ = copy(&format!("{error}\n"));
}

/// Writes into the copy only: what the terminal shows already.
///
/// # Errors
/// When the copy cannot be written; it ends then.
pub fn copy(text: &str) -> Result<(), CliError> {
    let mut spool = SPOOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((path, file)) = spool.as_mut()
        && let Err(error) = file.write_all(text.as_bytes())
    {
        let path = path.clone();
        *spool = None;
        return Err(CliError::File { path, error });
    }
    Ok(())
}

/// Copies all output from now on to the end of a file; the file of an earlier copy is closed.
///
/// # Errors
/// When the file cannot be opened.
pub fn spool_to(path: &Path) -> Result<(), CliError> {
    let file = File::options().append(true).create(true).open(path);
    let file = file.map_err(|error| CliError::File { path: path.to_path_buf(), error })?;
    *SPOOL.lock().unwrap_or_else(PoisonError::into_inner) = Some((path.to_path_buf(), file));
    Ok(())
}

/// Ends the copy and gives the file's name, if there was one.
pub fn spool_off() -> Option<PathBuf> {
    SPOOL.lock().unwrap_or_else(PoisonError::into_inner).take().map(|(path, _)| path)
}
