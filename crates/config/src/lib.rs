//! Every property of a Flumen server once: its name, type, default, scope and meaning.
//!
//! Names and defaults are ksqlDB's where it has the property, so that a ksqlDB server's file starts Flumen; Flumen's own
//! begin with `flumen.`. [`ServerConfig`] is what a server was started with; [`QueryConfig`] is what one query runs with,
//! after the overrides of its session. A name nobody knows is refused, with the nearest known one.

mod error;
mod names;
mod properties_file;
mod property;
mod query;
mod reader;
mod server;
mod table;

pub use error::ConfigError;
pub use names::{canonical, is_valid};
pub use properties_file::parse as parse_properties;
pub use property::{Effect, Kind, Property, Scope};
pub use query::{Guarantee, OffsetReset, QueryConfig};
pub use server::{Client, Entry, ProcessingLog, ServerConfig, Sources};
pub use table::all as properties;
