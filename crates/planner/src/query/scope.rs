//! The sources a query reads and what its column names mean.

use std::sync::Arc;

use flumen_catalog::{Catalog, SourceDef, nearest};
use flumen_parser::Span;
use flumen_parser::ast::{Expr, ExprKind, Ident, Relation, SourceRef};
use flumen_types::{PseudoColumn, SqlType, quote_name};

use super::tree;
use crate::PlanError;

/// The sources of a query, left to right.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    pub(crate) sources: Vec<ScopeSource>,
    /// Name of the key that a join makes of neither side's column.
    pub(crate) synthetic_key: Option<String>,
    /// True when WINDOWSTART and WINDOWEND are those of the query's own WINDOW clause.
    pub(crate) window_bounds: bool,
}

/// A source under the name its columns are qualified with.
#[derive(Debug, Clone)]
pub(crate) struct ScopeSource {
    pub(crate) alias: String,
    pub(crate) def: Arc<SourceDef>,
    pub(crate) span: Span,
}

/// A column qualified with its source, as [`Scope::qualify`] writes all of them.
pub(crate) fn column(alias: &str, name: &str, span: Span) -> Expr {
    Expr { kind: ExprKind::Column { source: Some(Ident::new(alias)), name: Ident::new(name) }, span }
}

/// A column of the query itself: bounds of its window, a join's own key.
pub(crate) fn own_column(name: &str, span: Span) -> Expr {
    Expr { kind: ExprKind::Column { source: None, name: Ident::new(name) }, span }
}

impl ScopeSource {
    /// The type of one of its columns, pseudo columns among them.
    pub(crate) fn column_type(&self, name: &str) -> Option<SqlType> {
        if let Some(column) = self.def.schema.find(name) {
            return Some(column.ty.clone());
        }
        let pseudo = PseudoColumn::from_name(name)?;
        let bound = matches!(pseudo, PseudoColumn::WindowStart | PseudoColumn::WindowEnd);
        (!bound || self.def.window.is_some()).then(|| pseudo.ty())
    }

    /// One of its columns, qualified.
    pub(crate) fn column(&self, name: &str) -> Expr {
        column(&self.alias, name, self.span)
    }
}

impl Scope {
    /// Looks up the sources of a FROM clause.
    pub(crate) fn of(relation: &Relation, catalog: &Catalog) -> Result<Scope, PlanError> {
        let mut scope = Scope { sources: Vec::new(), synthetic_key: None, window_bounds: false };
        for reference in std::iter::once(&relation.source).chain(relation.joins.iter().map(|j| &j.right)) {
            scope.add(reference, catalog)?;
        }
        Ok(scope)
    }

    fn add(&mut self, reference: &SourceRef, catalog: &Catalog) -> Result<(), PlanError> {
        let name = &reference.name.value;
        let def = catalog
            .source(name)
            .ok_or_else(|| PlanError::user_at(reference.name.span, format!("{name} does not exist.{}", catalog.hint(name))))?;
        if self.sources.iter().any(|s| s.def.name == *name) {
            return Err(PlanError::user_at(
                reference.span,
                format!(
                    "Each side of a join must be another source: '{name}' is read twice. Self joins are not supported; copy it with CREATE STREAM … AS SELECT first."
                ),
            ));
        }
        let alias = reference.alias_or_name().value.clone();
        if self.sources.iter().any(|s| s.alias == alias) {
            return Err(PlanError::user_at(reference.span, format!("Duplicate source alias: '{alias}'")));
        }
        self.sources.push(ScopeSource { alias, def: def.clone(), span: reference.span });
        Ok(())
    }

    /// True when more than one source is read.
    pub(crate) fn joined(&self) -> bool {
        self.sources.len() > 1
    }

