//! The shape of the rows that flow between nodes.

use flumen_expr::Expr;
use flumen_types::{PseudoColumn, SqlType, WindowKind};
use serde::{Deserialize, Serialize};

/// A named column of an operator's output and the expression that makes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NamedExpr {
    /// Column name, case kept.
    pub name: String,
    /// Over the input row's columns, see [`RowSchema::column_index`].
    pub expr: Expr,
}

/// A named, typed column of a row.
pub type RowColumn = (String, SqlType);

/// The columns of rows on an edge: keys, then values; every row also carries timestamp, partition, offset, and window
/// bounds when the key is windowed.
///
/// Expressions see one flat list: keys, values, then the five pseudo columns in the order of [`PseudoColumn::ALL`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RowSchema {
    /// Key columns in order.
    pub keys: Vec<RowColumn>,
    /// Value columns in order (header columns of a source among them).
    pub values: Vec<RowColumn>,
    /// The kind of window the key carries, if any.
    pub window: Option<WindowKind>,
}

impl RowSchema {
    /// Number of key and value columns.
    pub fn width(&self) -> usize {
        self.keys.len() + self.values.len()
    }

    /// The index and type an expression uses for a key or value column of this name, or for a pseudo column.
    pub fn column_index(&self, name: &str) -> Option<(u32, SqlType)> {
        let declared = self.keys.iter().chain(&self.values).position(|(n, _)| n == name);
        if let Some(at) = declared {
            let ty = if at < self.keys.len() { &self.keys[at].1 } else { &self.values[at - self.keys.len()].1 };
            return Some((at as u32, ty.clone()));
        }
        let pseudo = PseudoColumn::from_name(name)?;
        let windowed = matches!(pseudo, PseudoColumn::WindowStart | PseudoColumn::WindowEnd);
        (!windowed || self.window.is_some()).then(|| (self.pseudo_index(pseudo), pseudo.ty()))
    }

    /// The index an expression uses for a pseudo column.
    pub fn pseudo_index(&self, pseudo: PseudoColumn) -> u32 {
        let at = PseudoColumn::ALL.iter().position(|p| *p == pseudo).unwrap_or(0);
        (self.width() + at) as u32
    }
}
