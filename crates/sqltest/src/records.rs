//! Records between the form of case files and bytes, in the formats of the sources on their topics.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flumen_catalog::{Catalog, SourceDef};
use flumen_formats::{session_key, split_session_key, split_time_key, time_key};
use flumen_runtime::driver::Record;
use flumen_types::{Format, FormatSpec, SqlType, Window, WindowKind};
use flumen_wire::{HeaderIter, encode_headers};
use serde_json::value::RawValue;

use crate::actual::{ActualHeader, ActualRecord, ActualWindow};
use crate::case::{CaseHeader, CaseRecord};
use crate::json::Json;

/// The source that tells the formats of a topic; of several, the first by name.
fn source_of<'a>(catalog: &'a Catalog, topic: &str) -> Option<&'a SourceDef> {
    catalog.sources().find(|s| s.topic == topic).map(|s| s.as_ref())
}

fn key_column(source: &SourceDef) -> Option<&SqlType> {
    source.schema.keys().next().map(|c| &c.ty)
}

fn value_column(source: &SourceDef) -> Option<&SqlType> {
    source.schema.values().next().map(|c| &c.ty)
}

/// The bytes of a case's record.
pub(crate) fn encode(catalog: &Catalog, record: &CaseRecord) -> Result<Record, String> {
    let source = source_of(catalog, &record.topic);
    let text = FormatSpec::key(Format::Kafka, None);
    let (key_format, key_type) = source.map_or((&text, None), |s| (&s.key_format, key_column(s)));
    let json = FormatSpec::plain(Format::Json);
    let (value_format, value_type) = source.map_or((&json, None), |s| (&s.value_format, value_column(s)));
    let mut key = side(key_format, key_type, record.key.as_deref())?;
    if let (Some(window), Some(key)) = (&record.window, key.as_mut()) {
        let session = match &window.kind {
            Some(kind) => kind.eq_ignore_ascii_case("SESSION"),
            None => source.and_then(|s| s.window).is_some_and(|w| w.kind == WindowKind::Session),
        };
        let bounds = Window { start: window.start, end: window.end.unwrap_or(window.start) };
        if session { session_key(key, bounds) } else { time_key(key, bounds) }
    }
    let value = side(value_format, value_type, record.value.as_deref())?;
    let headers = record.headers.as_deref().map(raw_headers).transpose()?.unwrap_or_default();
    Ok(Record { key, value, timestamp: record.timestamp.unwrap_or(0), headers })
}

fn raw_headers(headers: &[CaseHeader]) -> Result<Vec<u8>, String> {
    let mut decoded = Vec::new();
    for header in headers {
        let value = header.value.as_ref().map(|v| BASE64.decode(v).map_err(|e| format!("header {}: {e}", header.key)));
        decoded.push((header.key.as_bytes(), value.transpose()?));
    }
    let mut out = Vec::new();
    encode_headers(&mut out, decoded.iter().map(|(k, v)| (*k, v.as_deref())));
    Ok(out)
}

/// The bytes of a key or value.
fn side(format: &FormatSpec, ty: Option<&SqlType>, raw: Option<&RawValue>) -> Result<Option<Vec<u8>>, String> {
    let Some(raw) = raw else { return Ok(None) };
    let parsed = Json::parse(raw.get()).map_err(|e| e.to_string())?;
    let text = match &parsed {
        Json::Null => return Ok(None),
        Json::Text(text) => text.clone(),
        _ => raw.get().to_string(),
    };
    let number = |what: &str| format!("{text} is not {what}");
    Ok(Some(match (format.format, ty) {
        (Format::Json | Format::JsonSr, _) => raw.get().as_bytes().to_vec(),
        (Format::Kafka, Some(SqlType::Integer)) => text.parse::<i32>().map_err(|_| number("an INTEGER"))?.to_be_bytes().to_vec(),
        (Format::Kafka, Some(SqlType::Bigint)) => text.parse::<i64>().map_err(|_| number("a BIGINT"))?.to_be_bytes().to_vec(),
        (Format::Kafka, Some(SqlType::Double)) => text.parse::<f64>().map_err(|_| number("a DOUBLE"))?.to_be_bytes().to_vec(),
        (Format::Kafka, Some(SqlType::Bytes)) => BASE64.decode(&text).map_err(|e| e.to_string())?,
        _ => text.into_bytes(),
    }))
}

