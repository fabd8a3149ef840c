//! COLLECT_LIST: all values in order, NULLs too, up to a limit.

use arrow::array::ArrayRef;
use flumen_expr::ExprError;
use flumen_expr::function::{AggregateFunction, Signature, T, array};

use super::cell::{Cell, with_cell};
use super::list::{Lists, load_items, save_items};
use super::slots::{Kernel, Slots};
use super::{argument, argument_type, size_limit};

pub(super) fn function() -> AggregateFunction {
    AggregateFunction::new("COLLECT_LIST", "Gathers all values, NULLs included, into an ARRAY in their order.").composite_state().overload(
        Signature::new([T], array(T)),
        true,
        |instance| {
            let limit = size_limit(instance, "collect_list")?;
            with_cell!(argument_type(instance, 0)?, cell => Slots::boxed(CollectList { cell, limit }))
        },
    )
}

struct CollectList<C> {
    cell: C,
    limit: usize,
}

impl<C: Cell> Kernel for CollectList<C> {
    type State = Vec<Option<C::Owned>>;
    type Args<'a> = C::Column<'a>;
    type Output = Lists<C>;

    fn initial(&self) -> Self::State {
        Vec::new()
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<C::Column<'a>, ExprError> {
        self.cell.bind(argument(args, 0)?)
    }

    fn add(&self, state: &mut Self::State, column: &C::Column<'_>, row: usize, _: i64) -> Result<(), String> {
        if state.len() < self.limit {
            state.push(self.cell.option(column, row));
        }
        Ok(())
    }

    fn undo(&self, state: &mut Self::State, column: &C::Column<'_>, row: usize) -> Result<(), String> {
        let value = self.cell.option(column, row);
        if let Some(at) = state.iter().rposition(|kept| self.cell.same_option(kept.as_ref(), value.as_ref())) {
            state.remove(at);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: Self::State) {
        let room = self.limit.saturating_sub(into.len());
        into.extend(from.into_iter().take(room));
    }

    fn save(&self, state: &Self::State, out: &mut Vec<u8>) {
        save_items(&self.cell, state, out);
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Self::State> {
        load_items(&self.cell, bytes)
    }

    fn output(&self) -> Lists<C> {
        Lists::new(&self.cell)
    }

    fn emit(&self, state: &Self::State, out: &mut Lists<C>) {
        out.append(&self.cell, state.iter().map(Option::as_ref));
    }

    fn finish(&self, out: Lists<C>) -> ArrayRef {
        out.finish(&self.cell)
    }
}
