//! Compiling expressions and evaluating them over chunks of rows.

mod arithmetic;
mod call;
mod cast;
mod compare;
mod compile;
mod conditional;
mod decimal;
mod like;
mod logic;
mod membership;
mod nested;
mod node;
mod operand;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::buffer::BooleanBuffer;
use arrow::compute::nullif;
use flumen_types::SqlType;

use crate::{Expr, ExprError, Failures, Random, Registry};
use node::{Cx, Node};

pub use compare::values_equal;

/// Which rows of a chunk to compute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// All of them.
    All,
    /// These, ascending and without repetition.
    Rows(Vec<u32>),
}

impl Selection {
    /// Number of rows selected of a chunk of `rows`.
    pub fn count(&self, rows: usize) -> usize {
        match self {
            Selection::All => rows,
            Selection::Rows(selected) => selected.len(),
        }
    }

    /// Calls `f` for each selected row of a chunk of `rows`, ascending.
    pub fn each(&self, rows: usize, mut f: impl FnMut(usize)) {
        match self {
            Selection::All => (0..rows).for_each(f),
            Selection::Rows(selected) => selected.iter().for_each(|row| f(*row as usize)),
        }
    }

    /// The selected rows for which `keep` holds.
    pub(crate) fn narrow(&self, rows: usize, mut keep: impl FnMut(usize) -> bool) -> Selection {
        let mut kept = Vec::with_capacity(self.count(rows));
        self.each(rows, |row| {
            if keep(row) {
                kept.push(row as u32);
            }
        });
        if kept.len() == rows { Selection::All } else { Selection::Rows(kept) }
    }
}

/// A chunk of rows and what is the same for all of them.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The columns, in the order [`Expr::Column`] counts.
    pub columns: &'a [ArrayRef],
    /// Number of rows; every column has as many.
    pub rows: usize,
    /// Wall clock, epoch milliseconds.
    pub now_ms: i64,
    /// Source of randomness.
    pub random: &'a Random,
}

/// The values of an expression over a chunk.
#[derive(Debug)]
pub struct Evaluated {
    /// One value a row; NULL where the row was not selected or failed.
    pub array: ArrayRef,
    /// The rows that failed.
    pub failures: Failures,
}

/// The rows for which a condition holds.
#[derive(Debug)]
pub struct Filtered {
    /// The rows, ascending.
    pub rows: Vec<u32>,
    /// The rows that failed; they are not among the others.
    pub failures: Failures,
}

/// An expression ready to be evaluated. Nothing in it is changed by an evaluation: threads may share it.
pub struct Compiled {
    root: Node,
    ty: SqlType,
}

impl Compiled {
    /// Compiles an expression: finds its functions, folds what is constant.
    ///
    /// # Errors
    /// A function the registry does not know (a plan of another version); what cannot be evaluated yet.
    pub fn new(expr: &Expr, registry: &Registry) -> Result<Compiled, ExprError> {
        Ok(Compiled { root: compile::compile(expr, registry)?, ty: expr.ty().clone() })
    }

    /// The type of the values.
    pub fn ty(&self) -> &SqlType {
        &self.ty
    }

    /// The values for the selected rows of a chunk.
    ///
    /// # Errors
    /// Columns that are not of the types the expression was built for. A row's own error is in [`Evaluated::failures`].
    pub fn eval(&self, input: &Input<'_>, selection: &Selection) -> Result<Evaluated, ExprError> {
        let mut failures = Failures::new(input.rows);
        let cx = Cx::of(input);
        let array = self.root.eval(&cx, selection, &mut failures)?.into_rows(input.rows)?;
        let array = mask(array, input.rows, selection, &failures)?;
        Ok(Evaluated { array, failures })
    }

    /// The selected rows for which a BOOLEAN expression is true; NULL and failed rows drop out.
    ///
    /// # Errors
    /// As [`Compiled::eval`]; also when the expression is not BOOLEAN.
    pub fn eval_filter(&self, input: &Input<'_>, selection: &Selection) -> Result<Filtered, ExprError> {
        let mut failures = Failures::new(input.rows);
        let cx = Cx::of(input);
        let array = self.root.eval(&cx, selection, &mut failures)?.into_rows(input.rows)?;
        let Some(condition) = array.as_boolean_opt() else {
            return Err(ExprError::user(format!("a condition must be BOOLEAN, not {}", self.ty)));
        };
        let holds = true_bits(condition);
        let rows = match selection {
            Selection::All if failures.is_empty() => holds.set_indices().map(|row| row as u32).collect(),
            _ => {
                let mut kept = Vec::new();
                selection.each(input.rows, |row| {
                    if holds.value(row) && !failures.failed(row) {
                        kept.push(row as u32);
                    }
                });
                kept
            }
        };
        Ok(Filtered { rows, failures })
    }
}

/// One bit a row, set where the value is true and not NULL.
fn true_bits(array: &BooleanArray) -> BooleanBuffer {
    match array.nulls() {
        Some(nulls) => array.values() & nulls.inner(),
        None => array.values().clone(),
    }
}

/// Sets NULL where a row was not selected or failed.
fn mask(array: ArrayRef, rows: usize, selection: &Selection, failures: &Failures) -> Result<ArrayRef, ExprError> {
    let hidden = match selection {
        Selection::All => failures.bitmap(),
        Selection::Rows(selected) => {
            let mut hidden = vec![true; rows];
            for row in selected {
                if let Some(bit) = hidden.get_mut(*row as usize) {
                    *bit = failures.failed(*row as usize);
                }
            }
            Some(BooleanArray::from(hidden))
        }
    };
    match hidden {
        Some(hidden) => null_where(&array, &hidden),
        None => Ok(array),
    }
}

/// Sets NULL where a bit is set.
fn null_where(array: &ArrayRef, hidden: &BooleanArray) -> Result<ArrayRef, ExprError> {
    nullif(array, hidden).map_err(internal)
}

/// An error of an Arrow kernel: a column of a type or length that was not promised.
fn internal(error: arrow::error::ArrowError) -> ExprError {
    ExprError::User(format!("the columns do not fit the expression: {error}"))
}
