//! Checks the ASSERT statements of a section against what came out.

use std::collections::HashMap;

use flumen_catalog::SourceDef;
use flumen_engine::parser::ast::{AssertSource, AssertValues, Ident, InsertValues, Literal};
use flumen_engine::{Engine, Session};
use flumen_runtime::driver::Record;
use flumen_types::{Column, Namespace};

use super::{Assertion, all_columns, kind_text};
use crate::actual::ActualRecord;
use crate::json::{Json, same};

/// Takes records of each topic in order, one for each ASSERT VALUES.
pub(crate) struct Checker<'a> {
    engine: &'a Engine,
    /// Topic and record, in the order written.
    records: Vec<(String, Record)>,
    /// By source, how many records of its topic its assertions took.
    taken: HashMap<String, usize>,
}

impl<'a> Checker<'a> {
    /// A checker over all records written, in order.
    pub(crate) fn new(engine: &'a Engine, records: Vec<(String, Record)>) -> Self {
        Checker { engine, records, taken: HashMap::new() }
    }

    /// Why an assertion does not hold, if it does not.
    pub(crate) fn check(&mut self, assertion: &Assertion, text: &str) -> Result<(), String> {
        match assertion {
            Assertion::Values(values) => self.values(values, text, false),
            Assertion::Tombstone(values) => self.values(values, text, true),
            Assertion::Source(source) => self.source(source),
        }
        .map_err(|why| format!("{why}\n    {text}"))
    }

    fn values(&mut self, assert: &AssertValues, text: &str, tombstone: bool) -> Result<(), String> {
        let catalog = self.engine.catalog();
        let source = catalog.require_source(&assert.source.value).map_err(|e| e.to_string())?.clone();
        let number = self.taken.entry(source.name.clone()).or_default();
        let record = self.records.iter().filter(|(topic, _)| *topic == source.topic).nth(*number);
        let (_, record) = record.ok_or_else(|| format!("topic {} has only {number} records", source.topic))?;
        let record = crate::records::decode_as(&source, record);
        *number += 1;
        let names: Vec<String> = match assert.columns.is_empty() {
            false => assert.columns.iter().map(|c| c.value.clone()).collect(),
            true => all_columns(&source.schema.columns).into_iter().map(|c| c.name.clone()).collect(),
        };
        if tombstone && record.value.is_some() {
            return Err(format!("expected a tombstone, got {}", shown(&record)));
        }
        if !tombstone && record.value.is_none() {
            return Err("expected a row, got a tombstone".to_string());
        }
        let expected = self.expected(&source, &names, assert, text)?;
        for (name, expected) in names.iter().zip(&expected) {
            let actual = cell(&source, &record, name)?;
            if !same(expected, &actual) {
                return Err(format!("{name} is {actual:?}, expected {expected:?}; the record is {}", shown(&record)));
            }
        }
        Ok(())
    }

    /// Why there are records that no assertion took, where there are.
    pub(crate) fn finish(&self) -> Result<(), String> {
        let catalog = self.engine.catalog();
        for (name, taken) in &self.taken {
            let source = catalog.require_source(name).map_err(|e| e.to_string())?;
            let mut all = self.records.iter().filter(|(topic, _)| *topic == source.topic);
            if let Some((_, record)) = all.nth(*taken) {
                return Err(format!(
                    "{name} has a record after the {taken} asserted: {}",
                    shown(&crate::records::decode_as(source, record))
                ));
            }
        }
        Ok(())
    }

    /// The asserted values in the form in which records show theirs: written as a record of the source itself. WINDOWSTART
    /// and WINDOWEND, which no row can be given, must be whole numbers.
    fn expected(&self, source: &SourceDef, names: &[String], assert: &AssertValues, text: &str) -> Result<Vec<Json>, String> {
        let is_bound = |name: &str| name == "WINDOWSTART" || name == "WINDOWEND";
        let pairs: Vec<_> = names.iter().zip(&assert.values).collect();
        let (columns, values) = pairs.iter().filter(|(n, _)| !is_bound(n)).map(|(n, v)| (Ident::new(n.as_str()), (*v).clone())).unzip();
        let insert = InsertValues { target: assert.source.clone(), columns, values, values_span: assert.values_span };
        let row = self.engine.inserted_row(&insert, text, &Session::default()).map_err(|e| e.message)?;
        let record = Record { key: row.key, value: row.value, timestamp: row.timestamp.unwrap_or(0), headers: Vec::new() };
        let record = crate::records::decode_inner(source, &record);
        let value = |(name, value): &(&String, &flumen_engine::parser::ast::Expr)| match is_bound(name) {
            true => Json::parse(&value.to_string()).map_err(|e| e.to_string()),
            false => cell(source, &record, name),
        };
        pairs.iter().map(value).collect()
    }

