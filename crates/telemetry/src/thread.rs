//! Operating system threads that can be told apart in a debugger and in `top`.

use crate::TelemetryError;
use std::thread::{Builder, JoinHandle};

/// Starts a thread under a name. Linux shows the first 15 bytes of it.
///
/// # Errors
/// When the system refuses another thread.
pub fn spawn<T: Send + 'static>(name: &str, run: impl FnOnce() -> T + Send + 'static) -> Result<JoinHandle<T>, TelemetryError> {
    Builder::new().name(name.to_owned()).spawn(run).map_err(|error| TelemetryError::Thread { name: name.to_owned(), error })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_thread_knows_its_name() {
        let name = super::spawn("worker-3", || std::thread::current().name().map(str::to_owned)).expect("a thread").join();
        assert_eq!(name.expect("an end"), Some("worker-3".to_owned()));
    }
}
