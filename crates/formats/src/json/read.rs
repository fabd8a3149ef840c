//! JSON text to builders: a visitor driven by the columns, so that only what is wanted is built.

use std::fmt;

use ahash::HashSet;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flumen_types::SqlType;
use flumen_types::json_text::{compact, read_string};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use serde_json::value::RawValue;

use super::lookup::{Lookup, Seen, Target};
use crate::builders::{Builder, Cells, RecordBuilder};
use crate::number::{read_decimal, read_decimal128, read_double};
use crate::{DecodeError, Presence};

/// Reads an object with a field per column.
pub(crate) fn read_object(bytes: &[u8], record: &mut RecordBuilder) -> Result<Presence, DecodeError> {
    let mut json = serde_json::Deserializer::from_str(text(bytes)?);
    let read = RecordSeed(record).deserialize(&mut json).and_then(|presence| json.end().map(|()| presence));
    read.map_err(|e| DecodeError { column: record.take_failed(), reason: reason(&e) })
}

/// Reads the bare value of the only column.
pub(crate) fn read_value(bytes: &[u8], record: &mut RecordBuilder) -> Result<Presence, DecodeError> {
    let row = record.rows;
    let mut json = serde_json::Deserializer::from_str(text(bytes)?);
    let read = match record.columns.first_mut() {
        Some(Some(column)) => CellSeed(column).deserialize(&mut json).map(|()| column.valid.is_valid(row)),
        _ => Option::<IgnoredAny>::deserialize(&mut json).map(|v| v.is_some()),
    };
    match read.and_then(|present| json.end().map(|()| present)) {
        Ok(present) => {
            record.rows += 1;
            Ok(if present { Presence::Value } else { Presence::Null })
        }
        Err(e) => {
            record.failed = Some(0);
            Err(DecodeError { column: record.take_failed(), reason: reason(&e) })
        }
    }
}

/// The record as text: checked once as a whole, its strings are not checked again one by one.
fn text(bytes: &[u8]) -> Result<&str, DecodeError> {
    let wrong = |e: std::str::Utf8Error| DecodeError {
        column: None,
        reason: format!("not well-formed JSON: not UTF-8 at byte {}", e.valid_up_to()),
    };
    std::str::from_utf8(bytes).map_err(wrong)
}

fn reason(error: &serde_json::Error) -> String {
    match error.classify() {
        serde_json::error::Category::Data => error.to_string(),
        _ => format!("not well-formed JSON: {error}"),
    }
}

/// Reads one record, or `null`, into the next row.
struct RecordSeed<'a>(&'a mut RecordBuilder);

