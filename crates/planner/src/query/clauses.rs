//! The clauses of a query with all names resolved, and which columns they use.

use std::collections::HashSet;

use flumen_expr::{FunctionKind, Registry};
use flumen_parser::Span;
use flumen_parser::ast::{Expr, ExprKind, Ident, Literal, Query, SelectItem, SelectItemKind};
use flumen_types::PseudoColumn;

use super::scope::Scope;
use super::tree;
use crate::PlanError;

/// A query's clauses, columns qualified.
#[derive(Debug, Clone)]
pub(crate) struct Clauses {
    pub(crate) select: Vec<Item>,
    pub(crate) filter: Option<Expr>,
    pub(crate) partition_by: Vec<Expr>,
    pub(crate) group_by: Vec<Expr>,
    pub(crate) having: Option<Expr>,
    /// Columns named in the query.
    used: HashSet<Expr>,
    /// Sources all columns of which are asked for; the empty name stands for every source.
    all_of: HashSet<String>,
}

/// One item of the projection.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    /// An expression and its alias.
    Expr { expr: Expr, alias: Option<Ident> },
    /// `*`, `alias.*`
    All { source: Option<String>, span: Span },
    /// `base->*`
    StructAll { base: Expr },
}

impl Clauses {
    /// Resolves the names of a query; `conditions` are those of its joins, already resolved.
    pub(crate) fn of(query: &Query, scope: &Scope, conditions: &[Expr]) -> Result<Clauses, PlanError> {
        let filter = query.filter.as_ref().map(|e| scope.qualify(e, "WHERE")).transpose()?;
        let partition_by = query.partition_by.iter().map(|e| scope.qualify(e, "PARTITION BY")).collect::<Result<Vec<_>, _>>()?;
        let group_by = query.group_by.iter().map(|e| scope.qualify(e, "GROUP BY")).collect::<Result<Vec<_>, _>>()?;
        let having = query.having.as_ref().map(|e| scope.qualify(e, "HAVING")).transpose()?;
        let select = query.select.iter().map(|i| item(i, scope)).collect::<Result<Vec<_>, _>>()?;
        let mut clauses = Clauses { select, filter, partition_by, group_by, having, used: HashSet::new(), all_of: HashSet::new() };
        clauses.collect_used(conditions);
        Ok(clauses)
    }

    fn collect_used(&mut self, conditions: &[Expr]) {
        let mut used = HashSet::new();
        let mut everything = false;
        let mut bases = Vec::new();
        for item in &self.select {
            match item {
                Item::Expr { expr, .. } | Item::StructAll { base: expr } => bases.push(expr),
                Item::All { source: None, .. } => everything = true,
                Item::All { source: Some(alias), .. } => {
                    self.all_of.insert(alias.clone());
                }
            }
        }
        bases.extend(self.filter.iter().chain(&self.partition_by).chain(&self.group_by).chain(&self.having).chain(conditions));
        for expr in bases {
            tree::visit(expr, &mut |e| {
                if matches!(e.kind, ExprKind::Column { source: Some(_), .. }) {
                    used.insert(e.clone());
                }
            });
        }
        if everything {
            self.all_of.insert(String::new());
        }
        self.used = used;
    }

    /// Whether a column is used anywhere in the query.
    pub(crate) fn uses(&self, alias: &str, column: &Expr) -> bool {
        let pseudo = matches!(&column.kind, ExprKind::Column { name, .. } if PseudoColumn::from_name(&name.value).is_some());
        let starred = !pseudo && (self.all_of.contains("") || self.all_of.contains(alias));
        starred || self.used.contains(column)
    }

    /// All expressions of the projection, `*` apart.
    pub(crate) fn select_exprs(&self) -> impl Iterator<Item = &Expr> {
        self.select.iter().filter_map(|i| match i {
            Item::Expr { expr, .. } | Item::StructAll { base: expr } => Some(expr),
            Item::All { .. } => None,
        })
    }

    /// True when an aggregate function is called in SELECT or HAVING.
    pub(crate) fn aggregates(&self, registry: &Registry) -> bool {
        self.select_exprs().chain(&self.having).any(|e| !calls(e, registry, FunctionKind::Aggregate).is_empty())
    }
}

fn item(item: &SelectItem, scope: &Scope) -> Result<Item, PlanError> {
    Ok(match &item.kind {
        SelectItemKind::Expr { expr, alias } => Item::Expr { expr: scope.qualify(expr, "SELECT")?, alias: alias.clone() },
        SelectItemKind::All { source: None } => Item::All { source: None, span: item.span },
        SelectItemKind::All { source: Some(alias) } => Item::All { source: Some(scope.source(alias)?.alias.clone()), span: item.span },
        SelectItemKind::StructAll { base } => Item::StructAll { base: scope.qualify(base, "SELECT")? },
    })
}

/// The outermost calls of functions of a kind.
pub(crate) fn calls<'e>(expr: &'e Expr, registry: &Registry, kind: FunctionKind) -> Vec<&'e Expr> {
    if let ExprKind::Function(call) = &expr.kind
        && registry.kind(&call.name.value) == Some(kind)
    {
        return vec![expr];
    }
    tree::children(expr).into_iter().flat_map(|e| calls(e, registry, kind)).collect()
}

/// True for the literal NULL.
pub(crate) fn is_null(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(Literal::Null))
}
