//! One session: where it is connected, what it has set, and how each statement is carried out.

mod query;

use crate::client::{Client, Login};
use crate::command::Command;
use crate::render::{self, Layout, Render};
use crate::screen::{say, show, spool_off, spool_to};
use crate::{CliError, Options, Output};
use flumen_api::{KsqlRequest, Values};
use flumen_parser::ast::{List, Statement};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The state of a session.
pub struct Session {
    client: Client,
    render: Render,
    /// Overrides of properties.
    properties: Values,
    /// Values of `${name}`, by name in upper case.
    variables: BTreeMap<String, String>,
    /// The newest command of this session: later requests wait until it is applied.
    last_command: Option<i64>,
    /// Requests do not wait for the commands before.
    pipelining: bool,
    row_limit: Option<u64>,
    timeout: Option<Duration>,
}

/// The properties of a file, to be set in a session.
fn properties(path: &Path) -> Result<Values, CliError> {
    let text = std::fs::read_to_string(path).map_err(|error| CliError::File { path: path.to_path_buf(), error })?;
    let pairs = flumen_config::parse_properties(&text, &path.display().to_string());
    let pairs = pairs.map_err(|error| CliError::Command(error.to_string()))?;
    Ok(pairs.into_iter().map(|(name, value)| (name, Value::String(value))).collect())
}

/// What the session does with a statement.
enum Kind {
    /// Sends it to be run.
    Statement,
    /// Sends it and reads rows.
    Query,
    /// Sends it and reads lines.
    Print,
    /// Carries it out itself.
    Own(Box<Statement>),
}

impl Session {
    /// A session that has sent nothing yet.
    pub fn new(options: Options) -> Result<Self, CliError> {
        let mut variables = BTreeMap::new();
        for definition in &options.define {
            let Some((name, value)) = definition.split_once('=') else {
                return Err(CliError::Command(format!("--define {definition}: expected NAME=VALUE")));
            };
            variables.insert(name.trim().to_uppercase(), value.to_owned());
        }
        let user = options.user.zip(options.password).map(|(user, password)| Login::User(user, password));
        let login = user.or(options.token.map(Login::Token));
        Ok(Self {
            client: Client::new(&options.url, login)?,
            render: Render { output: options.output, layout: Layout::default() },
            properties: options.config_file.as_deref().map(properties).transpose()?.unwrap_or_default(),
            variables,
            last_command: None,
            pipelining: false,
            row_limit: options.query_row_limit,
            timeout: options.query_timeout.map(Duration::from_millis),
        })
    }

    /// The server and its version, for a greeting.
    pub async fn greeting(&self) -> Result<String, CliError> {
        let server = self.client.info().await?.server;
        Ok(format!("connected to {} (version {}, service {})", self.client.url(), server.version, server.ksql_service_id))
    }

    /// Runs statements one after the other, up to the first that fails.
    pub async fn execute(&mut self, text: &str) -> Result<(), CliError> {
        if let Some(command) = Command::read(text).filter(|_| !text.trim().contains('\n')) {
            return self.command(command?).await;
        }
        let mut batch = String::new();
        for part in flumen_parser::split(text)? {
            match self.kind(&part.text)? {
                Kind::Statement => {
                    batch.push_str(&part.text);
                    batch.push('\n');
                }
                other => {
                    self.send(&std::mem::take(&mut batch)).await?;
                    match other {
                        Kind::Own(statement) => self.own(*statement).await?,
                        Kind::Query => self.query(&part.text).await?,
                        _ => self.print(&part.text).await?,
                    }
                }
            }
        }
        self.send(&batch).await
    }

    /// Runs the statements of a file.
    pub async fn script(&mut self, path: &Path) -> Result<(), CliError> {
        let text = std::fs::read_to_string(path).map_err(|error| CliError::File { path: path.to_path_buf(), error })?;
        Box::pin(self.execute(&text)).await
    }

