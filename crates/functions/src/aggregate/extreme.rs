//! MIN and MAX: NULLs are skipped, none gives NULL.

use std::cmp::Ordering;

use arrow::array::ArrayRef;
use flumen_expr::ExprError;
use flumen_expr::function::{
    AggregateFunction, BIGINT, BYTES, DATE, DECIMAL, DOUBLE, INTEGER, Returns, STRING, Signature, TIME, TIMESTAMP,
};

use super::cell::{Cell, with_cell};
use super::slots::{Kernel, Slots};
use super::{argument, argument_type};

pub(super) fn minimum() -> AggregateFunction {
    function("MIN", "The smallest value; NULLs are skipped.", Ordering::Greater)
}

pub(super) fn maximum() -> AggregateFunction {
    function("MAX", "The largest value; NULLs are skipped.", Ordering::Less)
}

fn function(name: &'static str, description: &'static str, replaced_when: Ordering) -> AggregateFunction {
    let types = [INTEGER, BIGINT, DOUBLE, DECIMAL, DATE, TIME, TIMESTAMP, STRING, BYTES];
    types.into_iter().fold(AggregateFunction::new(name, description), |function, ty| {
        let same =
            Returns::with(ty.clone(), |types, _| types.first().cloned().ok_or_else(|| ExprError::user("MIN and MAX need an argument")));
        function.overload(
            Signature::new([ty], same),
            false,
            move |instance| with_cell!(argument_type(instance, 0)?, cell => Slots::boxed(Extreme { cell, replaced_when })),
        )
    })
}

struct Extreme<C> {
    cell: C,
    /// How a kept value compares with one that takes its place.
    replaced_when: Ordering,
}

impl<C: Cell> Kernel for Extreme<C> {
    type State = Option<C::Owned>;
    type Args<'a> = C::Column<'a>;
    type Output = C::Builder;

    fn initial(&self) -> Self::State {
        None
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<C::Column<'a>, ExprError> {
        self.cell.bind(argument(args, 0)?)
    }

    fn add(&self, state: &mut Self::State, column: &C::Column<'_>, row: usize, _: i64) -> Result<(), String> {
        if self.cell.is_null(column, row) {
            return Ok(());
        }
        match state {
            Some(kept) if self.cell.order(kept, column, row) != self.replaced_when => {}
            Some(kept) => self.cell.replace(kept, column, row),
            None => *state = Some(self.cell.get(column, row)),
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: Self::State) {
        let Some(value) = from else { return };
        if into.as_ref().is_none_or(|kept| self.cell.compare(kept, &value) == self.replaced_when) {
            *into = Some(value);
        }
    }

    fn save(&self, state: &Self::State, out: &mut Vec<u8>) {
        self.cell.save_option(state.as_ref(), out);
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Self::State> {
        self.cell.load_option(bytes)
    }

    fn output(&self) -> C::Builder {
        self.cell.builder()
    }

    fn emit(&self, state: &Self::State, out: &mut C::Builder) {
        self.cell.append(out, state.as_ref());
    }

    fn finish(&self, out: C::Builder) -> ArrayRef {
        self.cell.finish(out)
    }
}
