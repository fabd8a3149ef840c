//! The rows that the part of a plan built so far produces, and what its columns mean in the query.

use flumen_expr::Expr;
use flumen_parser::Span;
use flumen_parser::ast;
use flumen_plan::{NodeId, RowSchema};
use flumen_types::{FormatSpec, PseudoColumn};

use super::scope::{column, own_column};
use crate::expression::Bindings;

/// The output of the node built last.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    /// The node.
    pub(crate) node: NodeId,
    /// Its sub-topology, by position.
    pub(crate) sub: usize,
    /// Its rows.
    pub(crate) schema: RowSchema,
    /// What each key and value column holds, in their order.
    pub(crate) columns: Vec<FlowColumn>,
    /// Source whose pseudo columns the rows' own are; `None` after a join.
    pub(crate) pseudo_of: Option<String>,
    /// True when the window bounds of the rows are those of the query's WINDOW clause.
    pub(crate) own_window: bool,
    /// True for changes of a table.
    pub(crate) table: bool,
    /// Partitions of the topic these rows were read from.
    pub(crate) partitions: i32,
    /// Format that decides on which partition a key is.
    pub(crate) key_format: FormatSpec,
    /// What makes up the key, for messages and for the projection's rules.
    pub(crate) key: KeyRule,
}

/// A column of a flow.
#[derive(Debug, Clone)]
pub(crate) struct FlowColumn {
    /// The expression whose value it holds, columns qualified.
    pub(crate) holds: ast::Expr,
    /// Whether `*` includes it.
    pub(crate) starred: bool,
}

/// How the key came about.
#[derive(Debug, Clone)]
pub(crate) struct KeyRule {
    /// What a key column is called in messages.
    pub(crate) called: &'static str,
    /// For each key column the expressions that stand for it in a projection, the best first.
    pub(crate) viable: Vec<Vec<ast::Expr>>,
    /// True while all joins so far are inner ones, so that both sides of each condition are equal in every row.
    pub(crate) all_inner: bool,
}

impl KeyRule {
    /// A key of these expressions.
    pub(crate) fn of(called: &'static str, keys: &[FlowColumn]) -> Self {
        KeyRule { called, viable: keys.iter().map(|k| vec![k.holds.clone()]).collect(), all_inner: true }
    }
}

impl FlowColumn {
    /// A column that `*` includes.
    pub(crate) fn starred(holds: ast::Expr) -> Self {
        FlowColumn { holds, starred: true }
    }
}

impl Flow {
    /// The key columns.
    pub(crate) fn key_columns(&self) -> &[FlowColumn] {
        self.columns.get(..self.schema.keys.len()).unwrap_or(&self.columns)
    }

    /// The value columns.
    pub(crate) fn value_columns(&self) -> &[FlowColumn] {
        self.columns.get(self.schema.keys.len()..).unwrap_or(&[])
    }

    /// All columns with name and type, keys first.
    pub(crate) fn typed(&self) -> impl Iterator<Item = (&FlowColumn, &flumen_plan::RowColumn)> {
        self.columns.iter().zip(self.schema.keys.iter().chain(&self.schema.values))
    }

    /// A reference to the column at this position.
    pub(crate) fn column(&self, at: usize) -> Option<Expr> {
        let (name, ty) = self.schema.keys.iter().chain(&self.schema.values).nth(at)?;
        Some(Expr::column(at as u32, name.clone(), ty.clone()))
    }

    /// What expressions over this row may name.
    pub(crate) fn bindings(&self) -> Bindings {
        let mut bindings = Bindings::new();
        if let Some(alias) = &self.pseudo_of {
            for pseudo in PseudoColumn::ALL {
                let bound = matches!(pseudo, PseudoColumn::WindowStart | PseudoColumn::WindowEnd);
                if !bound || (self.schema.window.is_some() && !self.own_window) {
                    bindings.insert(column(alias, pseudo.name(), Span::default()), self.pseudo(pseudo));
                }
            }
        }
        if self.own_window {
            for pseudo in [PseudoColumn::WindowStart, PseudoColumn::WindowEnd] {
                bindings.insert(own_column(pseudo.name(), Span::default()), self.pseudo(pseudo));
            }
        }
        for (at, held) in self.columns.iter().enumerate().rev() {
            if let Some(expr) = self.column(at) {
                bindings.insert(held.holds.clone(), expr);
            }
        }
        bindings
    }

    fn pseudo(&self, pseudo: PseudoColumn) -> Expr {
        Expr::column(self.schema.pseudo_index(pseudo), pseudo.name(), pseudo.ty())
    }
}
