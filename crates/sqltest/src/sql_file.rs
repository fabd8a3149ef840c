//! `.sql` files of tests: sections opened by `--@test: NAME`, statements, and ASSERT statements over what came out.

use std::path::Path;

use flumen_engine::parser::ast::{AssertSource, AssertValues, SourceKind, Statement};
use flumen_engine::parser::{StatementText, split};
use flumen_types::{Column, Namespace};

use crate::SqlTestError;
use crate::options::Mode;

mod check;

/// One section of a file.
#[derive(Debug, Clone)]
pub(crate) struct SqlTest {
    pub(crate) file: String,
    pub(crate) name: String,
    statements: Vec<SqlStatement>,
    expected_error: bool,
    expected_message: Option<String>,
    /// What the entries of the processing log say, each in part.
    log: Vec<String>,
}

/// A statement of a section.
#[derive(Debug, Clone)]
pub(crate) struct SqlStatement {
    pub(crate) text: String,
    /// Headers of the record that it writes, name and text.
    pub(crate) headers: Vec<(String, String)>,
}

/// The sections of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<SqlTest>, SqlTestError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| SqlTestError::File { path: name.clone(), error })?;
    let file = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let wrong = |why: String| SqlTestError::Case { path: name.clone(), why };
    let mut tests: Vec<SqlTest> = Vec::new();
    for StatementText { text, directives, .. } in split(&text).map_err(|e| wrong(e.to_string()))? {
        let mut headers = Vec::new();
        for directive in &directives {
            let value = directive.value.trim().to_string();
            match (directive.name.as_str(), tests.last_mut()) {
                ("test", _) => tests.push(SqlTest {
                    file: file.clone(),
                    name: value,
                    statements: Vec::new(),
                    expected_error: false,
                    expected_message: None,
                    log: Vec::new(),
                }),
                ("expected.error", Some(test)) => test.expected_error = true,
                ("expected.message", Some(test)) => {
                    test.expected_error = true;
                    test.expected_message = Some(value);
                }
                ("expected.log", Some(test)) => test.log.push(value),
                ("header", Some(_)) => {
                    let (name, text) = value.split_once('=').ok_or_else(|| wrong("--@header: needs NAME=TEXT".to_string()))?;
                    headers.push((name.to_string(), text.to_string()));
                }
                (other, Some(_)) => return Err(wrong(format!("unknown directive --@{other}"))),
                (_, None) => return Err(wrong("the first directive must be --@test: NAME".to_string())),
            }
        }
        let test = tests.last_mut().ok_or_else(|| wrong("the file must begin with --@test: NAME".to_string()))?;
        test.statements.push(SqlStatement { text, headers });
    }
    Ok(tests)
}

/// Runs a section. INSERT VALUES are the inputs: all statements before the first ASSERT are executed, then every query is
/// driven, then the ASSERTs are checked in order. Each ASSERT VALUES takes the next record of its source, and must leave none
/// to take. The entries of the processing log must be those of the `--@expected.log` directives, in any order and number.
pub(crate) fn run(test: &SqlTest, mode: Mode) -> Option<String> {
    let outcome = crate::run::run_sql(&test.statements, &test.log, mode);
    match (outcome, test.expected_error) {
        (Ok(()), false) => None,
        (Ok(()), true) => Some("accepted, expected an error".to_string()),
        (Err(why), false) => Some(why),
        (Err(why), true) => match &test.expected_message {
            Some(part) if !why.contains(part.as_str()) => Some(format!("failed with '{why}', expected '{part}'")),
            _ => None,
        },
    }
}

pub(crate) use check::Checker;

/// What a statement of a section asks to be checked.
pub(crate) enum Assertion {
    Values(Box<AssertValues>),
    Tombstone(Box<AssertValues>),
    Source(Box<AssertSource>),
}

/// The assertion in a statement, if it is one.
pub(crate) fn assertion(statement: &Statement) -> Option<Assertion> {
    match statement {
        Statement::AssertValues(a) => Some(Assertion::Values(Box::new(a.clone()))),
        Statement::AssertNullValues(a) => Some(Assertion::Tombstone(Box::new(a.clone()))),
        Statement::AssertSource(a) => Some(Assertion::Source(Box::new(a.clone()))),
        _ => None,
    }
}

/// `stream` or `table`.
fn kind_text(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Stream => "stream",
        SourceKind::Table => "table",
    }
}

/// Columns that ASSERT VALUES without a list means: keys, then values.
fn all_columns(columns: &[Column]) -> Vec<&Column> {
    let keys = columns.iter().filter(|c| c.namespace == Namespace::Key);
    keys.chain(columns.iter().filter(|c| c.namespace == Namespace::Value)).collect()
}
