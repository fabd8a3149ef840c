//! What clients send.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Named values as a client sends them: text, numbers or booleans.
pub type Values = BTreeMap<String, Value>;

/// Body of `/ksql` and `/query`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KsqlRequest {
    /// The statements.
    #[serde(deserialize_with = "nullable")]
    pub ksql: String,
    /// Overrides of properties, for this request.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "BTreeMap::is_empty")]
    pub streams_properties: Values,
    /// Values of `${name}`.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "BTreeMap::is_empty")]
    pub session_variables: Values,
    /// Directions between nodes.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "BTreeMap::is_empty")]
    pub request_properties: Values,
    /// The command that must have been applied before this request runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_sequence_number: Option<i64>,
}

/// Body of `/query-stream`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QueryStreamArgs {
    /// The query.
    #[serde(deserialize_with = "nullable")]
    pub sql: String,
    /// Overrides of properties, for this query.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: Values,
    /// Values of `${name}`.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "BTreeMap::is_empty")]
    pub session_variables: Values,
    /// Directions between nodes.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "BTreeMap::is_empty")]
    pub request_properties: Values,
}

/// Body of `/close-query`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CloseQuery {
    /// The push query to end.
    pub query_id: String,
}

/// First line of the body of `/inserts-stream`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InsertsStreamArgs {
    /// The stream to insert into.
    pub target: String,
    /// Overrides of properties.
    #[serde(default, deserialize_with = "nullable")]
    pub properties: Values,
}

/// The answer to one inserted row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InsertAck {
    /// What became of it.
    pub status: InsertStatus,
    /// The number of the row in the request, from 0.
    pub seq: u64,
}

/// What became of an inserted row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InsertStatus {
    /// It is in the topic.
    Ok,
    /// It is not.
    Error,
}

/// Body of `/ksql/terminate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TerminateCluster {
    /// Regular expressions of the topics to delete.
    #[serde(deserialize_with = "nullable")]
    pub delete_topic_list: Vec<String>,
    /// Overrides of properties.
    #[serde(deserialize_with = "nullable")]
    pub streams_properties: Values,
}

/// Values as text, as properties and variables take them: `true`, `5` and `"5"` need no telling apart.
///
/// # Errors
/// With the name of a value that is a list, an object or null.
pub fn values_as_text(values: &Values) -> Result<BTreeMap<String, String>, String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    values.iter().map(|(name, value)| Ok((name.clone(), text(value).ok_or_else(|| name.clone())?))).collect()
}

/// Null means the same as a field that is not there.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}
