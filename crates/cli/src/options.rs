//! The command line of the shell.

use std::path::PathBuf;

/// How answers are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "UPPER")]
pub enum Output {
    /// As tables that fit the terminal.
    #[default]
    Tabular,
    /// As JSON.
    Json,
}

/// What the shell is started with.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// The server.
    #[arg(value_name = "URL", default_value = "http://localhost:8088")]
    pub url: String,
    /// Run these statements and exit.
    #[arg(short, long, value_name = "SQL", conflicts_with = "file")]
    pub execute: Option<String>,
    /// Run the statements of this file and exit.
    #[arg(short, long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// How answers are shown.
    #[arg(long, value_enum, ignore_case = true, default_value_t)]
    pub output: Output,
    /// Define a variable.
    #[arg(short, long, value_name = "NAME=VALUE")]
    pub define: Vec<String>,
    /// The user's name.
    #[arg(short, long, requires = "password")]
    pub user: Option<String>,
    /// The user's password.
    #[arg(short, long, requires = "user")]
    pub password: Option<String>,
    /// A bearer token, instead of user and password.
    #[arg(short, long, conflicts_with = "user")]
    pub token: Option<String>,
    /// Set the properties of this file, as SET does.
    #[arg(long, value_name = "FILE")]
    pub config_file: Option<PathBuf>,
    /// End a query after this many rows.
    #[arg(long, value_name = "N")]
    pub query_row_limit: Option<u64>,
    /// End a query after this many milliseconds.
    #[arg(long, value_name = "MS")]
    pub query_timeout: Option<u64>,
}