    /// The source of this alias.
    pub(crate) fn source(&self, alias: &Ident) -> Result<&ScopeSource, PlanError> {
        self.sources.iter().find(|s| s.alias == alias.value).ok_or_else(|| {
            let near = nearest(&alias.value, self.sources.iter().map(|s| s.alias.as_str()));
            let hint = near.map(|n| format!(" Did you mean {}?", quote_name(n))).unwrap_or_default();
            PlanError::user_at(alias.span, format!("'{}' is not a valid stream/table name or alias.{hint}", alias.value))
        })
    }

    /// Whether a column of this name stands in more than one source.
    pub(crate) fn is_ambiguous(&self, name: &str) -> bool {
        self.sources.iter().filter(|s| s.column_type(name).is_some()).count() > 1
    }

    /// The expression with every column qualified by its source.
    ///
    /// # Errors
    /// Unknown and ambiguous columns, by the name of the clause they stand in.
    pub(crate) fn qualify(&self, expr: &Expr, clause: &str) -> Result<Expr, PlanError> {
        self.qualify_within(expr, clause, &mut Vec::new())
    }

    fn qualify_within(&self, expr: &Expr, clause: &str, variables: &mut Vec<String>) -> Result<Expr, PlanError> {
        match &expr.kind {
            ExprKind::Column { source: None, name } if variables.contains(&name.value) => Ok(expr.clone()),
            ExprKind::Column { source, name } => self.resolve(source.as_ref(), name, expr.span, clause),
            ExprKind::Lambda { params, .. } => {
                let outside = variables.len();
                variables.extend(params.iter().map(|p| p.value.clone()));
                let inner = tree::rebuild(expr, &mut |e| self.qualify_within(e, clause, variables));
                variables.truncate(outside);
                inner
            }
            _ => tree::rebuild(expr, &mut |e| self.qualify_within(e, clause, variables)),
        }
    }

    fn resolve(&self, source: Option<&Ident>, name: &Ident, span: Span, clause: &str) -> Result<Expr, PlanError> {
        if let Some(alias) = source {
            let found = self.source(alias)?;
            return match found.column_type(&name.value) {
                Some(_) => Ok(column(&found.alias, &name.value, span)),
                None if is_bound(&name.value) && self.window_bounds => self.resolve(None, name, span, clause),
                None => Err(self.unknown(&format!("{}.{}", alias.value, name.value), name, clause)),
            };
        }
        let owners: Vec<&ScopeSource> = self.sources.iter().filter(|s| s.column_type(&name.value).is_some()).collect();
        match owners.as_slice() {
            [one] => Ok(column(&one.alias, &name.value, span)),
            [] if self.synthetic_key.as_ref() == Some(&name.value) => Ok(own_column(&name.value, span)),
            [] if is_bound(&name.value) && self.window_bounds => match clause {
                "SELECT" => Ok(own_column(&name.value, span)),
                _ => Err(PlanError::user_at(
                    span,
                    format!(
                        "Window bounds column {} can only be used in the SELECT clause of windowed aggregations and can not be passed to aggregate functions.",
                        name.value
                    ),
                )),
            },
            [] => Err(self.unknown(&name.value, name, clause)),
            many => {
                let all: Vec<String> = many.iter().map(|s| format!("{}.{}", s.alias, name.value)).collect();
                Err(PlanError::user_at(span, format!("Column '{}' is ambiguous. Could be {}.", name.value, all.join(" or "))))
            }
        }
    }

    fn unknown(&self, shown: &str, name: &Ident, clause: &str) -> PlanError {
        let all = self.sources.iter().flat_map(|s| s.def.schema.columns.iter().map(|c| c.name.as_str()));
        let hint = nearest(&name.value, all).map(|n| format!(" Did you mean {}?", quote_name(n))).unwrap_or_default();
        PlanError::user_at(name.span, format!("{clause} column '{shown}' cannot be resolved.{hint}"))
    }
}

/// WINDOWSTART or WINDOWEND.
pub(crate) fn is_bound(name: &str) -> bool {
    matches!(PseudoColumn::from_name(name), Some(PseudoColumn::WindowStart | PseudoColumn::WindowEnd))
}
