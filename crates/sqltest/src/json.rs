//! JSON with its numbers as written, for comparing what was expected with what came out.

use std::fmt;

use flumen_types::Decimal;
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON value; numbers keep their text, objects their order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads JSON text.
    pub(crate) fn parse(text: &str) -> Result<Json, serde_json::Error> {
        let text = text.trim();
        Ok(match text.as_bytes().first() {
            Some(b'n') => serde_json::from_str::<()>(text).map(|()| Json::Null)?,
            Some(b't' | b'f') => Json::Bool(serde_json::from_str(text)?),
            Some(b'"') => Json::Text(serde_json::from_str(text)?),
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text)?;
                Json::List(items.into_iter().map(|i| Json::parse(i.get())).collect::<Result<_, _>>()?)
            }
            Some(b'{') => {
                let Entries(entries) = serde_json::from_str(text)?;
                let entry = |(k, v): (String, Box<RawValue>)| Ok((k, Json::parse(v.get())?));
                Json::Object(entries.into_iter().map(entry).collect::<Result<_, serde_json::Error>>()?)
            }
            _ => {
                let _: serde_json::Number = serde_json::from_str(text)?;
                Json::Number(text.to_string())
            }
        })
    }
}

struct Entries(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// Whether what came out is what was expected: numbers within 1e-9 of their size, a number given as text equal to a
/// decimal of that value, an object's fields by name or by the name in upper case and as many of them.
pub(crate) fn same(expected: &Json, actual: &Json) -> bool {
    match (expected, actual) {
        (Json::Number(e), Json::Number(a)) => same_number(e, a),
        (Json::Number(n), Json::Text(t)) | (Json::Text(t), Json::Number(n)) => match (decimal(n), decimal(t)) {
            (Some(n), Some(t)) => n.compare(&t).is_eq(),
            _ => false,
        },
        (Json::List(e), Json::List(a)) => e.len() == a.len() && e.iter().zip(a).all(|(e, a)| same(e, a)),
        (Json::Object(e), Json::Object(a)) => {
            let find = |name: &str| a.iter().find(|(k, _)| k == name).map(|(_, v)| v);
            let missing = Json::Null;
            e.len() == a.len()
                && e.iter().all(|(name, value)| same(value, find(name).or_else(|| find(&name.to_uppercase())).unwrap_or(&missing)))
        }
        _ => expected == actual,
    }
}

fn decimal(text: &str) -> Option<Decimal> {
    text.trim().parse().ok()
}

fn same_number(expected: &str, actual: &str) -> bool {
    if let (Some(e), Some(a)) = (decimal(expected), decimal(actual))
        && e.compare(&a).is_eq()
    {
        return true;
    }
    match (expected.parse::<f64>(), actual.parse::<f64>()) {
        (Ok(e), Ok(a)) => (e - a).abs() <= 1e-9 * e.abs().max(a.abs()).max(1.0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(expected: &str, actual: &str) -> bool {
        same(&Json::parse(expected).unwrap(), &Json::parse(actual).unwrap())
    }

    #[test]
    fn values_compare_by_value() {
        assert!(is_same("1.0", "1"));
        assert!(is_same("1E2", "100"));
        assert!(is_same("0.1234567891", "0.12345678912"));
        assert!(!is_same("1", "2"));
        assert!(is_same("\"1.50\"", "1.50"));
        assert!(is_same(r#"{"a":[1,null]}"#, r#"{"A":[1,null]}"#));
        assert!(!is_same(r#"{"a":1}"#, r#"{"A":1,"B":2}"#));
        assert!(!is_same("null", "0"));
        assert!(!is_same("\"a\"", "\"b\""));
    }

    #[test]
    fn long_numbers_keep_their_digits() {
        assert!(is_same("123456789012345678901234567890", "123456789012345678901234567890.0"));
        assert!(!is_same("123456789012345678901234567890", "123456799012345678901234567890"));
        assert_eq!(Json::parse("1.10").unwrap(), Json::Number("1.10".into()));
        assert!(Json::parse("{").is_err());
    }
}
