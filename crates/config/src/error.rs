//! What can be wrong with a property.

use std::path::PathBuf;

/// Why a configuration was refused. Every message names the property and says what would do.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// No property has this name.
    #[error("Not recognizable as ksql, streams, consumer, or producer property: '{name}'{}", suggestion(.nearest))]
    Unknown {
        /// The name as given.
        name: String,
        /// The known name that is most like it, if one is near.
        nearest: Option<String>,
    },
    /// The value does not fit the property's type.
    #[error("Invalid value '{value}' for property '{name}': {expected}")]
    Value {
        /// The property.
        name: String,
        /// The value as given.
        value: String,
        /// What it should have been.
        expected: String,
    },
    /// The property exists but cannot be set for a session or query.
    #[error("Cannot override property '{name}': {reason}")]
    NotOverridable {
        /// The property.
        name: String,
        /// Why not, and where it can be set instead.
        reason: String,
    },
    /// A line of a properties file or a `--set` argument is not `name=value`.
    #[error("{place}: expected name=value, found '{text}'")]
    Syntax {
        /// File and line, or the argument.
        place: String,
        /// What is there.
        text: String,
    },
    /// The properties file cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
}

fn suggestion(name: &Option<String>) -> String {
    match name {
        Some(name) => format!("; did you mean '{name}'?"),
        None => String::new(),
    }
}
