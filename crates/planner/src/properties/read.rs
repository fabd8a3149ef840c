//! Reading the properties of a WITH clause.

use flumen_catalog::nearest;
use flumen_parser::ast::{Literal, Property};
use flumen_plan::WindowedKey;
use flumen_types::{Format, WindowKind, parse_delimiter};

use super::With;
use crate::PlanError;
use crate::column_text::column_name;
use crate::context::read_flag;

/// Which statement a WITH clause belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clause {
    /// CREATE STREAM, CREATE TABLE.
    Create,
    /// CREATE … AS SELECT.
    CreateAs,
    /// INSERT INTO … SELECT.
    Insert,
}

const CREATE_AS: [&str; 20] = [
    "KAFKA_TOPIC",
    "PARTITIONS",
    "REPLICAS",
    "RETENTION_MS",
    "CLEANUP_POLICY",
    "FORMAT",
    "KEY_FORMAT",
    "VALUE_FORMAT",
    "KEY_DELIMITER",
    "VALUE_DELIMITER",
    "WRAP_SINGLE_VALUE",
    "TIMESTAMP",
    "TIMESTAMP_FORMAT",
    "KEY_SCHEMA_ID",
    "VALUE_SCHEMA_ID",
    "KEY_SCHEMA_FULL_NAME",
    "VALUE_SCHEMA_FULL_NAME",
    "VALUE_AVRO_SCHEMA_FULL_NAME",
    "KEY_PROTOBUF_NULLABLE_REPRESENTATION",
    "VALUE_PROTOBUF_NULLABLE_REPRESENTATION",
];
const CREATE_ONLY: [&str; 4] = ["WINDOW_TYPE", "WINDOW_SIZE", "SOURCED_BY_CONNECTOR", "SOURCE_CONNECTOR"];

fn allowed(clause: Clause) -> Vec<&'static str> {
    let all = CREATE_AS.iter();
    match clause {
        Clause::Create => all.chain(&CREATE_ONLY).copied().collect(),
        Clause::CreateAs => all.copied().collect(),
        Clause::Insert => vec!["QUERY_ID"],
    }
}

/// Reads a WITH clause.
pub(crate) fn read(properties: &[Property], clause: Clause) -> Result<With, PlanError> {
    let mut with = With::default();
    let mut formats = Formats::default();
    let mut window = (None, None);
    let mut seen: Vec<String> = Vec::new();
    for property in properties {
        let name = property.name.value.to_uppercase();
        let names = allowed(clause);
        if !names.contains(&name.as_str()) {
            let hint = nearest(&name, names.iter().copied()).map(|n| format!(" Did you mean {n}?")).unwrap_or_default();
            return Err(PlanError::user_at(property.name.span, format!("Invalid config variable(s) in the WITH clause: {name}.{hint}")));
        }
        if seen.contains(&name) {
            return Err(PlanError::user_at(property.name.span, format!("{name} is given twice in the WITH clause")));
        }
        one(&mut with, &mut formats, &mut window, &name, property).map_err(|e| e.or_at(property.value_span))?;
        seen.push(name);
    }
    formats.settle(&mut with)?;
    with.window = windowed(window)?;
    if let (Some(_), None) = (&with.timestamp_format, &with.timestamp) {
        return Err(PlanError::user("TIMESTAMP_FORMAT needs a TIMESTAMP column in the WITH clause"));
    }
    Ok(with)
}

type WindowText = (Option<String>, Option<String>);

