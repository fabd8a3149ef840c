//! Names of result columns that have no alias.

use std::collections::BTreeSet;

use flumen_parser::ast::{Expr, ExprKind};

use super::scope::Scope;

/// Generates `KSQL_COL_n` and names of struct fields, around those that the sources use.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    used: BTreeSet<String>,
    next: u32,
}

impl Names {
    /// Names apart from the columns of these sources.
    pub(crate) fn new(scope: &Scope) -> Self {
        let columns = scope.sources.iter().flat_map(|s| s.def.schema.columns.iter());
        Names { used: columns.map(|c| c.name.clone()).collect(), next: 0 }
    }

    /// The name of a projected expression without alias.
    pub(crate) fn of(&mut self, expr: &Expr, scope: &Scope) -> String {
        match &expr.kind {
            ExprKind::Column { source: Some(source), name } if scope.joined() && scope.is_ambiguous(&name.value) => {
                format!("{}_{}", source.value, name.value)
            }
            ExprKind::Column { name, .. } => name.value.clone(),
            ExprKind::StructDeref { field, .. } => self.field(&field.value),
            _ => self.generated(),
        }
    }

    /// The next `KSQL_COL_n` that no source has.
    pub(crate) fn generated(&mut self) -> String {
        loop {
            let name = format!("KSQL_COL_{}", self.next);
            self.next += 1;
            if !self.used.contains(&name) {
                return name;
            }
        }
    }

    /// A struct field's name, with a number behind it when it is taken.
    fn field(&mut self, field: &str) -> String {
        let numbered = (1..).map(|n| format!("{field}_{n}"));
        let free = std::iter::once(field.to_string()).chain(numbered).find(|name| !self.used.contains(name));
        let name = free.unwrap_or_else(|| field.to_string());
        self.used.insert(name.clone());
        name
    }
}
