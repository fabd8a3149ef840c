//! Functions of JSON objects as text.

use flumen_expr::function::{STRING, ScalarFunction, Signature, array, map, rowwise};
use flumen_types::Value;
use flumen_types::json_text::write_string;

use super::adapters::variadic;
use super::json_field::{elements, json_text, members, named, parse, plain_text};
use super::ordered::Ordered;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("JSON_KEYS", "The names of a JSON object's members, NULL for other JSON.").overload(
            Signature::new([STRING], array(STRING)),
            rowwise(|values, _| {
                let keys = |(k, _): (String, &str)| Value::String(k);
                Ok(unique_members(values)?.map_or(Value::Null, |m| Value::Array(m.into_iter().map(keys).collect())))
            }),
        ),
        named("JSON_RECORDS", "The members of a JSON object as a map, NULL for other JSON; texts plain, other values as JSON.").overload(
            Signature::new([STRING], map(STRING, STRING)),
            rowwise(|values, _| {
                let entry = |(k, v): (String, &str)| (Value::String(k), Value::String(plain_text(v)));
                Ok(unique_members(values)?.map_or(Value::Null, |m| Value::Map(m.into_iter().map(entry).collect())))
            }),
        ),
        named("JSON_CONCAT", "JSON objects merged, or else arrays one after the other, what is no array as its own element.")
            .overload(Signature::new([STRING], STRING).variadic(), variadic::<str, String>(concat)),
    ]
}

/// The members with each name once, the last value counting.
fn unique_members(values: &[Value]) -> Result<Option<Vec<(String, &str)>>, String> {
    let Some(Value::String(text)) = values.first() else { return Ok(None) };
    let Some(members) = parse(text)?.and_then(members) else { return Ok(None) };
    Ok(Some(merged(members)))
}

fn merged<'j>(members: impl IntoIterator<Item = (String, &'j str)>) -> Vec<(String, &'j str)> {
    let mut unique = Ordered::new();
    members.into_iter().for_each(|(name, value)| unique.put(&name, value));
    unique.into_entries()
}

fn concat(texts: &[Option<&str>]) -> Result<Option<String>, String> {
    let mut parts = Vec::with_capacity(texts.len());
    for text in texts {
        match text.map(parse).transpose()?.flatten() {
            Some(json) => parts.push(json),
            None => return Ok(None),
        }
    }
    if parts.is_empty() {
        return Ok(None);
    }
    if parts.iter().all(|p| p.starts_with('{')) {
        let all = merged(parts.iter().flat_map(|p| members(p).unwrap_or_default()));
        let members: Vec<String> = all.into_iter().map(|(k, v)| format!("{}:{}", quoted(&k), json_text(v))).collect();
        return Ok(Some(format!("{{{}}}", members.join(","))));
    }
    let all: Vec<String> = parts.iter().flat_map(|p| elements(p).unwrap_or_else(|| vec![*p])).map(json_text).collect();
    Ok(Some(format!("[{}]", all.join(","))))
}

fn quoted(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_string(text, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}
