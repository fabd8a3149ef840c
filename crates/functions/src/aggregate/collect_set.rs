//! COLLECT_SET: distinct values in first-seen order, NULL among them, up to a limit.

use std::collections::HashSet;

use arrow::array::ArrayRef;
use flumen_expr::ExprError;
use flumen_expr::function::{AggregateFunction, Signature, T, array};

use super::cell::{Cell, with_cell};
use super::list::{Lists, load_items, save_items};
use super::slots::{Kernel, Slots};
use super::{argument, argument_type, size_limit};

pub(super) fn function() -> AggregateFunction {
    AggregateFunction::new("COLLECT_SET", "Gathers the distinct values, NULL included, into an ARRAY.").composite_state().overload(
        Signature::new([T], array(T)),
        false,
        |instance| {
            let limit = size_limit(instance, "collect_set")?;
            with_cell!(argument_type(instance, 0)?, cell => Slots::boxed(CollectSet { cell, limit }))
        },
    )
}

struct CollectSet<C> {
    cell: C,
    limit: usize,
}

/// The distinct values in order, and their saved forms to find them by.
struct Distinct<C: Cell> {
    items: Vec<Option<C::Owned>>,
    known: HashSet<Vec<u8>>,
}

impl<C: Cell> Clone for Distinct<C> {
    fn clone(&self) -> Self {
        Distinct { items: self.items.clone(), known: self.known.clone() }
    }
}

impl<C: Cell> CollectSet<C> {
    fn insert(&self, state: &mut Distinct<C>, value: Option<C::Owned>) {
        if state.items.len() >= self.limit {
            return;
        }
        let mut form = Vec::new();
        self.cell.save_option(value.as_ref(), &mut form);
        if state.known.insert(form) {
            state.items.push(value);
        }
    }
}

impl<C: Cell> Kernel for CollectSet<C> {
    type State = Distinct<C>;
    type Args<'a> = C::Column<'a>;
    type Output = Lists<C>;

    fn initial(&self) -> Distinct<C> {
        Distinct { items: Vec::new(), known: HashSet::new() }
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<C::Column<'a>, ExprError> {
        self.cell.bind(argument(args, 0)?)
    }

    fn add(&self, state: &mut Distinct<C>, column: &C::Column<'_>, row: usize, _: i64) -> Result<(), String> {
        self.insert(state, self.cell.option(column, row));
        Ok(())
    }

    fn merge(&self, into: &mut Distinct<C>, from: Distinct<C>) {
        for value in from.items {
            self.insert(into, value);
        }
    }

    fn save(&self, state: &Distinct<C>, out: &mut Vec<u8>) {
        save_items(&self.cell, &state.items, out);
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Distinct<C>> {
        let mut state = self.initial();
        for item in load_items(&self.cell, bytes)? {
            let mut form = Vec::new();
            self.cell.save_option(item.as_ref(), &mut form);
            state.known.insert(form);
            state.items.push(item);
        }
        Some(state)
    }

    fn output(&self) -> Lists<C> {
        Lists::new(&self.cell)
    }

    fn emit(&self, state: &Distinct<C>, out: &mut Lists<C>) {
        out.append(&self.cell, state.items.iter().map(Option::as_ref));
    }

    fn finish(&self, out: Lists<C>) -> ArrayRef {
        out.finish(&self.cell)
    }
}