/// A record in the form of case files.
pub(crate) fn decode(catalog: &Catalog, topic: &str, record: &Record) -> ActualRecord {
    decode_with(source_of(catalog, topic), topic, record)
}

/// A record as one source of its topic reads it.
pub(crate) fn decode_as(source: &SourceDef, record: &Record) -> ActualRecord {
    decode_with(Some(source), &source.topic, record)
}

fn decode_with(source: Option<&SourceDef>, topic: &str, record: &Record) -> ActualRecord {
    let mut key = record.key.as_deref();
    let mut window = None;
    if let (Some(declared), Some(bytes)) = (source.and_then(|s| s.window), key) {
        let split = match declared.kind {
            WindowKind::Session => split_session_key(bytes).map(|(k, w)| (k, w, "SESSION")),
            _ => split_time_key(bytes, declared.size.unwrap_or(0)).map(|(k, w)| (k, w, "TIME")),
        };
        if let Ok((inner, bounds, kind)) = split {
            key = Some(inner);
            window = Some(ActualWindow { start: bounds.start, end: bounds.end, kind });
        }
    }
    shown(source, topic, key, window, record)
}

/// A record whose key carries no window, whatever its source says.
pub(crate) fn decode_inner(source: &SourceDef, record: &Record) -> ActualRecord {
    shown(Some(source), &source.topic, record.key.as_deref(), None, record)
}

fn shown(source: Option<&SourceDef>, topic: &str, key: Option<&[u8]>, window: Option<ActualWindow>, record: &Record) -> ActualRecord {
    let text = |format: Option<(&FormatSpec, Option<&SqlType>)>, bytes: Option<&[u8]>| bytes.map(|b| text_of(format, b));
    let header = |(name, value): (&[u8], Option<&[u8]>)| ActualHeader {
        key: String::from_utf8_lossy(name).into_owned(),
        value: value.map(|v| BASE64.encode(v)),
    };
    ActualRecord {
        topic: topic.to_string(),
        key: text(source.map(|s| (&s.key_format, key_column(s))), key),
        value: text(source.map(|s| (&s.value_format, value_column(s))), record.value.as_deref()),
        timestamp: record.timestamp,
        window,
        headers: HeaderIter::new(&record.headers).map(header).collect(),
    }
}

/// Bytes as JSON: in their format where the topic has a source, in base64 for internal topics.
fn text_of(format: Option<(&FormatSpec, Option<&SqlType>)>, bytes: &[u8]) -> Box<RawValue> {
    let text = || String::from_utf8_lossy(bytes).into_owned();
    let Some((format, ty)) = format else { return quoted(&BASE64.encode(bytes)) };
    let number = match (format.format, ty) {
        (Format::Json | Format::JsonSr, _) => Some(text()),
        (Format::Kafka, Some(SqlType::Integer)) => bytes.try_into().ok().map(|b| i32::from_be_bytes(b).to_string()),
        (Format::Kafka, Some(SqlType::Bigint)) => bytes.try_into().ok().map(|b| i64::from_be_bytes(b).to_string()),
        (Format::Kafka, Some(SqlType::Double)) => bytes.try_into().ok().map(|b| flumen_types::format_double(f64::from_be_bytes(b))),
        (Format::Kafka, Some(SqlType::Bytes)) => return quoted(&BASE64.encode(bytes)),
        _ => None,
    };
    number.and_then(|n| RawValue::from_string(n).ok()).unwrap_or_else(|| quoted(&text()))
}

fn quoted(text: &str) -> Box<RawValue> {
    let json = serde_json::to_string(text).unwrap_or_default();
    RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
