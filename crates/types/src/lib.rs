//! SQL types, values, schemas, names, time and window arithmetic, and the memcomparable key encoding.
//!
//! The vocabulary every other crate speaks. Rows travel as Arrow arrays; [`Value`] is for the single values of
//! literals, key look-ups and tests. Nothing here does I/O or reads a clock.

mod array;
mod decimal;
mod error;
mod format;
pub mod json_text;
mod key;
mod pattern;
mod schema;
mod sql_type;
mod text;
mod value;
mod window;
mod zone;

pub use array::{ColumnBuilder, arrow_type, column_of, empty_column, null_column, value_at};
pub use decimal::{Decimal, MAX_PRECISION};
pub use error::{FormatError, TypeError};
pub use format::{Format, FormatSpec, parse_delimiter, supports};
pub use key::{KeyRows, decode_key, encode_key, encode_rows};
pub use pattern::TimePattern;
pub use schema::{Column, Namespace, PseudoColumn, Schema};
pub use sql_type::{Field, SqlType};
pub use text::{display_value, format_date, format_double, format_time, format_timestamp, parse_date, parse_time, parse_timestamp};
pub use value::Value;
pub use window::{Window, WindowKind, WindowSpec, hopping_starts};
pub use zone::Zone;

/// Writes a name as SQL text that parses back to it: as it is when upper-case and plain, else in back-ticks.
pub fn quote_name(name: &str) -> String {
    let plain = name.chars().next().is_some_and(|c| c.is_ascii_uppercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    if plain { name.to_string() } else { back_tick(name) }
}

/// Writes a name in back-ticks, doubling those inside, as schemas and command ids show it.
pub fn back_tick(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}
