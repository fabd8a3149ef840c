//! EARLIEST_BY_OFFSET and LATEST_BY_OFFSET: the first or last values in the order of processing.
//!
//! Every value keeps the sequence number of its step, so that merged sessions keep that order.

use arrow::array::ArrayRef;
use flumen_expr::ExprError;
use flumen_expr::function::{AggregateFunction, BOOLEAN, INTEGER, Instance, Signature, T, array};
use flumen_types::Value;

use super::cell::{Cell, Fixed, load_count, save_count, with_cell};
use super::list::Lists;
use super::slots::{Kernel, Slots};
use super::{argument, argument_type, positive};

pub(super) fn earliest() -> AggregateFunction {
    function("EARLIEST_BY_OFFSET", "The first value, or the first n values, of a column.", End::Earliest)
}

pub(super) fn latest() -> AggregateFunction {
    function("LATEST_BY_OFFSET", "The last value, or the last n values, of a column.", End::Latest)
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Earliest,
    Latest,
}

fn function(name: &'static str, description: &'static str, end: End) -> AggregateFunction {
    AggregateFunction::new(name, description)
        .composite_state()
        .overload(
            Signature::new([T], T),
            false,
            move |instance| with_cell!(argument_type(instance, 0)?, cell => Slots::boxed(One { cell, end, skip_nulls: true })),
        )
        .overload_with_literals(Signature::new([T, BOOLEAN], T), 1, false, move |instance| {
            let skip_nulls = skip_nulls(instance, 0)?;
            with_cell!(argument_type(instance, 0)?, cell => Slots::boxed(One { cell, end, skip_nulls }))
        })
        .overload_with_literals(Signature::new([T, INTEGER], array(T)), 1, false, move |instance| {
            let n = positive(instance, 0, "the number of values to keep")?;
            with_cell!(argument_type(instance, 0)?, cell => Slots::boxed(Many { cell, end, n, skip_nulls: true }))
        })
        .overload_with_literals(Signature::new([T, INTEGER, BOOLEAN], array(T)), 2, false, move |instance| {
            let n = positive(instance, 0, "the number of values to keep")?;
            let skip_nulls = skip_nulls(instance, 1)?;
            with_cell!(argument_type(instance, 0)?, cell => Slots::boxed(Many { cell, end, n, skip_nulls }))
        })
}

fn skip_nulls(instance: &Instance<'_>, position: usize) -> Result<bool, ExprError> {
    match instance.init.get(position) {
        Some(Value::Boolean(skip)) => Ok(*skip),
        _ => Err(ExprError::user("whether NULLs are ignored must be TRUE or FALSE")),
    }
}

/// A value and when it came.
type Dated<V> = (i64, Option<V>);

struct One<C> {
    cell: C,
    end: End,
    skip_nulls: bool,
}

impl<C: Cell> Kernel for One<C> {
    type State = Option<Dated<C::Owned>>;
    type Args<'a> = C::Column<'a>;
    type Output = C::Builder;

    fn initial(&self) -> Self::State {
        None
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<C::Column<'a>, ExprError> {
        self.cell.bind(argument(args, 0)?)
    }

    fn add(&self, state: &mut Self::State, column: &C::Column<'_>, row: usize, sequence: i64) -> Result<(), String> {
        let null = self.cell.is_null(column, row);
        if null && self.skip_nulls || self.end == End::Earliest && state.is_some() {
            return Ok(());
        }
        match state {
            Some((seen, Some(kept))) if !null => {
                *seen = sequence;
                self.cell.replace(kept, column, row);
            }
            _ => *state = Some((sequence, self.cell.option(column, row))),
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: Self::State) {
        let (Some(kept), Some(other)) = (&*into, &from) else {
            if into.is_none() {
                *into = from;
            }
            return;
        };
        let later = other.0 > kept.0;
        if later == (self.end == End::Latest) {
            *into = from;
        }
    }

    fn save(&self, state: &Self::State, out: &mut Vec<u8>) {
        out.push(u8::from(state.is_some()));
        if let Some((sequence, value)) = state {
            sequence.put(out);
            self.cell.save_option(value.as_ref(), out);
        }
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Self::State> {
        match super::cell::take::<1>(bytes)? {
            [0] => Some(None),
            [1] => Some(Some((Fixed::take(bytes)?, self.cell.load_option(bytes)?))),
            _ => None,
        }
    }

    fn last_sequence(&self, state: &Self::State) -> i64 {
        state.as_ref().map_or(0, |(sequence, _)| *sequence)
    }

    fn output(&self) -> C::Builder {
        self.cell.builder()
    }

    fn emit(&self, state: &Self::State, out: &mut C::Builder) {
        self.cell.append(out, state.as_ref().and_then(|(_, value)| value.as_ref()));
    }

    fn finish(&self, out: C::Builder) -> ArrayRef {
        self.cell.finish(out)
    }
}

struct Many<C> {
    cell: C,
    end: End,
    n: usize,
    skip_nulls: bool,
}

impl<C: Cell> Many<C> {
    fn trim(&self, state: &mut Vec<Dated<C::Owned>>) {
        if state.len() > self.n {
            match self.end {
                End::Earliest => state.truncate(self.n),
                End::Latest => drop(state.drain(..state.len() - self.n)),
            }
        }
    }
}

impl<C: Cell> Kernel for Many<C> {
    type State = Vec<Dated<C::Owned>>;
    type Args<'a> = C::Column<'a>;
    type Output = Lists<C>;

    fn initial(&self) -> Self::State {
        Vec::new()
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<C::Column<'a>, ExprError> {
        self.cell.bind(argument(args, 0)?)
    }

    fn add(&self, state: &mut Self::State, column: &C::Column<'_>, row: usize, sequence: i64) -> Result<(), String> {
        let full = self.end == End::Earliest && state.len() >= self.n;
        if !(full || self.skip_nulls && self.cell.is_null(column, row)) {
            state.push((sequence, self.cell.option(column, row)));
            self.trim(state);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: Self::State) {
        into.extend(from);
        into.sort_by_key(|(sequence, _)| *sequence);
        self.trim(into);
    }

    fn save(&self, state: &Self::State, out: &mut Vec<u8>) {
        save_count(state.len(), out);
        for (sequence, value) in state {
            sequence.put(out);
            self.cell.save_option(value.as_ref(), out);
        }
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Self::State> {
        let count = load_count(bytes)?;
        (0..count).map(|_| Some((Fixed::take(bytes)?, self.cell.load_option(bytes)?))).collect()
    }

    fn last_sequence(&self, state: &Self::State) -> i64 {
        state.last().map_or(0, |(sequence, _)| *sequence)
    }

    fn output(&self) -> Lists<C> {
        Lists::new(&self.cell)
    }

    fn emit(&self, state: &Self::State, out: &mut Lists<C>) {
        out.append(&self.cell, state.iter().map(|(_, value)| value.as_ref()));
    }

    fn finish(&self, out: Lists<C>) -> ArrayRef {
        out.finish(&self.cell)
    }
}
