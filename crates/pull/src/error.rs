//! What can go wrong while rows are pulled.

use flumen_expr::ExprError;
use flumen_state::StateError;
use flumen_types::TypeError;
use thiserror::Error;

/// A pull query that failed.
#[derive(Debug, Error)]
pub enum PullError {
    /// The state failed.
    #[error(transparent)]
    State(#[from] StateError),
    /// Stored bytes do not fit the plan.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// An expression does not compile or evaluate.
    #[error(transparent)]
    Expr(#[from] ExprError),
    /// The query that keeps the table has no store here.
    #[error("the rows of table {0} are not on this server yet: its query is starting or has failed; see its status with EXPLAIN")]
    NotHere(String),
    /// A plan this version cannot execute.
    #[error("{0}")]
    Plan(String),
}
