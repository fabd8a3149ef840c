//! From a name as someone wrote it to the one property it means.

use crate::property::Property;
use crate::table::{self, CLIENT_NAMES, FREE};
use crate::{ConfigError, Scope};

/// The prefix of what ksqlDB passes to Kafka Streams.
pub(crate) const STREAMS: &str = "ksql.streams.";

/// Prefixes, below [`STREAMS`] or without it, that address one kind of Kafka client.
const CLIENTS: [&str; 6] = ["main.consumer.", "restore.consumer.", "global.consumer.", "consumer.", "producer.", "admin."];

/// What a name means.
pub(crate) enum Meaning {
    /// A property of the table.
    Known(&'static Property),
    /// A property of a Kafka client, under its full name.
    Client(String),
    /// A name below one of the free prefixes.
    Free(String),
}

impl Meaning {
    /// The full name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Meaning::Known(property) => property.name,
            Meaning::Client(name) | Meaning::Free(name) => name,
        }
    }

    /// Where it can be set.
    pub(crate) fn scope(&self) -> Scope {
        match self {
            Meaning::Known(property) => property.scope,
            Meaning::Client(name) if name.contains(".ssl.") || name.contains(".sasl.") => Scope::Server,
            Meaning::Client(_) => Scope::Query,
            Meaning::Free(name) if name.starts_with("ksql.functions.") || name.starts_with("ksql.streams.topic.") => Scope::Query,
            Meaning::Free(_) => Scope::Server,
        }
    }

    /// Checks a value.
    pub(crate) fn check(&self, value: &str) -> Result<String, ConfigError> {
        match self {
            Meaning::Known(property) => property.check(value),
            Meaning::Client(_) | Meaning::Free(_) => Ok(value.trim().to_owned()),
        }
    }
}

/// Finds what a name means; `ksql.streams.` may be there or not.
pub(crate) fn meaning(name: &str) -> Result<Meaning, ConfigError> {
    let name = name.trim();
    let bare = name.strip_prefix(STREAMS).unwrap_or(name);
    if let Some(property) = table::find(name).or_else(|| table::find(&format!("{STREAMS}{bare}"))).or_else(|| table::find(bare)) {
        return Ok(Meaning::Known(property));
    }
    let (client, rest) = CLIENTS.iter().find_map(|c| Some((*c, bare.strip_prefix(c)?))).unwrap_or(("", bare));
    let of_streams = !client.is_empty() && table::find(&format!("{STREAMS}{rest}")).is_some();
    if CLIENT_NAMES.contains(&rest) || of_streams || (!client.is_empty() && rest == "bootstrap.servers") {
        return Ok(Meaning::Client(format!("{STREAMS}{client}{rest}")));
    }
    if FREE.iter().any(|prefix| name.len() > prefix.len() && name.starts_with(prefix)) {
        return Ok(Meaning::Free(name.to_owned()));
    }
    Err(ConfigError::Unknown { name: name.to_owned(), nearest: nearest(name) })
}

/// The full name of the property that a name means.
///
/// # Errors
/// When no property has the name.
pub fn canonical(name: &str) -> Result<String, ConfigError> {
    meaning(name).map(|m| m.name().to_owned())
}

/// True if some property has the name, with or without its prefix.
pub fn is_valid(name: &str) -> bool {
    meaning(name).is_ok()
}

/// The known name that takes the fewest edits, if those are few for its length. Names without the prefix are offered to who
/// wrote none.
fn nearest(name: &str) -> Option<String> {
    let bare = name.strip_prefix(STREAMS);
    let prefix = if bare.is_some() { STREAMS } else { "" };
    let wanted = bare.unwrap_or(name);
    let known = table::all().flat_map(|p| [p.name, p.name.strip_prefix(STREAMS).unwrap_or(p.name)]).chain(CLIENT_NAMES.iter().copied());
    let limit = (wanted.len() / 4).clamp(1, 5);
    let (edits, best) = known.map(|k| (distance(wanted, k), k)).min()?;
    (edits <= limit)
        .then(|| if best.starts_with("ksql.") || table::find(best).is_some() { best.to_owned() } else { format!("{prefix}{best}") })
}

/// Levenshtein's distance in bytes.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (y, cell) in b.bytes().zip(row.iter_mut().skip(1)) {
            let edit = (diagonal + usize::from(x != y)).min(left + 1).min(*cell + 1);
            diagonal = std::mem::replace(cell, edit);
            left = edit;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(name: &str) -> String {
        canonical(name).expect("a known name")
    }

    #[test]
    fn the_streams_prefix_may_be_left_out() {
        assert_eq!(full("commit.interval.ms"), "ksql.streams.commit.interval.ms");
        assert_eq!(full("ksql.streams.commit.interval.ms"), "ksql.streams.commit.interval.ms");
        assert_eq!(full("ksql.streams.bootstrap.servers"), "bootstrap.servers");
        assert_eq!(full("fetch.min.bytes"), "ksql.streams.fetch.min.bytes");
        assert_eq!(full("consumer.fetch.min.bytes"), "ksql.streams.consumer.fetch.min.bytes");
        assert_eq!(full("ksql.streams.producer.linger.ms"), "ksql.streams.producer.linger.ms");
        assert_eq!(full("ksql.streams.consumer.auto.offset.reset"), "ksql.streams.consumer.auto.offset.reset");
    }

    #[test]
    fn free_prefixes_take_any_name() {
        assert_eq!(full("ksql.schema.registry.basic.auth.user.info"), "ksql.schema.registry.basic.auth.user.info");
        assert!(!is_valid("ksql.schema.registry."));
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest() {
        let nearest = |name: &str| match meaning(name) {
            Err(ConfigError::Unknown { nearest, .. }) => nearest,
            _ => Some("it is known".to_owned()),
        };
        assert_eq!(nearest("auto.ofset.reset").as_deref(), Some("auto.offset.reset"));
        assert_eq!(nearest("ksql.servce.id").as_deref(), Some("ksql.service.id"));
        assert_eq!(nearest("ksql.streams.linger.mss").as_deref(), Some("ksql.streams.linger.ms"));
        assert_eq!(nearest("something.else.entirely"), None);
    }

    #[test]
    fn distance_counts_edits() {
        for (a, b, edits) in [("", "", 0), ("abc", "", 3), ("", "ab", 2), ("kitten", "sitting", 3), ("abc", "abc", 0)] {
            assert_eq!(distance(a, b), edits, "{a} {b}");
        }
    }
}
