//! Functions: their signatures, how they are called, and the helpers their authors use.

mod adapt;
mod aggregate;
mod column;
mod registry;
mod resolve;
mod signature;

pub use adapt::{map1, map2, map3, nullable1, nullable2, rowwise, whole};
pub use aggregate::{Accumulators, AggregateCall, AggregateFunction, AggregateOverload, Batch, Emit, Instance, Settings};
pub use column::{Column, Date, Output, Time, Timestamp};
pub use registry::{FunctionInfo, FunctionKind, PartialArg, Registry, SignatureInfo};
pub use signature::{
    ANY, ANY_STRUCT, BIGINT, BOOLEAN, BYTES, DATE, DECIMAL, DOUBLE, INTEGER, K, ParamType, Returns, S, STRING, Signature, T, TIME,
    TIMESTAMP, U, UNIT, V, array, lambda, map,
};

use std::sync::Arc;

use arrow::array::ArrayRef;
use flumen_types::{SqlType, Value};

use crate::{ExprError, Failures, Random, Selection};

/// What an overload gets for one chunk.
pub struct CallArgs<'a> {
    /// The argument columns, each as long as the chunk; lambdas and units are NULL columns here.
    pub args: &'a [ArrayRef],
    /// The types of the arguments (a lambda's: that of its body).
    pub types: &'a [SqlType],
    /// The argument where it is a constant (units as their upper-case plural name).
    pub constants: &'a [Option<Value>],
    /// The lambda arguments in order.
    pub lambdas: &'a [&'a dyn Lambda],
    /// The type to return.
    pub return_type: &'a SqlType,
    /// Rows of the chunk: the length of the result.
    pub rows: usize,
    /// The rows to compute. Where nulls are propagated those with a NULL argument are not among them.
    pub active: &'a Selection,
    /// Wall clock, epoch milliseconds.
    pub now_ms: i64,
    /// Source of randomness.
    pub random: &'a Random,
}

impl CallArgs<'_> {
    /// Calls `f` for every row to compute, ascending.
    pub fn each_row(&self, mut f: impl FnMut(usize)) {
        match self.active {
            Selection::All => (0..self.rows).for_each(f),
            Selection::Rows(rows) => rows.iter().for_each(|row| f(*row as usize)),
        }
    }
}

/// A lambda argument, evaluated over many elements at once.
pub trait Lambda {
    /// The type of its result.
    fn return_type(&self) -> &SqlType;

    /// Applies the body to `params`, one column for each parameter, all of the same length; `origin` gives each element's
    /// row in the chunk, so that outer columns are seen as of that row. A failed element is NULL and fails its row.
    fn apply(&self, params: &[ArrayRef], origin: &[u32], failures: &mut Failures) -> Result<ArrayRef, ExprError>;
}

/// What an overload does: arguments to a column of [`CallArgs::rows`] rows. Failed rows are reported, and NULL.
pub type Implementation = Arc<dyn Fn(&CallArgs<'_>, &mut Failures) -> Result<ArrayRef, ExprError> + Send + Sync>;

/// One signature of a function and what it does.
#[derive(Clone)]
pub struct Overload {
    /// Parameters and return type.
    pub signature: Signature,
    /// True (the default): a NULL in any argument gives NULL and the implementation does not see the row.
    pub propagates_null: bool,
    /// What it does.
    pub implementation: Implementation,
}

/// A scalar function, or a table function when it is registered as one: then it returns the ARRAY of its rows.
#[derive(Clone)]
pub struct ScalarFunction {
    /// Upper-case name.
    pub name: &'static str,
    /// As DESCRIBE FUNCTION shows it: `STRING`, `DATE / TIME`, …
    pub category: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// The overloads.
    pub overloads: Vec<Overload>,
}

impl ScalarFunction {
    /// A function without overloads.
    pub fn new(name: &'static str, category: &'static str, description: &'static str) -> Self {
        ScalarFunction { name, category, description, overloads: Vec::new() }
    }

    /// Adds an overload that gives NULL where an argument is NULL.
    pub fn overload(mut self, signature: Signature, implementation: Implementation) -> Self {
        self.overloads.push(Overload { signature, propagates_null: true, implementation });
        self
    }

    /// Adds an overload that sees NULL arguments itself.
    pub fn nullable_overload(mut self, signature: Signature, implementation: Implementation) -> Self {
        self.overloads.push(Overload { signature, propagates_null: false, implementation });
        self
    }
}
