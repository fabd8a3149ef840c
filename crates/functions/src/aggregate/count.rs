//! COUNT: rows, or values that are not NULL.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int64Builder};
use flumen_expr::ExprError;
use flumen_expr::function::{AggregateFunction, BIGINT, Signature, T};

use super::argument;
use super::cell::take;
use super::slots::{Kernel, Slots};

pub(super) fn function() -> AggregateFunction {
    AggregateFunction::new("COUNT", "Counts rows, or values that are not NULL.")
        .overload(Signature::new([], BIGINT), true, |_| Slots::boxed(Count { rows: true }))
        .overload(Signature::new([T], BIGINT), true, |_| Slots::boxed(Count { rows: false }))
}

struct Count {
    rows: bool,
}

impl Kernel for Count {
    type State = i64;
    type Args<'a> = Option<&'a ArrayRef>;
    type Output = Int64Builder;

    fn initial(&self) -> i64 {
        0
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<Option<&'a ArrayRef>, ExprError> {
        if self.rows { Ok(None) } else { Ok(Some(argument(args, 0)?).filter(|a| a.null_count() > 0)) }
    }

    fn add(&self, state: &mut i64, column: &Option<&ArrayRef>, row: usize, _: i64) -> Result<(), String> {
        if column.is_none_or(|c| c.is_valid(row)) {
            *state = state.wrapping_add(1);
        }
        Ok(())
    }

    fn undo(&self, state: &mut i64, column: &Option<&ArrayRef>, row: usize) -> Result<(), String> {
        if column.is_none_or(|c| c.is_valid(row)) {
            *state = state.wrapping_sub(1);
        }
        Ok(())
    }

    fn merge(&self, into: &mut i64, from: i64) {
        *into = into.wrapping_add(from);
    }

    fn save(&self, state: &i64, out: &mut Vec<u8>) {
        out.extend(state.to_le_bytes());
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<i64> {
        take(bytes).map(i64::from_le_bytes)
    }

    fn output(&self) -> Int64Builder {
        Int64Builder::new()
    }

    fn emit(&self, state: &i64, out: &mut Int64Builder) {
        out.append_value(*state);
    }

    fn finish(&self, mut out: Int64Builder) -> ArrayRef {
        Arc::new(out.finish())
    }
}