fn one(with: &mut With, formats: &mut Formats, window: &mut WindowText, name: &str, property: &Property) -> Result<(), PlanError> {
    let value = &property.value;
    let span = property.value_span;
    let schema = if name.starts_with("KEY_") { &mut with.key_schema } else { &mut with.value_schema };
    match name {
        "KAFKA_TOPIC" => with.topic = Some(non_empty(name, text(name, value)?)?),
        "PARTITIONS" => with.partitions = Some(bounded(name, value, 1, i32::MAX as i64)? as i32),
        "REPLICAS" => with.replicas = Some(replicas(value)?),
        "RETENTION_MS" => with.retention_ms = Some(bounded(name, value, 0, i64::MAX)?),
        "CLEANUP_POLICY" => {
            return Err(PlanError::user(
                "Invalid config variable in the WITH clause: CLEANUP_POLICY. It follows from what is created: streams delete, tables compact.",
            ));
        }
        "FORMAT" => formats.both = Some(format(value)?),
        "KEY_FORMAT" => formats.key = Some(format(value)?),
        "VALUE_FORMAT" => formats.value = Some(format(value)?),
        "KEY_DELIMITER" => with.key_delimiter = Some(delimiter(name, value)?),
        "VALUE_DELIMITER" => with.value_delimiter = Some(delimiter(name, value)?),
        "WRAP_SINGLE_VALUE" => with.wrap = Some(flag(name, value)?),
        "TIMESTAMP" => with.timestamp = Some((column_name(&text(name, value)?), span)),
        "TIMESTAMP_FORMAT" => with.timestamp_format = Some(non_empty(name, text(name, value)?)?),
        "WINDOW_TYPE" => window.0 = Some(text(name, value)?),
        "WINDOW_SIZE" => window.1 = Some(text(name, value)?),
        "QUERY_ID" => with.query_id = Some(query_id(&text(name, value)?)?),
        "KEY_SCHEMA_ID" | "VALUE_SCHEMA_ID" => schema.id = Some((bounded(name, value, 0, i64::MAX)?, span)),
        "KEY_SCHEMA_FULL_NAME" | "VALUE_SCHEMA_FULL_NAME" | "VALUE_AVRO_SCHEMA_FULL_NAME" => {
            let full_name = text(name, value)?;
            if full_name.trim().is_empty() {
                return Err(PlanError::user(format!("fullSchemaName cannot be empty: {name} has no value")));
            }
            if schema.full_name.is_some() {
                return Err(PlanError::user("VALUE_AVRO_SCHEMA_FULL_NAME and VALUE_SCHEMA_FULL_NAME cannot both be given"));
            }
            schema.full_name = Some((full_name, span));
        }
        "KEY_PROTOBUF_NULLABLE_REPRESENTATION" | "VALUE_PROTOBUF_NULLABLE_REPRESENTATION" => {
            if !matches!(text(name, value)?.to_uppercase().as_str(), "OPTIONAL" | "WRAPPER") {
                return Err(PlanError::user(format!("{name} must be OPTIONAL or WRAPPER")));
            }
            schema.nullable = Some(span);
        }
        _ => {
            text(name, value)?;
        }
    }
    Ok(())
}

/// FORMAT against KEY_FORMAT and VALUE_FORMAT.
#[derive(Default)]
struct Formats {
    both: Option<Format>,
    key: Option<Format>,
    value: Option<Format>,
}

impl Formats {
    fn settle(self, with: &mut With) -> Result<(), PlanError> {
        for (name, one) in [("KEY_FORMAT", self.key), ("VALUE_FORMAT", self.value)] {
            if one.is_some() && self.both.is_some() {
                return Err(PlanError::user(format!(
                    "Cannot supply both '{name}' and 'FORMAT' properties, as 'FORMAT' sets both key and value formats. Either use just 'FORMAT', or use 'KEY_FORMAT' and 'VALUE_FORMAT'."
                )));
            }
        }
        with.key_format_alone = self.key.is_some();
        with.key_format = self.key.or(self.both);
        with.value_format = self.value.or(self.both);
        Ok(())
    }
}

fn windowed(window: WindowText) -> Result<Option<WindowedKey>, PlanError> {
    let (kind, size) = window;
    let Some(kind) = kind else {
        return match size {
            Some(_) => Err(PlanError::user("'WINDOW_SIZE' should not be set when 'WINDOW_TYPE' is not")),
            None => Ok(None),
        };
    };
    let kinds = [WindowKind::Session, WindowKind::Tumbling, WindowKind::Hopping];
    let kind = kinds.into_iter().find(|k| k.name().eq_ignore_ascii_case(&kind)).ok_or_else(|| {
        PlanError::user(format!(
            "Configuration WINDOW_TYPE is invalid: unknown window type '{kind}'; it must be SESSION, TUMBLING or HOPPING"
        ))
    })?;
    let size = size.map(|text| duration(&text)).transpose()?;
    match (kind, size) {
        (WindowKind::Session, Some(_)) => Err(PlanError::user("'WINDOW_SIZE' should not be set for SESSION windows.")),
        (WindowKind::Tumbling | WindowKind::Hopping, None) => Err(PlanError::user(format!(
            "{} windows require 'WINDOW_SIZE' to be provided in the WITH clause. For example: 'WINDOW_SIZE'='10 SECONDS'",
            kind.name()
        ))),
        _ => Ok(Some(WindowedKey { kind, size })),
    }
}

