//! Functions.

use serde::{Deserialize, Serialize};

/// The kind of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum FunctionType {
    /// A value for a row.
    Scalar,
    /// A value for a group of rows.
    Aggregate,
    /// Rows for a row.
    Table,
}

/// A row of LIST FUNCTIONS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionName {
    /// The name.
    pub name: String,
    /// Its kind.
    pub r#type: FunctionType,
    /// Its subject.
    pub category: String,
}

/// One form of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionInfo {
    /// Its arguments.
    pub arguments: Vec<ArgumentInfo>,
    /// What it gives.
    pub return_type: String,
    /// What it does.
    pub description: String,
    /// The types of the arguments.
    #[serde(default)]
    pub argument_types: Vec<String>,
}

/// An argument of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArgumentInfo {
    /// Its name.
    pub name: String,
    /// Its type.
    pub r#type: String,
    /// What it is for.
    pub description: String,
    /// True if it may be given more than once.
    pub is_variadic: bool,
}
