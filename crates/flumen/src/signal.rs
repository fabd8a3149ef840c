//! Signals that end a process: SIGTERM and Ctrl-C.

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};

/// Catches the signals from now on; the future waits for the first one. A second one ends the process at once.
pub fn stop() -> anyhow::Result<impl Future<Output = ()>> {
    let caught = "the signals that stop the process cannot be caught";
    let mut terminate = signal(SignalKind::terminate()).context(caught)?;
    let mut interrupt = signal(SignalKind::interrupt()).context(caught)?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tokio::spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            eprintln!("flumen: a second signal; ending without stopping the queries");
            std::process::exit(1);
        });
    })
}