/// `'30 SECONDS'` in milliseconds.
fn duration(text: &str) -> Result<i64, PlanError> {
    let refuse = |why: &str| PlanError::user(format!("Configuration WINDOW_SIZE is invalid: Invalid duration: '{text}'. {why}"));
    let mut parts = text.split_whitespace();
    let (Some(count), Some(unit), None) = (parts.next(), parts.next(), parts.next()) else {
        return Err(refuse("It is a number and a unit, as in '10 SECONDS'"));
    };
    let count: i64 = count.parse().map_err(|_| refuse("It must start with a whole number"))?;
    let unit =
        flumen_expr::IntervalUnit::from_name(unit).ok_or_else(|| refuse(&format!("Unknown time unit: '{}'", unit.to_uppercase())))?;
    count.checked_mul(unit.millis()).filter(|ms| *ms > 0).ok_or_else(|| refuse("It must be above zero and fit 64 bits of milliseconds"))
}

fn text(name: &str, value: &Literal) -> Result<String, PlanError> {
    match value {
        Literal::String(text) => Ok(text.clone()),
        other => Err(PlanError::user(format!("{name} must be a STRING literal, not {other}"))),
    }
}

fn non_empty(name: &str, text: String) -> Result<String, PlanError> {
    if text.trim().is_empty() { Err(PlanError::user(format!("{name} cannot be empty"))) } else { Ok(text) }
}

fn number(name: &str, value: &Literal) -> Result<i64, PlanError> {
    let refuse = || PlanError::user(format!("Invalid value {value} for configuration {name}: it must be a whole number"));
    match value {
        Literal::Integer(n) => Ok(*n as i64),
        Literal::BigInt(n) => Ok(*n),
        Literal::String(text) => text.trim().parse().map_err(|_| refuse()),
        _ => Err(refuse()),
    }
}

fn bounded(name: &str, value: &Literal, low: i64, high: i64) -> Result<i64, PlanError> {
    let n = number(name, value)?;
    if (low..=high).contains(&n) {
        Ok(n)
    } else {
        Err(PlanError::user(format!("Invalid value {n} for configuration {name}: it must be from {low} to {high}")))
    }
}

/// −1 leaves the number to the broker.
fn replicas(value: &Literal) -> Result<i16, PlanError> {
    match number("REPLICAS", value)? {
        -1 => Ok(-1),
        n if (1..=i16::MAX as i64).contains(&n) => Ok(n as i16),
        n => Err(PlanError::user(format!("Invalid value {n} for configuration REPLICAS: it must be from 1 to {}", i16::MAX))),
    }
}

fn flag(name: &str, value: &Literal) -> Result<bool, PlanError> {
    match value {
        Literal::Boolean(b) => Ok(*b),
        Literal::String(text) => read_flag(name, text),
        other => Err(PlanError::user(format!("Invalid value {other} for {name}: expected true or false"))),
    }
}

fn format(value: &Literal) -> Result<Format, PlanError> {
    let name = text("FORMAT", value)?;
    Ok(Format::from_name(&name)?)
}

fn delimiter(name: &str, value: &Literal) -> Result<char, PlanError> {
    parse_delimiter(&text(name, value)?).map_err(|e| PlanError::from(e).within(&format!("Configuration {name} is invalid")))
}

fn query_id(text: &str) -> Result<String, PlanError> {
    let id = text.to_uppercase();
    let plain = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !plain {
        return Err(PlanError::user(format!("Query IDs may contain only alphanumeric characters and '_'. Got: '{text}'")));
    }
    if ["INSERTQUERY_", "CTAS_", "CSAS_", "CST_"].iter().any(|reserved| id.starts_with(reserved)) {
        return Err(PlanError::user(format!("Query ID '{id}' begins with a prefix that is kept for generated ids. Choose another.")));
    }
    Ok(id)
}
