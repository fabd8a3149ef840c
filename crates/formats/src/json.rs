//! The JSON format: objects by column name, or the bare value of a single column.

mod lookup;
mod read;
mod write;

pub(crate) use lookup::Lookup;
pub(crate) use read::{read_object, read_value};
pub(crate) use write::{Record, Shape, write_base64};
