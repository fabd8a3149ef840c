//! Whether what came out of a case is what it expects.

use std::collections::BTreeMap;

use crate::actual::{Actual, ActualRecord};
use crate::case::{Body, CaseRecord};
use crate::json::{Json, same};

/// Why a case failed; `None` when it passed.
pub(crate) fn judge(case: &Body, actual: &Actual) -> Option<String> {
    if case.expected_exception.is_some() {
        return expected_rejection(case, actual);
    }
    if let Some(error) = &actual.error {
        return Some(format!("rejected ({}): {}", error.kind, error.message));
    }
    let mut expected: BTreeMap<&str, Vec<&CaseRecord>> = BTreeMap::new();
    for record in &case.outputs {
        expected.entry(&record.topic).or_default().push(record);
    }
    for (topic, records) in expected {
        let got: Vec<&ActualRecord> = actual.outputs.iter().filter(|r| r.topic == topic).collect();
        if got.len() != records.len() {
            return Some(format!("{topic}: {} records, expected {}{}", got.len(), records.len(), listed(&got)));
        }
        for (number, (expected, got)) in records.into_iter().zip(got).enumerate() {
            if let Some(why) = differs(expected, got) {
                return Some(format!("{topic}[{number}]: {why}"));
            }
        }
    }
    post_sources(case, actual)
}

fn expected_rejection(case: &Body, actual: &Actual) -> Option<String> {
    let last = case.statements.len().checked_sub(1);
    match &actual.error {
        None => Some("accepted, expected a rejection".to_string()),
        Some(error) if error.kind == "unsupported" => Some(format!("rejected, but as unsupported: {}", error.message)),
        Some(error) if error.statement.is_some() && error.statement != last => {
            Some(format!("statement {} was rejected: {}", error.statement.unwrap_or(0), error.message))
        }
        Some(_) => None,
    }
}

fn listed(got: &[&ActualRecord]) -> String {
    let show = |v: &Option<Box<serde_json::value::RawValue>>| v.as_ref().map_or("null", |v| v.get()).to_string();
    got.iter().take(6).map(|r| format!("\n    got {} -> {}", show(&r.key), show(&r.value))).collect()
}

fn differs(expected: &CaseRecord, got: &ActualRecord) -> Option<String> {
    let parse = |v: &Option<Box<serde_json::value::RawValue>>| match v {
        Some(raw) => Json::parse(raw.get()).unwrap_or(Json::Null),
        None => Json::Null,
    };
    for (what, e, a) in [("key", &expected.key, &got.key), ("value", &expected.value, &got.value)] {
        if !same(&parse(e), &parse(a)) {
            let show = |v: &Option<Box<serde_json::value::RawValue>>| v.as_ref().map_or("null", |v| v.get()).to_string();
            return Some(format!("{what} {}, expected {}", show(a), show(e)));
        }
    }
    if let Some(headers) = expected.headers.as_ref().filter(|h| !h.is_empty()) {
        let equal =
            headers.len() == got.headers.len() && headers.iter().zip(&got.headers).all(|(e, a)| e.key == a.key && e.value == a.value);
        if !equal {
            return Some(format!("headers {:?}, expected {headers:?}", got.headers));
        }
    }
    match (&expected.window, &got.window) {
        (Some(_), None) => Some("no window in the key".to_string()),
        (Some(e), Some(a)) if e.start != a.start || e.end.is_some_and(|end| end != a.end) => {
            Some(format!("window {}-{}, expected {}-{:?}", a.start, a.end, e.start, e.end))
        }
        _ => None,
    }
}

fn post_sources(case: &Body, actual: &Actual) -> Option<String> {
    for source in case.post.iter().flat_map(|p| &p.sources) {
        let Some(found) = actual.sources.iter().find(|s| s.name == source.name) else {
            return Some(format!("source {} is missing", source.name));
        };
        if let Some(kind) = source.kind.as_ref().filter(|k| !k.eq_ignore_ascii_case(&found.kind)) {
            return Some(format!("source {} is a {}, expected a {kind}", source.name, found.kind));
        }
        if let Some(schema) = source.schema.as_ref().and_then(|s| s.as_str())
            && normal(schema) != normal(&found.schema)
        {
            return Some(format!("source {} has schema {}, expected {schema}", source.name, found.schema));
        }
    }
    None
}

/// A schema's text without what may differ in spelling.
fn normal(schema: &str) -> String {
    let upper = schema.replace('`', "").to_uppercase().replace("VARCHAR", "STRING").replace("INTEGER", "INT");
    let upper = upper.replace("PRIMARY KEY", "KEY");
    let spaced = upper.split_whitespace().collect::<Vec<_>>().join(" ");
    spaced.replace(", ", ",").replace("( ", "(")
}