impl<'de> DeserializeSeed<'de> for RecordSeed<'_> {
    type Value = Presence;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Presence, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for RecordSeed<'_> {
    type Value = Presence;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_unit<E: Error>(self) -> Result<Presence, E> {
        self.0.push_null();
        Ok(Presence::Null)
    }

    // Errors name the kind of value found, not the value: row data is not for logs.
    fn visit_bool<E: Error>(self, _: bool) -> Result<Presence, E> {
        Err(E::invalid_type(Unexpected::Other("boolean"), &self))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Presence, E> {
        Err(E::invalid_type(Unexpected::Other("number"), &self))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Presence, E> {
        Err(E::invalid_type(Unexpected::Other("number"), &self))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Presence, E> {
        Err(E::invalid_type(Unexpected::Other("number"), &self))
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Presence, E> {
        Err(E::invalid_type(Unexpected::Other("text"), &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Presence, A::Error> {
        read_fields(self.0, map)?;
        Ok(Presence::Value)
    }
}

/// Fills the next row from an object. An exact name beats an upper-cased one wherever it stands; of equal exact names
/// the last counts, of upper-cased ones the first; what is missing is NULL.
fn read_fields<'de, A: MapAccess<'de>>(record: &mut RecordBuilder, mut map: A) -> Result<(), A::Error> {
    record.lookup.seen.fill(Seen::No);
    record.failed = None;
    let row = record.rows;
    let mut at = 0;
    while let Some(target) = map.next_key_seed(NameSeed { lookup: &mut record.lookup, at })? {
        at += 1;
        let (i, seen) = match target {
            Target::Skip => {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            Target::Exact(i) => (i, Seen::Exact),
            Target::Folded(i) => (i, Seen::Folded),
        };
        let before = record.lookup.seen.get(i).copied().unwrap_or(Seen::No);
        match record.columns.get_mut(i) {
            Some(Some(column)) if before == Seen::No || seen == Seen::Exact => {
                if before != Seen::No {
                    column.truncate(row);
                }
                if let Err(e) = map.next_value_seed(CellSeed(column)) {
                    record.failed = Some(i);
                    return Err(e);
                }
                if let Some(mark) = record.lookup.seen.get_mut(i) {
                    *mark = seen;
                }
            }
            _ => {
                map.next_value::<IgnoredAny>()?;
            }
        }
    }
    for (column, seen) in record.columns.iter_mut().zip(&record.lookup.seen) {
        if let Some(column) = column
            && *seen == Seen::No
        {
            column.push_null();
        }
    }
    record.rows += 1;
    Ok(())
}

/// Resolves a field name without keeping it.
struct NameSeed<'a> {
    lookup: &'a mut Lookup,
    at: usize,
}

impl<'de> DeserializeSeed<'de> for NameSeed<'_> {
    type Value = Target;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Target, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for NameSeed<'_> {
    type Value = Target;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Target, E> {
        Ok(self.lookup.target(self.at, name))
    }
}

/// Reads one cell of a column.
struct CellSeed<'a>(&'a mut Builder);

impl<'de> DeserializeSeed<'de> for CellSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.0.cells {
            // Their value depends on the very text: the digits of a decimal, the rendering of anything as a string.
            Cells::String(_) | Cells::Decimal128 { .. } | Cells::Decimal256 { .. } => {
                let raw = <&RawValue>::deserialize(deserializer)?;
                push_raw(self.0, raw.get()).map_err(D::Error::custom)
            }
            _ => deserializer.deserialize_any(self),
        }
    }
}

const BAD_STRING: &str = "text with a bad escape";

/// Appends the text of a JSON value to a STRING or DECIMAL column.
fn push_raw(column: &mut Builder, raw: &str) -> Result<(), String> {
    if raw == "null" {
        column.push_null();
        return Ok(());
    }
    let first = raw.as_bytes().first().copied().unwrap_or(b' ');
    let numeric = |raw| match first {
        b'"' => read_string(raw).ok_or_else(|| BAD_STRING.to_string()),
        b'-' | b'0'..=b'9' => Ok(raw.into()),
        _ => Err("a value that is not a number".to_string()),
    };
    match &mut column.cells {
        Cells::String(spans) => {
            match first {
                b'"' => {
                    let text = read_string(raw).ok_or(BAD_STRING)?;
                    spans.bytes.extend_from_slice(text.as_bytes());
                }
                b'{' | b'[' => compact(raw, &mut spans.bytes),
                _ => spans.bytes.extend_from_slice(raw.as_bytes()),
            }
            spans.end_cell().map_err(|e| e.to_string())?;
        }
        Cells::Decimal128 { values, precision, scale } => {
            values.push(read_decimal128(numeric(raw)?.as_ref(), *precision, *scale)?);
        }
        Cells::Decimal256 { values, precision, scale } => {
            values.push(read_decimal(numeric(raw)?.as_ref(), *precision, *scale)?);
        }
        _ => return Err("a value of another type".to_string()),
    }
    column.valid.append_non_null();
    Ok(())
}

impl CellSeed<'_> {
    fn type_name(&self) -> &'static str {
        match self.0.cells {
            Cells::Boolean(_) => SqlType::Boolean.base_name(),
            Cells::Int(_) => SqlType::Integer.base_name(),
            Cells::Long(_) => SqlType::Bigint.base_name(),
            Cells::Double(_) => SqlType::Double.base_name(),
            Cells::Decimal128 { .. } | Cells::Decimal256 { .. } => "DECIMAL",
            Cells::String(_) => SqlType::String.base_name(),
            Cells::Bytes(_) => "BYTES in base64",
            Cells::Time(_) => "TIME in milliseconds of the day",
            Cells::Date(_) => "DATE in epoch days",
            Cells::Timestamp(_) => "TIMESTAMP in epoch milliseconds",
            Cells::List { .. } => "ARRAY",
            Cells::Map { .. } => "MAP",
            Cells::Struct { .. } => "STRUCT",
        }
    }

    fn unexpected<E: Error>(&self, found: &str) -> E {
        E::custom(format_args!("found {found} where {} is wanted", self.type_name()))
    }

    fn push_whole<E: Error>(self, n: i64) -> Result<(), E> {
        let narrow = i32::try_from(n);
        match &mut self.0.cells {
            Cells::Int(v) | Cells::Time(v) | Cells::Date(v) => match narrow {
                Ok(n) => v.push(n),
                Err(_) => return Err(self.unexpected("a number out of range")),
            },
            Cells::Long(v) | Cells::Timestamp(v) => v.push(n),
            Cells::Double(v) => v.push(n as f64),
            _ => return Err(self.unexpected("a number")),
        }
        self.0.valid.append_non_null();
        Ok(())
    }
}

