//! JSON cases as files write them, and their variants.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::SqlTestError;

/// One variant of a case.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// File name.
    pub(crate) file: String,
    /// Format and configuration, where the case has several.
    pub(crate) variant: Option<String>,
    /// The case with its placeholders replaced.
    pub(crate) body: Body,
}

/// A case.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Body {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) enabled: Option<bool>,
    #[serde(default)]
    pub(crate) format: Vec<String>,
    #[serde(default)]
    pub(crate) config: Vec<serde_json::Value>,
    #[serde(default)]
    pub(crate) statements: Vec<String>,
    #[serde(default)]
    pub(crate) properties: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    pub(crate) topics: Vec<Topic>,
    #[serde(default)]
    pub(crate) inputs: Vec<CaseRecord>,
    #[serde(default)]
    pub(crate) outputs: Vec<CaseRecord>,
    #[serde(default)]
    pub(crate) expected_exception: Option<serde_json::Value>,
    #[serde(default)]
    pub(crate) post: Option<Post>,
    #[serde(default)]
    pub(crate) responses: Option<serde_json::Value>,
    #[serde(default)]
    pub(crate) expected_error: Option<serde_json::Value>,
}

/// A topic that exists beforehand.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Topic {
    pub(crate) name: String,
    #[serde(default, alias = "numPartitions")]
    pub(crate) partitions: Option<i32>,
    #[serde(default)]
    pub(crate) replicas: Option<i32>,
}

/// A record of a case.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct CaseRecord {
    pub(crate) topic: String,
    #[serde(default)]
    pub(crate) key: Option<Box<RawValue>>,
    #[serde(default)]
    pub(crate) value: Option<Box<RawValue>>,
    #[serde(default)]
    pub(crate) timestamp: Option<i64>,
    #[serde(default)]
    pub(crate) window: Option<CaseWindow>,
    #[serde(default)]
    pub(crate) headers: Option<Vec<CaseHeader>>,
}

/// The window of a record's key.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct CaseWindow {
    pub(crate) start: i64,
    #[serde(default)]
    pub(crate) end: Option<i64>,
    #[serde(default, rename = "type")]
    pub(crate) kind: Option<String>,
}

/// A header of a record, its value in base64.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct CaseHeader {
    #[serde(rename = "KEY")]
    pub(crate) key: String,
    #[serde(rename = "VALUE", default)]
    pub(crate) value: Option<String>,
}

/// What must be there afterwards.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Post {
    #[serde(default)]
    pub(crate) sources: Vec<PostSource>,
}

/// A source that must be there afterwards.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct PostSource {
    pub(crate) name: String,
    #[serde(default, rename = "type")]
    pub(crate) kind: Option<String>,
    #[serde(default)]
    pub(crate) schema: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct File {
    tests: Vec<Box<RawValue>>,
}

/// All variants of all enabled cases of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<Case>, SqlTestError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| SqlTestError::File { path: name.clone(), error })?;
    let wrong = |e: serde_json::Error| SqlTestError::Case { path: name.clone(), why: e.to_string() };
    let file: File = serde_json::from_str(&text).map_err(wrong)?;
    let file_name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut cases = Vec::new();
    for raw in &file.tests {
        let body: Body = serde_json::from_str(raw.get()).map_err(wrong)?;
        if body.enabled == Some(false) {
            continue;
        }
        for (variant, text) in variants(&body, raw.get()) {
            // The list of formats itself may hold the placeholder's text; it is not looked at again.
            let body: Body = serde_json::from_str(&text).map_err(wrong)?;
            cases.push(Case { file: file_name.clone(), variant, body });
        }
    }
    Ok(cases)
}

fn variants(body: &Body, text: &str) -> Vec<(Option<String>, String)> {
    let mut all = vec![(None, text.to_string())];
    let plain = |v: &serde_json::Value| v.as_str().map_or_else(|| v.to_string(), str::to_string);
    let configs: Vec<String> = body.config.iter().map(plain).collect();
    for (values, placeholder) in [(&body.format, "{FORMAT}"), (&configs, "{CONFIG}")] {
        if values.is_empty() {
            continue;
        }
        let each = |(variant, text): &(Option<String>, String)| {
            values
                .iter()
                .map(|value| {
                    let name = variant.as_ref().map_or_else(|| value.clone(), |v| format!("{v}/{value}"));
                    (Some(name), text.replace(placeholder, value))
                })
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(each).collect();
    }
    all
}
