//! The functions of regular expressions.

use arrow::array::Array;
use fancy_regex::Regex;
use flumen_expr::function::{CallArgs, INTEGER, Implementation, STRING, ScalarFunction, Signature, array, whole};
use flumen_types::{Value, value_at};

use super::adapters::{Made, build, build_values, column};
use super::regex_syntax::{compile, expand};

pub(super) fn all() -> Vec<ScalarFunction> {
    let two = || [STRING, STRING];
    let three = || [STRING, STRING, INTEGER];
    vec![
        named("REGEXP_EXTRACT", "The first match of a pattern in a text, or a group of it.")
            .overload(Signature::new(two(), STRING), extract(first_match))
            .overload(Signature::new(three(), STRING), extract(first_match)),
        named("REGEXP_EXTRACT_ALL", "All matches of a pattern in a text, or a group of each.")
            .overload(Signature::new(two(), array(STRING)), extract(all_matches))
            .overload(Signature::new(three(), array(STRING)), extract(all_matches)),
        named("REGEXP_REPLACE", "The text with all matches of a pattern replaced; $1 stands for a group.")
            .overload(Signature::new([STRING, STRING, STRING], STRING), replace()),
        named("REGEXP_SPLIT_TO_ARRAY", "The parts of a text between the matches of a pattern.")
            .overload(Signature::new(two(), array(STRING)), split()),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "REGULAR EXPRESSION", description)
}

/// A function of (pattern, text, group).
fn extract(f: fn(&Regex, &str, usize) -> Result<Value, String>) -> Implementation {
    whole(move |call, failures| {
        let (patterns, texts) = (column::<str>(call, 0)?, column::<str>(call, 1)?);
        let mut made = Made::new(compile);
        Ok(build_values(call, failures, |row| {
            let regex = made.of(patterns.value(row))?;
            match usize::try_from(group(call, row)) {
                Ok(group) if group < regex.captures_len() => f(regex, texts.value(row), group),
                _ => Ok(Value::Null),
            }
        }))
    })
}

fn group(call: &CallArgs<'_>, row: usize) -> i32 {
    match (call.args.get(2), call.types.get(2)) {
        (Some(groups), Some(ty)) => match value_at(groups.as_ref(), ty, row) {
            Value::Integer(n) => n,
            _ => -1,
        },
        _ => 0,
    }
}

fn first_match(regex: &Regex, text: &str, group: usize) -> Result<Value, String> {
    let captures = regex.captures(text).map_err(|e| e.to_string())?;
    let found = captures.as_ref().and_then(|c| c.get(group));
    Ok(found.map_or(Value::Null, |m| Value::from(m.as_str())))
}

fn all_matches(regex: &Regex, text: &str, group: usize) -> Result<Value, String> {
    let found = regex.captures_iter(text).map(|captures| {
        let captures = captures.map_err(|e| e.to_string())?;
        Ok(captures.get(group).map_or(Value::Null, |m| Value::from(m.as_str())))
    });
    found.collect::<Result<_, String>>().map(Value::Array)
}

fn replace() -> Implementation {
    whole(|call, failures| {
        let (texts, patterns, replacements) = (column::<str>(call, 0)?, column::<str>(call, 1)?, column::<str>(call, 2)?);
        let mut made = Made::new(compile);
        Ok(build(call, failures, |row| {
            let regex = made.of(patterns.value(row))?;
            let text = texts.value(row);
            let mut out = String::with_capacity(text.len());
            let mut end = 0;
            for captures in regex.captures_iter(text) {
                let captures = captures.map_err(|e| e.to_string())?;
                let Some(found) = captures.get(0) else { continue };
                out.push_str(text.get(end..found.start()).unwrap_or_default());
                expand(replacements.value(row), &captures, &mut out)?;
                end = found.end();
            }
            out.push_str(text.get(end..).unwrap_or_default());
            Ok(Some(out))
        }))
    })
}

fn split() -> Implementation {
    whole(|call, failures| {
        let (texts, patterns) = (column::<str>(call, 0)?, column::<str>(call, 1)?);
        let mut made = Made::new(compile);
        Ok(build_values(call, failures, |row| {
            if texts.is_null(row) {
                return Ok(Value::Null);
            }
            let regex = made.of(patterns.value(row))?;
            let parts = parts(regex, texts.value(row)).map_err(|e| e.to_string())?;
            Ok(Value::Array(parts.into_iter().map(Value::from).collect()))
        }))
    })
}

/// The parts between the matches. A pattern that matches nothing at all splits as Java's own `split` does: no empty part
/// in front, none at the end.
fn parts<'t>(regex: &Regex, text: &'t str) -> Result<Vec<&'t str>, fancy_regex::Error> {
    let matches_nothing = regex.find("")?.is_some();
    let mut parts = Vec::new();
    let mut end = 0;
    for found in regex.find_iter(text) {
        let found = found?;
        if matches_nothing && found.end() == 0 {
            continue;
        }
        parts.push(text.get(end..found.start()).unwrap_or_default());
        end = found.end();
    }
    parts.push(text.get(end..).unwrap_or_default());
    if matches_nothing {
        while parts.len() > 1 && parts.last().is_some_and(|p| p.is_empty()) {
            parts.pop();
        }
    }
    Ok(parts)
}
