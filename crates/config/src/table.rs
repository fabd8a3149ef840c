//! The table of all properties, by subject.

mod client;
mod engine;
mod own;
mod pull;
mod server;
mod streams;

use crate::property::Property;

pub(crate) use client::{FREE, NAMES as CLIENT_NAMES};

/// No upper bound.
const MAX: i64 = i64::MAX;
/// The largest value of a 32-bit number, ksqlDB's "unlimited".
const INT: i64 = i32::MAX as i64;

const TABLES: [&[Property]; 5] = [engine::TABLE, pull::TABLE, server::TABLE, streams::TABLE, own::TABLE];

/// Every property that has a type and a default.
pub fn all() -> impl Iterator<Item = &'static Property> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// The property of exactly this name.
pub(crate) fn find(name: &str) -> Option<&'static Property> {
    all().find(|p| p.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_defaults_fit() {
        let mut seen = std::collections::BTreeSet::new();
        for property in all() {
            assert!(seen.insert(property.name), "{} occurs twice", property.name);
            assert!(!property.text.is_empty(), "{} has no text", property.name);
            if let Some(default) = property.default {
                assert_eq!(property.check(default).expect("a valid default"), default, "{}", property.name);
            }
        }
    }
}
