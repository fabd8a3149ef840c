//! Requests of statements: validated whole in a sandbox, then executed in order.

mod assert;
mod describe;
mod explain;
mod insert;
mod list;
mod logged;
mod overrides;
mod print;
mod query;
mod show;
mod terminate;

use flumen_api::{Entity, EntityBody, Warning};
use flumen_parser::ast::{self, Statement};
use flumen_parser::{StatementText, split, substitute};
use flumen_planner::Planned;
use parking_lot::MutexGuard;

use crate::engine::Shared;
use crate::sandbox::{Sandbox, refused};
use crate::{Engine, EngineError, ErrorKind, Session};

pub use insert::InsertedRow;
pub use print::Printer;
pub use query::{PushAnswer, PushNext, QueryAnswer, Rows};

/// What a request of statements gave: the answers of those executed, and why it ended early if it did.
#[derive(Debug, Default)]
pub struct Executed {
    /// One entity a statement that has one.
    pub entities: Vec<Entity>,
    /// Why the statements after them were not executed.
    pub error: Option<EngineError>,
}

/// A statement that passed validation.
enum Step {
    /// Planned, to be logged.
    Logged(Box<Planned>),
    /// INSERT VALUES.
    Insert(Box<ast::InsertValues>),
    /// Executed here, without a plan.
    Local(Statement),
}

struct Valid {
    text: String,
    step: Step,
    session: Session,
}

impl Engine {
    /// Executes statements. Nothing is executed unless all of them are valid.
    pub fn execute(&self, text: &str, session: &Session) -> Executed {
        self.execute_in(text, &mut session.clone())
    }

    /// Executes statements in a session that goes on after them: what SET and DEFINE change stays.
    pub fn execute_in(&self, text: &str, session: &mut Session) -> Executed {
        let engine = &self.0;
        let mut writing = None;
        let valid = match engine.validate(text, session, &mut writing) {
            Ok(valid) => valid,
            Err(error) => return Executed { entities: Vec::new(), error: Some(error) },
        };
        let mut executed = Executed::default();
        for (index, statement) in valid.into_iter().enumerate() {
            let text = statement.text.clone();
            match engine.run(statement) {
                Ok(entity) => executed.entities.extend(entity),
                Err(error) => {
                    executed.error = Some(error.about(&text, index));
                    break;
                }
            }
        }
        executed
    }
}