    /// Carries out a command of the shell. `history` and `exit` belong to the prompt.
    pub async fn command(&mut self, command: Command) -> Result<(), CliError> {
        match command {
            Command::Clear => show("\x1b[2J\x1b[H")?,
            Command::ColumnWidth(width) => self.render.layout.column_width = width,
            Command::Wrap(wrap) => self.render.layout.wrap = wrap,
            Command::Pipelining(set) => {
                self.pipelining = set.unwrap_or(self.pipelining);
                say(&format!("Request pipelining is {}", if self.pipelining { "ON" } else { "OFF" }))?;
            }
            Command::Spool(Some(path)) => {
                spool_to(&path)?;
                say(&format!("Output is copied to {}", path.display()))?;
            }
            Command::Spool(None) => match spool_off() {
                Some(path) => say(&format!("Output is no longer copied to {}", path.display()))?,
                None => say("Output is not copied")?,
            },
            Command::Exit | Command::History => {}
            Command::Help => say(crate::command::HELP)?,
            Command::Output(None) => say(&format!("Current output format: {}", render::name(self.render.output)))?,
            Command::Output(Some(output)) => {
                self.render.output = output;
                say(&format!("Output format set to {}", render::name(output)))?;
            }
            Command::Server(None) => say(self.client.url())?,
            Command::Server(Some(url)) => {
                self.client.go_to(&url);
                self.last_command = None;
                say(&self.greeting().await?)?;
            }
            Command::RunScript(path) => self.script(&path).await?,
            Command::Version => say(&format!("shell {}; {}", env!("CARGO_PKG_VERSION"), self.greeting().await?))?,
        }
        Ok(())
    }

    /// What is to be done with a statement. What this shell cannot parse goes to the server: it may know more.
    fn kind(&self, text: &str) -> Result<Kind, CliError> {
        let word: String = text.chars().take_while(|c| c.is_ascii_alphabetic()).collect::<String>().to_uppercase();
        Ok(match word.as_str() {
            "SELECT" => Kind::Query,
            "PRINT" => Kind::Print,
            "SET" | "UNSET" | "DEFINE" | "UNDEFINE" | "RUN" => Kind::Own(Box::new(self.parse(text)?)),
            "SHOW" | "LIST" => match self.parse(text) {
                Ok(statement @ Statement::List(List::Variables)) => Kind::Own(Box::new(statement)),
                _ => Kind::Statement,
            },
            _ => Kind::Statement,
        })
    }

    fn parse(&self, text: &str) -> Result<Statement, CliError> {
        let text = flumen_parser::substitute(text, &self.variables)?;
        Ok(flumen_parser::parse_statement(&text)?.statement)
    }

    async fn own(&mut self, statement: Statement) -> Result<(), CliError> {
        match statement {
            Statement::Set { name, value } => {
                self.client.knows_property(&name).await?;
                say(&format!("Successfully changed local property '{name}' to '{value}'. UNSET '{name}'; takes it back."))?;
                self.properties.insert(name, Value::String(value));
            }
            Statement::Unset { name } => match self.properties.remove(&name) {
                Some(_) => say(&format!("Successfully unset local property '{name}'."))?,
                None => return Err(CliError::Command(format!("Cannot unset local property '{name}': it was not set in this session."))),
            },
            Statement::Define { name, value } => {
                self.variables.insert(name.value.to_uppercase(), value);
            }
            Statement::Undefine { name } => {
                if self.variables.remove(&name.value.to_uppercase()).is_none() {
                    return Err(CliError::Command(format!(
                        "Cannot undefine variable '{}': it was not defined in this session.",
                        name.value
                    )));
                }
            }
            Statement::RunScript { path } => self.script(Path::new(&path)).await?,
            _ => show(&self.render.variables(&self.variables))?,
        }
        Ok(())
    }

    /// Sends statements and shows their answers.
    async fn send(&mut self, statements: &str) -> Result<(), CliError> {
        if statements.is_empty() {
            return Ok(());
        }
        let request = self.request(statements);
        let sent = self.client.statements(&request);
        let answers = tokio::select! {
            answers = sent => answers?,
            _ = tokio::signal::ctrl_c() => {
                eprintln!("No longer waiting for the answer; the statement may still be carried out.");
                return Ok(());
            }
        };
        self.last_command = answers.iter().filter_map(|a| a["commandSequenceNumber"].as_i64()).chain(self.last_command).max();
        show(&self.render.answers(&answers))
    }

    fn request(&self, statements: &str) -> KsqlRequest {
        KsqlRequest {
            ksql: statements.to_owned(),
            streams_properties: self.properties.clone(),
            session_variables: self.session_variables(),
            request_properties: Values::new(),
            command_sequence_number: self.last_command.filter(|n| *n >= 0 && !self.pipelining),
        }
    }

    fn session_variables(&self) -> Values {
        self.variables.iter().map(|(name, value)| (name.clone(), Value::String(value.clone()))).collect()
    }

    /// How answers are shown now.
    pub fn output(&self) -> Output {
        self.render.output
    }
}
