//! Pull queries over the state stores: key look-ups, ranges and scans of committed rows.
//!
//! [`execute`] reads the rows a [`PullPlan`] asks for from the backend, takes them through the filters and projections
//! that stand between the store and the table, then through the query's own. What it reads is committed: never the
//! uncommitted changes of a task.

mod error;
mod rows;
mod source;
mod steps;

pub use error::PullError;
pub use source::Tables;

use arrow::array::ArrayRef;
use flumen_plan::PullPlan;
use flumen_types::SqlType;

/// Rows of a result, column by column.
#[derive(Debug, Clone)]
pub struct PullRows {
    /// One array a result column, with its type.
    pub columns: Vec<(ArrayRef, SqlType)>,
    /// Number of rows.
    pub rows: usize,
}

/// Rows taken through the steps at a time.
const BATCH: usize = 1_024;

/// Takes a batch of a result; false when no more are wanted.
pub type TakeRows<'t> = &'t mut dyn FnMut(PullRows) -> bool;

/// Executes a pull query. The result goes to `take` in batches without order among them, cut at LIMIT; there is none where there
/// are no rows.
///
/// # Errors
/// A store that is not here, a fault of the state, a plan that this version cannot execute.
pub fn execute(pull: &PullPlan, tables: &Tables<'_>, take: TakeRows<'_>) -> Result<(), PullError> {
    let mut left = pull.limit.map_or(usize::MAX, |l| usize::try_from(l).unwrap_or(usize::MAX));
    let steps = steps::Steps::new(pull, tables)?;
    source::read(pull, tables, BATCH, &mut |read| {
        let mut result = steps.run(rows::decode(pull, tables, read)?)?;
        if result.rows > left {
            result.rows = left;
            result.columns.iter_mut().for_each(|(array, _)| *array = array.slice(0, left));
        }
        left -= result.rows;
        let wanted = result.rows == 0 || take(result);
        Ok(wanted && left > 0)
    })
}