    fn source(&self, assert: &AssertSource) -> Result<(), String> {
        let catalog = self.engine.catalog();
        let source = catalog.require_source(&assert.name.value).map_err(|e| e.to_string())?;
        if source.kind_name() != kind_text(assert.kind) {
            return Err(format!("{} is a {}", source.name, source.kind_name()));
        }
        let expected: Vec<String> = assert.columns.iter().map(|c| spelled(&c.to_string())).collect();
        let key = if source.is_table() { " PRIMARY KEY" } else { " KEY" };
        let text = |c: &&Column| format!("{} {}{}", c.name, c.ty, if c.namespace == Namespace::Key { key } else { "" });
        let found: Vec<String> = all_columns(&source.schema.columns).iter().map(|c| spelled(&text(c))).collect();
        if !expected.is_empty() && expected != found {
            return Err(format!("{} has the columns {}, expected {}", source.name, found.join(", "), expected.join(", ")));
        }
        for property in &assert.properties {
            let found = match property.name.value.to_ascii_uppercase().as_str() {
                "KAFKA_TOPIC" => source.topic.clone(),
                "KEY_FORMAT" => source.key_format.format.to_string(),
                "VALUE_FORMAT" => source.value_format.format.to_string(),
                other => return Err(format!("the property {other} cannot be asserted")),
            };
            if !matches!(&property.value, Literal::String(expected) if *expected == found) {
                return Err(format!("{} of {} is {found}", property.name.value, source.name));
            }
        }
        Ok(())
    }
}

/// A column in one spelling.
fn spelled(column: &str) -> String {
    let upper = column.replace(['`', '"'], "").to_uppercase().replace("VARCHAR", "STRING").replace("INTEGER", "INT");
    upper.split_whitespace().collect::<Vec<_>>().join(" ").replace(", ", ",")
}

fn shown(record: &ActualRecord) -> String {
    let text = |v: &Option<Box<serde_json::value::RawValue>>| v.as_ref().map_or("null", |v| v.get()).to_string();
    format!("{} -> {}", text(&record.key), text(&record.value))
}

/// One column's value in a record.
fn cell(source: &SourceDef, record: &ActualRecord, name: &str) -> Result<Json, String> {
    if name == "ROWTIME" {
        return Ok(Json::Number(record.timestamp.to_string()));
    }
    if let Some(window) = &record.window {
        match name {
            "WINDOWSTART" => return Ok(Json::Number(window.start.to_string())),
            "WINDOWEND" => return Ok(Json::Number(window.end.to_string())),
            _ => {}
        }
    }
    let keys: Vec<_> = source.schema.keys().collect();
    let values: Vec<_> = source.schema.values().collect();
    let (columns, raw, format) = if keys.iter().any(|c| c.name == name) {
        (keys, &record.key, &source.key_format)
    } else {
        (values, &record.value, &source.value_format)
    };
    let at = columns.iter().position(|c| c.name == name).ok_or_else(|| format!("{} has no column {name}", source.name))?;
    let Some(raw) = raw else { return Ok(Json::Null) };
    let json = Json::parse(raw.get()).map_err(|e| e.to_string())?;
    Ok(match json {
        Json::Text(line) if format.format == flumen_types::Format::Delimited => {
            let separator = format.delimiter.unwrap_or(',');
            line.split(separator).nth(at).map_or(Json::Null, |part| Json::Text(part.to_string()))
        }
        Json::Object(fields) if columns.len() > 1 || format.wrap => {
            fields.into_iter().find(|(k, _)| k == name).map_or(Json::Null, |(_, v)| v)
        }
        whole => whole,
    })
}
