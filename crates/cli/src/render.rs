//! Answers as text: tables that fit the terminal, or JSON.

mod entity;
mod rows;
mod table;

pub use rows::Rows;

use crate::Output;
use flumen_api::Entity;
use serde_json::Value;
use std::collections::BTreeMap;

/// Shows answers in the form the user chose.
pub struct Render {
    /// The form.
    pub output: Output,
    /// How the rows of queries are laid out.
    pub layout: Layout,
}

/// How the rows of queries are laid out in a table.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Long values take several lines, or are cut.
    pub wrap: bool,
    /// Width of a column in characters; 0 fits the terminal.
    pub column_width: u16,
}

impl Default for Layout {
    fn default() -> Self {
        Self { wrap: true, column_width: 0 }
    }
}

/// A text that a terminal takes for nothing but text: control characters, except those that only part words and lines, are
/// spelled out.
fn plain(text: &str) -> String {
    let spelled = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    text.chars().map(spelled).collect()
}

/// The name of a form.
pub fn name(output: Output) -> &'static str {
    match output {
        Output::Tabular => "TABULAR",
        Output::Json => "JSON",
    }
}

impl Render {
    /// The answers to statements.
    pub fn answers(&self, answers: &[Value]) -> String {
        match self.output {
            Output::Json => format!("{:#}\n", Value::Array(answers.to_vec())),
            Output::Tabular => answers.iter().map(answer).collect(),
        }
    }

    /// The variables of the session.
    pub fn variables(&self, variables: &BTreeMap<String, String>) -> String {
        match self.output {
            Output::Json => {
                let list = variables.iter().map(|(name, value)| serde_json::json!({"name": name, "value": value})).collect();
                format!("{:#}\n", Value::Array(list))
            }
            Output::Tabular => {
                let rows = variables.iter().map(|(name, value)| vec![name.clone(), value.clone()]).collect();
                table::table(&["Variable Name", "Value"], rows)
            }
        }
    }
}

/// One answer as tables; as JSON if it is of a kind this shell does not know.
fn answer(answer: &Value) -> String {
    match serde_json::from_value::<Entity>(answer.clone()) {
        Ok(entity) => {
            let warnings: String = entity.warnings.iter().map(|w| format!("WARNING: {}\n", w.message)).collect();
            format!("{warnings}{}\n", entity::text(&entity.body))
        }
        Err(_) => format!("{answer:#}\n"),
    }
}
