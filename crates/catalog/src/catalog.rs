//! The catalog: an immutable value with cheap clones, and its look-ups.

mod constraints;

use std::collections::BTreeMap;
use std::sync::Arc;

use flumen_plan::{QueryId, QueryKind};
use flumen_types::{SqlType, back_tick};

use crate::{CatalogError, QueryDef, SourceDef, nearest};

/// All sources, custom types and persistent queries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalog {
    pub(crate) sources: Arc<BTreeMap<String, Arc<SourceDef>>>,
    pub(crate) types: Arc<BTreeMap<String, SqlType>>,
    pub(crate) queries: Arc<BTreeMap<QueryId, Arc<QueryDef>>>,
}

impl Catalog {
    /// An empty catalog.
    pub fn new() -> Self {
        Catalog::default()
    }

    /// The source of this exact name.
    pub fn source(&self, name: &str) -> Option<&Arc<SourceDef>> {
        self.sources.get(name)
    }

    /// The source of this exact name, or an error that offers the nearest one.
    pub fn require_source(&self, name: &str) -> Result<&Arc<SourceDef>, CatalogError> {
        self.source(name).ok_or_else(|| CatalogError::refused(format!("{} does not exist.{}", back_tick(name), self.hint(name))))
    }

    /// "Did you mean …?" for an unknown source, with a leading space; empty when nothing is near.
    pub fn hint(&self, name: &str) -> String {
        match nearest(name, self.sources.keys().map(String::as_str)) {
            Some(near) if near.to_uppercase() == name.to_uppercase() && near != near.to_uppercase() => {
                format!(" Did you mean \"{near}\"? Hint: wrap the source name in double quotes to make it case-sensitive")
            }
            Some(near) if near.to_uppercase() == name.to_uppercase() => {
                format!(" Did you mean {near}? Hint: try removing double quotes from the source name.")
            }
            Some(near) => format!(" Did you mean {}?", flumen_types::quote_name(near)),
            None => String::new(),
        }
    }

    /// All sources by name.
    pub fn sources(&self) -> impl Iterator<Item = &Arc<SourceDef>> {
        self.sources.values()
    }

    /// The custom type of this name.
    pub fn custom_type(&self, name: &str) -> Option<&SqlType> {
        self.types.get(name)
    }

    /// All custom types by name.
    pub fn types(&self) -> impl Iterator<Item = (&str, &SqlType)> {
        self.types.iter().map(|(name, ty)| (name.as_str(), ty))
    }

    /// All persistent queries by id.
    pub fn queries(&self) -> impl Iterator<Item = &Arc<QueryDef>> {
        self.queries.values()
    }

    /// The query of this id, ignoring case.
    pub fn query(&self, id: &str) -> Option<&Arc<QueryDef>> {
        let exact = self.queries.values().find(|q| q.id.0 == id);
        exact.or_else(|| self.queries.values().find(|q| q.id.0.eq_ignore_ascii_case(id)))
    }

    /// Queries that read the source.
    pub fn readers<'a>(&'a self, source: &'a str) -> impl Iterator<Item = &'a Arc<QueryDef>> {
        self.queries.values().filter(move |q| q.reads(source))
    }

    /// Queries that write the source.
    pub fn writers<'a>(&'a self, source: &'a str) -> impl Iterator<Item = &'a Arc<QueryDef>> {
        self.queries.values().filter(move |q| q.writes(source))
    }

    /// The query whose store pull queries on this table read: the one that writes it, or that materialises a SOURCE
    /// table. `None` also when several queries write it.
    pub fn materializing_query<'a>(&'a self, source: &'a str) -> Option<&'a Arc<QueryDef>> {
        let mut writers = self.writers(source);
        match (writers.next(), writers.next()) {
            (Some(one), None) => Some(one),
            (None, _) => self.queries.values().find(|q| q.plan.kind == QueryKind::SourceTable && q.reads(source)),
            (Some(_), Some(_)) => None,
        }
    }

    /// Names of the sources built from this one by CREATE … AS SELECT: it cannot be dropped before them.
    pub fn built_from(&self, source: &str) -> Vec<String> {
        self.sources.values().filter(|s| s.built_from.iter().any(|b| b == source)).map(|s| s.name.clone()).collect()
    }
}
