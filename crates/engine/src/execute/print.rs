//! PRINT: the records of a topic as text, their formats guessed.

use flumen_parser::ast::Print;

use crate::engine::Shared;
use crate::{EngineError, RawRecord, TopicReader};

/// Prints a topic for one client.
pub struct Printer {
    reader: Box<dyn TopicReader>,
    interval: u64,
    left: Option<u64>,
    seen: u64,
    said_formats: bool,
}

impl Shared {
    pub(super) fn print(&self, print: &Print) -> Result<Printer, EngineError> {
        let topic = &print.topic.value;
        if self.env.topics.describe(topic)?.is_none() {
            let names: Vec<String> = self.env.topics.list()?.into_iter().map(|t| t.name).collect();
            let near = flumen_catalog::nearest(topic, names.iter().map(String::as_str));
            let hint = near.map(|n| format!(" Did you mean {n}?")).unwrap_or_default();
            return Err(EngineError::statement(format!(
                "Could not find topic '{topic}', or the KSQL user does not have permissions to list the topic. Topic names are case-sensitive.{hint}"
            )));
        }
        let reader = self.env.topics.read(topic, print.from_beginning)?;
        let interval = print.interval.unwrap_or(1).max(1);
        Ok(Printer { reader, interval, left: print.limit, seen: 0, said_formats: false })
    }
}

impl Printer {
    /// The next lines, waiting a moment for records: empty when none came, `None` when LIMIT is reached.
    pub fn next_lines(&mut self) -> Result<Option<Vec<String>>, EngineError> {
        if self.left == Some(0) {
            return Ok(None);
        }
        let mut lines = Vec::new();
        for record in self.reader.read()? {
            let chosen = self.seen.is_multiple_of(self.interval);
            self.seen += 1;
            if !chosen {
                continue;
            }
            if !self.said_formats {
                lines.push(format!("Key format: {}", guess(record.key.as_deref()).name()));
                lines.push(format!("Value format: {}", guess(record.value.as_deref()).name()));
                self.said_formats = true;
            }
            lines.push(line(&record));
            if let Some(left) = &mut self.left {
                *left -= 1;
                if *left == 0 {
                    break;
                }
            }
        }
        Ok(Some(lines))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Guess {
    Json,
    Text,
    Int,
    Bigint,
    Unknown,
}

impl Guess {
    fn name(self) -> &'static str {
        match self {
            Guess::Json => "JSON",
            Guess::Text => "KAFKA_STRING",
            Guess::Int => "KAFKA_INT",
            Guess::Bigint => "KAFKA_BIGINT or KAFKA_DOUBLE",
            Guess::Unknown => "¯\\_(ツ)_/¯ - no data processed",
        }
    }
}

fn guess(bytes: Option<&[u8]>) -> Guess {
    let Some(bytes) = bytes else { return Guess::Unknown };
    match std::str::from_utf8(bytes) {
        Ok(text) if text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() => Guess::Json,
        Ok(text) if !text.chars().any(|c| c.is_control() && !c.is_whitespace()) => Guess::Text,
        _ if bytes.len() == 4 => Guess::Int,
        _ if bytes.len() == 8 => Guess::Bigint,
        _ => Guess::Text,
    }
}

fn shown(bytes: Option<&[u8]>) -> String {
    let Some(bytes) = bytes else { return "<null>".to_string() };
    match guess(Some(bytes)) {
        Guess::Int => bytes.try_into().map(|b| i32::from_be_bytes(b).to_string()).unwrap_or_default(),
        Guess::Bigint => bytes.try_into().map(|b| i64::from_be_bytes(b).to_string()).unwrap_or_default(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn line(record: &RawRecord) -> String {
    let time = flumen_types::format_timestamp(record.timestamp).replace('-', "/").replace('T', " ");
    let (key, value) = (shown(record.key.as_deref()), shown(record.value.as_deref()));
    format!("rowtime: {time} Z, key: {key}, value: {value}, partition: {}", record.partition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_guessed() {
        assert_eq!(guess(Some(b"{\"a\":1}")), Guess::Json);
        assert_eq!(guess(Some(b"{broken")), Guess::Text);
        assert_eq!(guess(Some(&[0, 0, 0, 7])), Guess::Int);
        assert_eq!(shown(Some(&[0, 0, 0, 7])), "7");
        assert_eq!(guess(Some(&7i64.to_be_bytes())), Guess::Bigint);
        assert_eq!(shown(None), "<null>");
    }

    #[test]
    fn a_record_is_one_line() {
        let record = RawRecord { partition: 2, offset: 0, timestamp: 0, key: None, value: Some(b"x".to_vec()) };
        assert_eq!(line(&record), "rowtime: 1970/01/01 00:00:00.000 Z, key: <null>, value: x, partition: 2");
    }
}
