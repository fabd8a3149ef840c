//! Sources, types and queries, as a pure function of the command log.
//!
//! A [`Catalog`] is an immutable value; [`Catalog::apply`] makes the next one from a [`Command`]. Every node that applies
//! the same commands has the same catalog, and a clone serves as the sandbox in which a request is tried first.

mod apply;
mod catalog;
mod command;
mod error;
mod nearest;
mod query;
mod source;
mod upgrade;

pub use apply::Change;
pub use catalog::Catalog;
pub use command::{Command, Ddl, QueryTarget};
pub use error::CatalogError;
pub use nearest::nearest;
pub use query::QueryDef;
pub use source::{SourceDef, kind_name};
