//! EXTRACTJSONFIELD and IS_JSON_STRING, and reading JSON text without building a tree.

use std::fmt;

use flumen_expr::function::{BOOLEAN, STRING, ScalarFunction, Signature, nullable1, whole};
use flumen_types::json_text::{compact, read_string};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::adapters::{Made, build, column};

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("EXTRACTJSONFIELD", "The value at a path such as $.a.b[0] in JSON text: the text of a string, else JSON.").overload(
            Signature::new([STRING, STRING], STRING),
            whole(|call, failures| {
                let (texts, paths) = (column::<str>(call, 0)?, column::<str>(call, 1)?);
                let mut made = Made::new(parse_path);
                Ok(build(call, failures, |row| {
                    let path = made.of(paths.value(row))?;
                    let Some(json) = parse(texts.value(row))? else { return Ok(None) };
                    Ok(follow(json, path).map(plain_text))
                }))
            }),
        ),
        named("IS_JSON_STRING", "Whether the text is well-formed JSON.").nullable_overload(
            Signature::new([STRING], BOOLEAN),
            nullable1::<str, bool>(|text| Ok(Some(text.is_some_and(|t| matches!(parse(t), Ok(Some(_))))))),
        ),
    ]
}

pub(super) fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "JSON", description)
}

/// Well-formed JSON text without white space around it; `None` for blank text.
pub(super) fn parse(text: &str) -> Result<Option<&str>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    match serde_json::from_str::<&RawValue>(text) {
        Ok(raw) => Ok(Some(raw.get())),
        Err(e) => Err(format!("the text is not JSON: {e}")),
    }
}

/// The text of a JSON string, anything else as compact JSON.
pub(super) fn plain_text(json: &str) -> String {
    read_string(json).map_or_else(|| json_text(json), |text| text.into_owned())
}

/// Compact JSON.
pub(super) fn json_text(json: &str) -> String {
    let mut out = Vec::with_capacity(json.len());
    compact(json, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// A step into JSON.
enum Step {
    Member(String),
    Element(usize),
}

/// Reads `$.name`, `['name']` and `[0]` steps.
fn parse_path(path: &str) -> Result<Vec<Step>, String> {
    let bad = |why: &str| format!("bad JSON path '{path}': {why}");
    let mut rest = path.strip_prefix('$').ok_or_else(|| bad("it must start with '$'"))?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (name, left) = after.split_at(end);
            if name.is_empty() {
                return Err(bad("a name is missing after '.'"));
            }
            if name == "*" {
                return Err(bad("wildcards are not supported"));
            }
            steps.push(Step::Member(name.to_string()));
            rest = left;
            continue;
        }
        let inside = rest.strip_prefix('[').ok_or_else(|| bad("a step starts with '.' or '['"))?;
        match inside.chars().next() {
            Some(quote @ ('\'' | '"')) => {
                let quoted = inside.get(1..).unwrap_or_default();
                let (name, left) = quoted.split_once(quote).ok_or_else(|| bad("a quote is not closed"))?;
                rest = left.strip_prefix(']').ok_or_else(|| bad("']' is missing"))?;
                steps.push(Step::Member(name.to_string()));
            }
            _ => {
                let (index, left) = inside.split_once(']').ok_or_else(|| bad("']' is missing"))?;
                let index = index.trim().parse().map_err(|_| bad("the place of an element must be a number"))?;
                steps.push(Step::Element(index));
                rest = left;
            }
        }
    }
    Ok(steps)
}

fn follow<'j>(json: &'j str, path: &[Step]) -> Option<&'j str> {
    path.iter().try_fold(json, |json, step| match step {
        Step::Member(name) => members(json)?.into_iter().rev().find(|(k, _)| k == name).map(|(_, v)| v),
        Step::Element(index) => elements(json)?.get(*index).copied(),
    })
}

/// Names and values of a JSON object in order; `None` when it is none.
pub(super) fn members(json: &str) -> Option<Vec<(String, &str)>> {
    if !json.starts_with('{') {
        return None;
    }
    Members.deserialize(&mut serde_json::Deserializer::from_str(json)).ok()
}

/// The elements of a JSON array; `None` when it is none.
pub(super) fn elements(json: &str) -> Option<Vec<&str>> {
    if !json.starts_with('[') {
        return None;
    }
    Elements.deserialize(&mut serde_json::Deserializer::from_str(json)).ok()
}

/// Reads an object as names and raw values.
struct Members;

impl<'de> DeserializeSeed<'de> for Members {
    type Value = Vec<(String, &'de str)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(String, &'de str)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            members.push((name, map.next_value::<&'de RawValue>()?.get()));
        }
        Ok(members)
    }
}

/// Reads an array as raw values.
struct Elements;

impl<'de> DeserializeSeed<'de> for Elements {
    type Value = Vec<&'de str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements {
    type Value = Vec<&'de str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(raw) = seq.next_element::<&'de RawValue>()? {
            elements.push(raw.get());
        }
        Ok(elements)
    }
}
