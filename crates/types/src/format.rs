//! How the bytes of a key or a value are to be read and written, as plans and the catalog persist it.
//!
//! Crate `formats` turns a [`FormatSpec`] into decoders and encoders and knows what each format supports; this is only its
//! description, here because plans, which may not depend on `formats`, carry it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::TypeError;

/// A serialization format of keys or values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Format {
    None,
    Kafka,
    Delimited,
    Json,
    JsonSr,
    Avro,
    Protobuf,
    ProtobufNosr,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 8] = [
        Format::None,
        Format::Kafka,
        Format::Delimited,
        Format::Json,
        Format::JsonSr,
        Format::Avro,
        Format::Protobuf,
        Format::ProtobufNosr,
    ];

    /// The name as properties and the API write it.
    pub fn name(self) -> &'static str {
        match self {
            Format::None => "NONE",
            Format::Kafka => "KAFKA",
            Format::Delimited => "DELIMITED",
            Format::Json => "JSON",
            Format::JsonSr => "JSON_SR",
            Format::Avro => "AVRO",
            Format::Protobuf => "PROTOBUF",
            Format::ProtobufNosr => "PROTOBUF_NOSR",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = TypeError;

    /// Reads a format's name in any case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Format::ALL.into_iter().find(|f| f.name().eq_ignore_ascii_case(text)).ok_or_else(|| TypeError::Unreadable {
            text: text.to_string(),
            wanted: "a format".to_string(),
            why: format!("known formats are {}", Format::ALL.map(Format::name).join(", ")),
        })
    }
}

/// The format of one side of a record with its settings.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FormatSpec {
    /// The format.
    pub format: Format,
    /// DELIMITED: the field separator, `,` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// A single column written as an object of one field (true) or bare (false); meaningless with several columns.
    pub wrapped: bool,
}

impl FormatSpec {
    /// The value format with its own default of wrapping: JSON, JSON_SR, AVRO and the PROTOBUFs wrap, the others do not.
    pub fn value(format: Format) -> Self {
        let wrapped = !matches!(format, Format::None | Format::Kafka | Format::Delimited);
        FormatSpec { format, delimiter: None, wrapped }
    }

    /// The key format: single columns are bare wherever the format can (PROTOBUF cannot).
    pub fn key(format: Format) -> Self {
        FormatSpec { format, delimiter: None, wrapped: format == Format::Protobuf }
    }
}
