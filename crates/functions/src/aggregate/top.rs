//! TOPK: the k largest values, or the rows that have them, in descending order.

use arrow::array::ArrayRef;
use flumen_expr::ExprError;
use flumen_expr::function::{ANY, AggregateFunction, BIGINT, DOUBLE, INTEGER, Instance, Returns, STRING, Signature, array};
use flumen_types::{ColumnBuilder, Field, SqlType, Value, decode_key, encode_key, value_at};

use super::cell::{Cell, load_bytes, load_count, save_bytes, save_count, with_cell};
use super::list::Lists;
use super::slots::{Kernel, Slots};
use super::{argument, argument_type, positive};

pub(super) fn function() -> AggregateFunction {
    let start = AggregateFunction::new("TOPK", "The k largest values of a column, or the rows that have them.").composite_state();
    [INTEGER, BIGINT, DOUBLE, STRING].into_iter().fold(start, |function, ty| {
        let rows = Returns::with(array(flumen_expr::function::ANY_STRUCT), |types, _| {
            let columns = types.get(..types.len().saturating_sub(1)).unwrap_or_default();
            Ok(SqlType::array(row_type(columns)))
        });
        function.overload_with_literals(Signature::new([ty.clone(), INTEGER], array(ty.clone())), 1, false, values).overload_with_literals(
            Signature::new([ty, ANY, INTEGER], rows).variadic_at(1),
            1,
            false,
            whole_rows,
        )
    })
}

/// The sort column and the others as a struct.
fn row_type(columns: &[SqlType]) -> SqlType {
    let name = |i: usize| if i == 0 { "sort_col".to_string() } else { format!("col{}", i - 1) };
    SqlType::Struct(columns.iter().enumerate().map(|(i, ty)| Field::new(name(i), ty.clone())).collect())
}

fn values(instance: &Instance<'_>) -> Result<Box<dyn flumen_expr::Accumulators>, ExprError> {
    let k = positive(instance, 0, "k")?;
    with_cell!(argument_type(instance, 0)?, cell => Slots::boxed(TopValues { cell, k }))
}

fn whole_rows(instance: &Instance<'_>) -> Result<Box<dyn flumen_expr::Accumulators>, ExprError> {
    let k = positive(instance, 0, "k")?;
    let types = instance.types.clone();
    with_cell!(argument_type(instance, 0)?, cell => Slots::boxed(TopRows { cell, k, types }))
}

/// Where a value goes among others in descending order, behind its equals; `None` when k are larger or equal.
fn place<C: Cell, I>(cell: &C, kept: &[I], key: impl Fn(&I) -> &C::Owned, value: &C::Owned, k: usize) -> Option<usize> {
    let at = kept.partition_point(|item| cell.compare(key(item), value).is_ge());
    (at < k).then_some(at)
}

struct TopValues<C> {
    cell: C,
    k: usize,
}

impl<C: Cell> TopValues<C> {
    fn insert(&self, state: &mut Vec<C::Owned>, value: C::Owned) {
        if let Some(at) = place(&self.cell, state, |kept| kept, &value, self.k) {
            state.insert(at, value);
            state.truncate(self.k);
        }
    }
}

impl<C: Cell> Kernel for TopValues<C> {
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

struct TopRows<C> {
    cell: C,
    k: usize,
    /// Types of the sort column and the others.
    types: Vec<SqlType>,
}

/// The sort value and the whole row.
type Ranked<V> = (V, Vec<Value>);

impl<C: Cell> TopRows<C> {
    fn insert(&self, state: &mut Vec<Ranked<C::Owned>>, item: Ranked<C::Owned>) {
        if let Some(at) = place(&self.cell, state, |(kept, _)| kept, &item.0, self.k) {
            state.insert(at, item);
            state.truncate(self.k);
        }
    }
}

impl<C: Cell> Kernel for TopRows<C> {
    type State = Vec<Ranked<C::Owned>>;
    type Args<'a> = (C::Column<'a>, &'a [ArrayRef]);
    type Output = ColumnBuilder;

    fn initial(&self) -> Self::State {
        Vec::new()
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<Self::Args<'a>, ExprError> {
        Ok((self.cell.bind(argument(args, 0)?)?, args))
    }

    fn add(&self, state: &mut Self::State, (column, all): &Self::Args<'_>, row: usize, _: i64) -> Result<(), String> {
        let Some(value) = self.cell.option(column, row) else { return Ok(()) };
        if place(&self.cell, state, |(kept, _)| kept, &value, self.k).is_some() {
            let whole = all.iter().zip(&self.types).map(|(a, ty)| value_at(a.as_ref(), ty, row)).collect();
            self.insert(state, (value, whole));
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: Self::State) {
        for item in from {
            self.insert(into, item);
        }
    }

    fn save(&self, state: &Self::State, out: &mut Vec<u8>) {
        let types: Vec<&SqlType> = self.types.iter().collect();
        save_count(state.len(), out);
        for (value, whole) in state {
            self.cell.save(value, out);
            save_bytes(&encode_key(whole, &types).unwrap_or_default(), out);
        }
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Self::State> {
        let types: Vec<&SqlType> = self.types.iter().collect();
        let count = load_count(bytes)?;
        (0..count)
            .map(|_| {
                let value = self.cell.load(bytes)?;
                Some((value, decode_key(load_bytes(bytes)?, &types).ok()?))
            })
            .collect()
    }

    fn output(&self) -> ColumnBuilder {
        ColumnBuilder::new(&SqlType::array(row_type(&self.types)))
    }

    fn emit(&self, state: &Self::State, out: &mut ColumnBuilder) {
        let rows = Value::Array(state.iter().map(|(_, whole)| Value::Struct(whole.clone())).collect());
        // Kept rows come from columns of these very types.
        if out.append(&rows).is_err() {
            out.append_null();
        }
    }

    fn finish(&self, mut out: ColumnBuilder) -> ArrayRef {
        out.finish()
    }
}