impl<'de> Visitor<'de> for CellSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.type_name())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.push_null();
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        let Cells::Boolean(b) = &mut self.0.cells else { return Err(self.unexpected("a boolean")) };
        b.append(value);
        self.0.valid.append_non_null();
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.push_whole(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        match i64::try_from(value) {
            Ok(n) => self.push_whole(n),
            Err(_) => self.visit_f64(value as f64),
        }
    }

    /// A fraction is cut off in a whole-number column, as a JSON number's `intValue` is in Java.
    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        const EDGE: f64 = 9_223_372_036_854_775_808.0;
        match &mut self.0.cells {
            Cells::Double(v) => {
                v.push(value);
                self.0.valid.append_non_null();
                Ok(())
            }
            Cells::Int(_) | Cells::Long(_) | Cells::Time(_) | Cells::Date(_) | Cells::Timestamp(_) => {
                if value > -EDGE && value < EDGE {
                    self.push_whole(value as i64)
                } else {
                    Err(self.unexpected("a number out of range"))
                }
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        match &mut self.0.cells {
            Cells::Bytes(spans) => {
                if BASE64.decode_vec(text, &mut spans.bytes).is_err() {
                    return Err(self.unexpected("text that is not base64"));
                }
                spans.end_cell().map_err(E::custom)?;
                self.0.valid.append_non_null();
                Ok(())
            }
            Cells::Int(_) | Cells::Long(_) | Cells::Time(_) | Cells::Date(_) | Cells::Timestamp(_) => match text.parse() {
                Ok(n) => self.push_whole(n),
                Err(_) => Err(self.unexpected("text")),
            },
            Cells::Double(v) => match read_double(text) {
                Some(n) => {
                    v.push(n);
                    self.0.valid.append_non_null();
                    Ok(())
                }
                None => Err(self.unexpected("text")),
            },
            _ => Err(self.unexpected("text")),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Cells::List { ends, items, .. } = &mut self.0.cells else { return Err(self.unexpected("an array")) };
        while seq.next_element_seed(CellSeed(items))?.is_some() {}
        ends.push(i32::try_from(items.len()).map_err(|_| A::Error::custom("too many elements in one chunk"))?);
        self.0.valid.append_non_null();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        match &mut self.0.cells {
            Cells::Struct { record, .. } => read_fields(record, map)?,
            Cells::Map { ends, keys, values, .. } => {
                let first = keys.len();
                while map.next_key_seed(MapKeySeed(keys))?.is_some() {
                    map.next_value_seed(CellSeed(values))?;
                }
                if has_double_key(keys, first) {
                    return Err(A::Error::custom("the same key stands twice in a MAP"));
                }
                ends.push(i32::try_from(keys.len()).map_err(|_| A::Error::custom("too many entries in one chunk"))?);
            }
            _ => return Err(self.unexpected("an object")),
        }
        self.0.valid.append_non_null();
        Ok(())
    }
}

/// Appends the key of a map entry.
struct MapKeySeed<'a>(&'a mut Builder);

impl<'de> DeserializeSeed<'de> for MapKeySeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for MapKeySeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<(), E> {
        let Cells::String(spans) = &mut self.0.cells else { return Err(E::custom("JSON maps have STRING keys only")) };
        spans.bytes.extend_from_slice(key.as_bytes());
        spans.end_cell().map_err(E::custom)?;
        self.0.valid.append_non_null();
        Ok(())
    }
}

/// Whether two of the keys from `first` on are the same.
fn has_double_key(keys: &Builder, first: usize) -> bool {
    let Cells::String(spans) = &keys.cells else { return false };
    let key = |i: usize| {
        let bounds = (spans.ends.get(i).copied(), spans.ends.get(i + 1).copied());
        match bounds {
            (Some(start), Some(end)) => spans.bytes.get(start as usize..end as usize).unwrap_or_default(),
            _ => &[],
        }
    };
    let len = keys.len();
    if len - first <= 8 {
        return (first..len).any(|i| (first..i).any(|j| key(i) == key(j)));
    }
    let mut set: HashSet<&[u8]> = HashSet::with_capacity_and_hasher(len - first, Default::default());
    (first..len).any(|i| !set.insert(key(i)))
}
