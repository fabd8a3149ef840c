//! Typed expressions, coercion, the function registry, and their evaluation over Arrow.
//!
//! Planners build [`Expr`] with the functions of [`build`], which apply SQL's typing rules; plans persist it;
//! [`Compiled`] evaluates it over chunks of rows. A row that fails is NULL and reported in [`Failures`]; it never fails the
//! chunk. Functions live in another crate, in the [`function::Registry`].

pub mod build;
mod coerce;
mod error;
mod eval;
mod expr;
mod failures;
pub mod function;
mod random;

pub use coerce::{arithmetic_type, implicit_distance, widen};
pub use error::ExprError;
pub use eval::{Compiled, Evaluated, Filtered, Input, Selection, values_equal};
pub use expr::{ArithmeticOp, Branch, CompareOp, Expr, IntervalUnit, LambdaParam, LogicalOp};
pub use failures::{Failures, KEPT_MESSAGES};
pub use function::{Accumulators, AggregateCall, FunctionKind, Registry};
pub use random::Random;
