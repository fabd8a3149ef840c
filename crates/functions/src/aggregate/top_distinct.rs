//! TOPKDISTINCT: the k largest distinct values in descending order.

use arrow::array::ArrayRef;
use flumen_expr::ExprError;
use flumen_expr::function::{
    AggregateFunction, BIGINT, BYTES, DATE, DECIMAL, DOUBLE, INTEGER, Returns, STRING, Signature, TIME, TIMESTAMP, array,
};
use flumen_types::SqlType;

use super::cell::{Cell, load_count, save_count, with_cell};
use super::list::Lists;
use super::slots::{Kernel, Slots};
use super::{argument, argument_type, positive};

pub(super) fn function() -> AggregateFunction {
    let start = AggregateFunction::new("TOPKDISTINCT", "The k largest distinct values of a column.").composite_state();
    [INTEGER, BIGINT, DOUBLE, DECIMAL, STRING, DATE, TIME, TIMESTAMP, BYTES].into_iter().fold(start, |function, ty| {
        let same = Returns::with(array(ty.clone()), |types, _| {
            let first = types.first().cloned().ok_or_else(|| ExprError::user("TOPKDISTINCT needs an argument"))?;
            Ok(SqlType::array(first))
        });
        function.overload_with_literals(Signature::new([ty, INTEGER], same), 1, false, |instance| {
            let k = positive(instance, 0, "k")?;
            with_cell!(argument_type(instance, 0)?, cell => Slots::boxed(TopDistinct { cell, k }))
        })
    })
}

struct TopDistinct<C> {
    cell: C,
    k: usize,
}

impl<C: Cell> TopDistinct<C> {
    fn insert(&self, state: &mut Vec<C::Owned>, value: C::Owned) {
        let at = state.partition_point(|kept| self.cell.compare(kept, &value).is_gt());
        let known = state.get(at).is_some_and(|kept| self.cell.same(kept, &value));
        if at < self.k && !known {
            state.insert(at, value);
            state.truncate(self.k);
        }
    }
}

impl<C: Cell> Kernel for TopDistinct<C> {
    type State = Vec<C::Owned>;
    type Args<'a> = C::Column<'a>;
    type Output = Lists<C>;

    fn initial(&self) -> Vec<C::Owned> {
        Vec::new()
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<C::Column<'a>, ExprError> {
        self.cell.bind(argument(args, 0)?)
    }

    fn add(&self, state: &mut Vec<C::Owned>, column: &C::Column<'_>, row: usize, _: i64) -> Result<(), String> {
        if let Some(value) = self.cell.option(column, row) {
            self.insert(state, value);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Vec<C::Owned>, from: Vec<C::Owned>) {
        for value in from {
            self.insert(into, value);
        }
    }

    fn save(&self, state: &Vec<C::Owned>, out: &mut Vec<u8>) {
        save_count(state.len(), out);
        for value in state {
            self.cell.save(value, out);
        }
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Vec<C::Owned>> {
        let count = load_count(bytes)?;
        (0..count).map(|_| self.cell.load(bytes)).collect()
    }

    fn output(&self) -> Lists<C> {
        Lists::new(&self.cell)
    }

    fn emit(&self, state: &Vec<C::Owned>, out: &mut Lists<C>) {
        out.append(&self.cell, state.iter().map(Some));
    }

    fn finish(&self, out: Lists<C>) -> ArrayRef {
        out.finish(&self.cell)
    }
}
