//! Formats by name, with their settings, as plans and the catalog persist them. Crate `formats` reads and writes them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Field, FormatError};

pub use supports::supports;

mod supports;

/// How records are laid out in bytes. `Json` and its like are read and written here; some names are known but answered
/// with [`FormatError::Unsupported`] when used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Format {
    /// No key at all.
    None,
    /// One primitive column in Kafka's own big-endian form.
    Kafka,
    /// One CSV record.
    Delimited,
    /// JSON text.
    Json,
    /// JSON text behind a schema id.
    JsonSr,
    /// Avro behind a schema id.
    Avro,
    /// Protocol Buffers behind a schema id.
    Protobuf,
    /// Protocol Buffers of a schema derived from the columns.
    #[serde(rename = "PROTOBUF_NOSR")]
    ProtobufNoSr,
}

impl Format {
    /// Every format, as messages list them.
    pub const ALL: [Format; 8] = [
        Format::Avro,
        Format::Delimited,
        Format::Json,
        Format::JsonSr,
        Format::Kafka,
        Format::None,
        Format::Protobuf,
        Format::ProtobufNoSr,
    ];

    /// The name in properties and in `DESCRIBE`.
    pub fn name(self) -> &'static str {
        match self {
            Format::None => "NONE",
            Format::Kafka => "KAFKA",
            Format::Delimited => "DELIMITED",
            Format::Json => "JSON",
            Format::JsonSr => "JSON_SR",
            Format::Avro => "AVRO",
            Format::Protobuf => "PROTOBUF",
            Format::ProtobufNoSr => "PROTOBUF_NOSR",
        }
    }

    /// The format of this name, in any case.
    pub fn from_name(name: &str) -> Result<Format, FormatError> {
        let trimmed = name.trim();
        Format::ALL.into_iter().find(|f| f.name().eq_ignore_ascii_case(trimmed)).ok_or_else(|| {
            let known: Vec<&str> = Format::ALL.iter().map(|f| f.name()).collect();
            FormatError::Invalid(format!("unknown format '{trimmed}'; the formats are {}", known.join(", ")))
        })
    }

    /// False for formats whose name is known but which cannot be read or written yet.
    pub fn is_implemented(self) -> bool {
        matches!(self, Format::None | Format::Kafka | Format::Delimited | Format::Json)
    }

    /// Whether a single column can be written as a record of one field.
    pub fn can_wrap(self) -> bool {
        !matches!(self, Format::None | Format::Kafka | Format::Delimited)
    }

    /// Whether a single column can be written bare.
    pub fn can_unwrap(self) -> bool {
        !matches!(self, Format::None | Format::Protobuf)
    }

    /// Whether schemas of this format live in a schema registry.
    pub fn needs_registry(self) -> bool {
        matches!(self, Format::JsonSr | Format::Avro | Format::Protobuf)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A format with its settings, for the key or the value of one topic.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FormatSpec {
    /// The format.
    pub format: Format,
    /// DELIMITED only: the character between columns; a comma when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Only looked at where there is exactly one column: true writes it as a record of one field, false bare.
    #[serde(default)]
    pub wrap: bool,
}

impl FormatSpec {
    /// A format without settings; a single column is wrapped where that is the format's default for values.
    pub fn plain(format: Format) -> Self {
        FormatSpec { format, delimiter: None, wrap: format.can_wrap() }
    }

    /// The format of a key: a single key column is bare wherever the format can do that.
    pub fn key(format: Format, delimiter: Option<char>) -> Self {
        FormatSpec { format, delimiter, wrap: !format.can_unwrap() && format.can_wrap() }
    }

    /// The format of a value. `asked` is the statement's WRAP_SINGLE_VALUE, `default` the server's
    /// `ksql.persistence.wrap.single.values`. Asking is an error unless there is one column and the format can do it.
    pub fn value(
        format: Format,
        delimiter: Option<char>,
        asked: Option<bool>,
        default: Option<bool>,
        columns: &[Field],
    ) -> Result<Self, FormatError> {
        let can = |wrap: bool| if wrap { format.can_wrap() } else { format.can_unwrap() };
        if asked.is_some() && columns.len() != 1 {
            return Err(FormatError::Invalid(format!(
                "'WRAP_SINGLE_VALUE' is only valid for a value of a single column; this one has {}",
                columns.len()
            )));
        }
        if let Some(wrap) = asked.filter(|wrap| !can(*wrap)) {
            return Err(FormatError::Invalid(format!("format {format} does not support 'WRAP_SINGLE_VALUE' set to '{wrap}'")));
        }
        let wrap = asked.or(default.filter(|wrap| can(*wrap))).unwrap_or(format.can_wrap());
        Ok(FormatSpec { format, delimiter, wrap })
    }
}

/// Reads KEY_DELIMITER and VALUE_DELIMITER: one character, or the words `SPACE` and `TAB`.
pub fn parse_delimiter(text: &str) -> Result<char, FormatError> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some('"' | '\n' | '\r'), None) => Err(FormatError::Invalid("the delimiter cannot be a quote or a line break".to_string())),
        (Some(c), None) if !c.is_whitespace() => Ok(c),
        _ if text.eq_ignore_ascii_case("TAB") => Ok('\t'),
        _ if text.eq_ignore_ascii_case("SPACE") => Ok(' '),
        _ => Err(FormatError::Invalid(format!(
            "invalid delimiter value '{text}': it must be a single character; a tab or a space is written TAB or SPACE"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqlType;

    #[test]
    fn names_read_in_any_case() {
        assert_eq!(Format::from_name("json").unwrap(), Format::Json);
        assert_eq!(Format::from_name("Protobuf_NoSR").unwrap(), Format::ProtobufNoSr);
        let message = Format::from_name("XML").unwrap_err().to_string();
        assert!(message.contains("'XML'") && message.contains("AVRO, DELIMITED"), "{message}");
    }

    #[test]
    fn the_persisted_form_is_frozen() {
        let spec = FormatSpec { format: Format::Delimited, delimiter: Some('|'), wrap: false };
        let text = r#"{"format":"DELIMITED","delimiter":"|","wrap":false}"#;
        assert_eq!(serde_json::to_string(&spec).unwrap(), text);
        assert_eq!(serde_json::from_str::<FormatSpec>(text).unwrap(), spec);
        for format in Format::ALL {
            assert_eq!(serde_json::to_string(&format).unwrap(), format!("\"{}\"", format.name()));
        }
    }

    #[test]
    fn wrapping_follows_statement_then_server_then_format() {
        let one = [Field::new("A", SqlType::Integer)];
        let two = [Field::new("A", SqlType::Integer), Field::new("B", SqlType::Integer)];
        let wrap = |f, asked, default| FormatSpec::value(f, None, asked, default, &one).map(|s| s.wrap);
        assert!(wrap(Format::Json, None, None).unwrap());
        assert!(!wrap(Format::Json, None, Some(false)).unwrap());
        assert!(wrap(Format::Json, Some(true), Some(false)).unwrap());
        assert!(!wrap(Format::Delimited, None, Some(true)).unwrap());
        assert!(wrap(Format::Protobuf, None, Some(false)).unwrap());
        assert!(wrap(Format::Kafka, Some(true), None).is_err());
        assert!(!wrap(Format::Kafka, Some(false), None).unwrap());
        assert!(FormatSpec::value(Format::Json, None, Some(true), None, &two).is_err());
        assert!(!FormatSpec::key(Format::Json, None).wrap);
    }

    #[test]
    fn delimiters_are_one_character_or_a_word() {
        assert_eq!(parse_delimiter("|").unwrap(), '|');
        assert_eq!(parse_delimiter("tab").unwrap(), '\t');
        assert_eq!(parse_delimiter("SPACE").unwrap(), ' ');
        assert!(
            parse_delimiter("").is_err()
                && parse_delimiter(" ").is_err()
                && parse_delimiter("::").is_err()
                && parse_delimiter("\"").is_err()
        );
    }
}
