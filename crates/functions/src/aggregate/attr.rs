//! ATTR: the value when all rows have the same one, else NULL; NULL counts as a value.

use arrow::array::ArrayRef;
use flumen_expr::ExprError;
use flumen_expr::function::{AggregateFunction, Signature, T};

use super::cell::{Cell, Fixed, load_count, save_count, with_cell};
use super::slots::{Kernel, Slots};
use super::{argument, argument_type};

pub(super) fn function() -> AggregateFunction {
    AggregateFunction::new("ATTR", "The value of the column when it is the same in all rows, else NULL.").composite_state().overload(
        Signature::new([T], T),
        true,
        |instance| with_cell!(argument_type(instance, 0)?, cell => Slots::boxed(Attr { cell })),
    )
}

struct Attr<C> {
    cell: C,
}

/// A distinct value and how many rows have it.
type Counted<V> = (Option<V>, i32);

impl<C: Cell> Attr<C> {
    fn count(&self, state: &mut Vec<Counted<C::Owned>>, value: Option<C::Owned>, by: i32) {
        match state.iter_mut().find(|(kept, _)| self.cell.same_option(kept.as_ref(), value.as_ref())) {
            Some((_, count)) => *count = count.wrapping_add(by),
            None => state.push((value, by)),
        }
        state.retain(|(_, count)| *count > 0);
    }
}

impl<C: Cell> Kernel for Attr<C> {
    type State = Vec<Counted<C::Owned>>;
    type Args<'a> = C::Column<'a>;
    type Output = C::Builder;

    fn initial(&self) -> Self::State {
        Vec::new()
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<C::Column<'a>, ExprError> {
        self.cell.bind(argument(args, 0)?)
    }

    fn add(&self, state: &mut Self::State, column: &C::Column<'_>, row: usize, _: i64) -> Result<(), String> {
        self.count(state, self.cell.option(column, row), 1);
        Ok(())
    }

    fn undo(&self, state: &mut Self::State, column: &C::Column<'_>, row: usize) -> Result<(), String> {
        self.count(state, self.cell.option(column, row), -1);
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: Self::State) {
        for (value, count) in from {
            self.count(into, value, count);
        }
    }

    fn save(&self, state: &Self::State, out: &mut Vec<u8>) {
        save_count(state.len(), out);
        for (value, count) in state {
            self.cell.save_option(value.as_ref(), out);
            count.put(out);
        }
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Self::State> {
        let count = load_count(bytes)?;
        (0..count).map(|_| Some((self.cell.load_option(bytes)?, Fixed::take(bytes)?))).collect()
    }

    fn output(&self) -> C::Builder {
        self.cell.builder()
    }

    fn emit(&self, state: &Self::State, out: &mut C::Builder) {
        let only = match state.as_slice() {
            [(value, _)] => value.as_ref(),
            _ => None,
        };
        self.cell.append(out, only);
    }

    fn finish(&self, out: C::Builder) -> ArrayRef {
        self.cell.finish(out)
    }
}