impl Shared {
    /// Parses, plans and tries all statements in a sandbox. SET and DEFINE change the session of those that follow. From the
    /// first statement on that is to be logged, `writing` is held; requests without one wait for nobody.
    fn validate<'a>(
        &'a self,
        text: &str,
        session: &mut Session,
        writing: &mut Option<MutexGuard<'a, ()>>,
    ) -> Result<Vec<Valid>, EngineError> {
        let mut sandbox = Sandbox::new(self);
        let mut valid = Vec::new();
        for (index, piece) in split(text)?.into_iter().enumerate() {
            let about = |e: EngineError| e.about(&piece.text, index);
            let one = self.parse(&piece, session).and_then(|(text, statement)| {
                if is_logged(&statement) && writing.is_none() {
                    *writing = Some(self.writing.lock());
                    // What others have changed meanwhile; the statements so far changed nothing.
                    sandbox = Sandbox::new(self);
                }
                self.validate_one(text, statement, &mut sandbox, session)
            });
            valid.push(one.map_err(about)?);
        }
        if valid.is_empty() {
            return Err(EngineError::new(ErrorKind::BadStatement, "The request holds no statement; end each with ';'"));
        }
        Ok(valid)
    }

    fn parse(&self, piece: &StatementText, session: &Session) -> Result<(String, Statement), EngineError> {
        let text = self.substituted(&piece.text, session)?;
        let statement = flumen_parser::parse_statement(&text)?.statement;
        Ok((text, statement))
    }

    fn validate_one(&self, text: String, statement: Statement, sandbox: &mut Sandbox, session: &mut Session) -> Result<Valid, EngineError> {
        let step = match statement {
            Statement::Set { ref name, ref value } => {
                session.set(&self.config, name, value)?;
                Step::Local(statement)
            }
            Statement::Unset { ref name } => {
                session.unset(name)?;
                Step::Local(statement)
            }
            Statement::Define { ref name, ref value } => {
                session.variables.insert(name.value.to_uppercase(), value.clone());
                Step::Local(statement)
            }
            Statement::Undefine { ref name } => {
                session.variables.remove(&name.value.to_uppercase());
                Step::Local(statement)
            }
            Statement::Select(_) | Statement::Print(_) => {
                return Err(EngineError::new(
                    ErrorKind::QueryEndpoint,
                    "SELECT and PRINT queries must use the /query-stream or /query endpoint",
                ));
            }
            Statement::InsertValues(insert) => {
                self.plan_insert(&insert, &text, sandbox, session)?;
                Step::Insert(Box::new(insert))
            }
            logged if is_logged(&logged) => Step::Logged(Box::new(self.plan(&logged, &text, sandbox, session)?)),
            Statement::AssertTopic(_) | Statement::Describe(_) | Statement::List(_) | Statement::Explain(_) => Step::Local(statement),
            other => return Err(unsupported(&other)),
        };
        Ok(Valid { text, step, session: session.clone() })
    }

    /// The text with variables replaced, when that is switched on.
    fn substituted(&self, text: &str, session: &Session) -> Result<String, EngineError> {
        let setting = self.setting("ksql.variable.substitution.enable", session);
        if setting.is_some_and(|v| v.eq_ignore_ascii_case("false")) {
            return Ok(text.to_string());
        }
        Ok(substitute(text, &session.variables)?)
    }

    /// A property as the session has it, else the server.
    fn setting<'a>(&'a self, name: &str, session: &'a Session) -> Option<&'a str> {
        session.properties.get(name).or_else(|| self.config.values().get(name)).map(String::as_str)
    }

    fn plan(&self, statement: &Statement, text: &str, sandbox: &mut Sandbox, session: &Session) -> Result<Planned, EngineError> {
        let context = sandbox.prepare(self, statement, session)?;
        let mut planned =
            flumen_planner::plan_statement(statement, text, &sandbox.catalog, &self.registry, &context).map_err(|e| refused(e, text))?;
        if let Some(query) = planned.query.as_ref().filter(|q| q.kind != flumen_plan::QueryKind::Push) {
            planned.warnings.extend(overrides::check(&self.config, &query.properties)?);
        }
        sandbox.apply(&planned, text, &self.config.service_id)?;
        Ok(planned)
    }

    fn run(&self, valid: Valid) -> Result<Option<Entity>, EngineError> {
        let Valid { text, step, session } = valid;
        let body = match step {
            Step::Logged(planned) => {
                let mut entity = Entity::new(text.clone(), self.run_logged(&planned, &text)?);
                entity.warnings = planned.warnings.iter().map(|w| Warning { message: w.clone() }).collect();
                return Ok(Some(entity));
            }
            Step::Insert(insert) => {
                self.run_insert(&insert, &text, &session)?;
                None
            }
            Step::Local(statement) => self.run_local(&statement, &text, &session)?,
        };
        Ok(body.map(|body| Entity::new(text, body)))
    }

    fn run_local(&self, statement: &Statement, text: &str, session: &Session) -> Result<Option<EntityBody>, EngineError> {
        Ok(match statement {
            Statement::List(list) => Some(self.list(list, session)?),
            Statement::Describe(describe) => Some(self.describe(describe)?),
            Statement::Explain(explain) => Some(self.explain(explain, text, session)?),
            Statement::AssertTopic(assert) => Some(self.assert_topic(assert, session)?),
            _ => None,
        })
    }
}

/// Whether a statement changes the catalog, and so goes through the command log.
fn is_logged(statement: &Statement) -> bool {
    matches!(
        statement,
        Statement::CreateSource(_)
            | Statement::CreateAs(_)
            | Statement::InsertSelect(_)
            | Statement::DropSource(_)
            | Statement::AlterSource(_)
            | Statement::CreateType(_)
            | Statement::DropType(_)
            | Statement::Terminate(_)
            | Statement::Pause(_)
            | Statement::Resume(_)
    )
}

/// The refusal of a statement this version knows but cannot execute.
fn unsupported(statement: &Statement) -> EngineError {
    let feature = match statement {
        Statement::CreateConnector(_) => "CREATE CONNECTOR",
        Statement::DropConnector(_) => "DROP CONNECTOR",
        Statement::AssertSchema(_) => "ASSERT SCHEMA",
        Statement::AlterSystem { .. } => "ALTER SYSTEM",
        Statement::AssertValues(_) | Statement::AssertNullValues(_) | Statement::AssertSource(_) => {
            return EngineError::statement("ASSERT VALUES, NULL VALUES, STREAM and TABLE are for test files only");
        }
        Statement::RunScript { .. } => return EngineError::statement("RUN SCRIPT is a command of the shell"),
        _ => "this statement",
    };
    EngineError::new(ErrorKind::Unsupported, format!("{feature} is not supported yet"))
}
