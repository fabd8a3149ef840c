//! Aggregation without windows, of a stream or of a table's changes.

use arrow::array::ArrayRef;
use arrow::buffer::BooleanBuffer;
use arrow::compute::concat;
use flumen_expr::Selection;
use flumen_state::Store;

use super::{Fold, Steps, all_present, before, numbered};
use crate::chunk::{OldRows, mask, pick_columns};
use crate::evaluate::{Side, present};
use crate::operator::{Context, Inputs, Operator};
use crate::{Chunk, RuntimeError};

pub(in crate::operator) struct Plain {
    fold: Fold,
    table: bool,
}

impl Plain {
    pub fn new(fold: Fold, table: bool) -> Self {
        Plain { fold, table }
    }

    /// A slot for the key of each of these rows.
    fn assign(&mut self, chunk: &Chunk, rows: impl Iterator<Item = u32>) -> Result<Vec<u32>, RuntimeError> {
        let keys = self.fold.keys(chunk);
        let store = &mut self.fold.store;
        store.begin();
        let assigned = rows.map(|row| store.slot(keys.key(row as usize))).collect::<Result<_, _>>()?;
        self.fold.load()?;
        Ok(assigned)
    }

    fn stream(&mut self, chunk: &Chunk, ctx: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError> {
        let complete = chunk.complete_rows();
        let selection = complete.clone().map_or(Selection::All, Selection::Rows);
        let rows = complete.unwrap_or_else(|| (0..chunk.rows() as u32).collect());
        let slots = self.assign(chunk, rows.iter().copied())?;
        let args = self.fold.args(chunk, Side::New, &selection, ctx)?;
        let initial = self.fold.old.then(|| self.fold.results());
        let steps = Steps { rows, slots, ..Steps::default() };
        let results = self.fold.fold(&steps, &args, ctx)?;
        let time = |(row, slot): (&u32, &u32)| self.fold.slots.advance(*slot, chunk.timestamps.value(*row as usize));
        let times = steps.rows.iter().zip(&steps.slots).map(time).collect();
        self.fold.save();
        if self.fold.held.is_some() {
            return Ok(None);
        }
        let old = match initial {
            Some(initial) => {
                let values = before(&initial, &results, &steps.slots, self.fold.slots.len())?;
                Some(all_present(values, steps.rows.len()))
            }
            None => None,
        };
        let mut out = self.fold.output(chunk, steps.rows, times, results)?;
        out.old = old;
        Ok(Some(out))
    }

    /// Takes the old row of each change back and adds the new one; the result is emitted once a change.
    fn changes(&mut self, chunk: &Chunk, ctx: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError> {
        let count = chunk.rows() as u32;
        let has_old = |row: u32| chunk.old.as_ref().is_some_and(|o| o.present.value(row as usize));
        let has_new = |row: u32| !chunk.is_deleted(row as usize);
        let rows: Vec<u32> = (0..count).filter(|r| !chunk.has_null_key(*r as usize) && (has_old(*r) || has_new(*r))).collect();
        let slots = self.assign(chunk, rows.iter().copied())?;
        let mut args = self.fold.args(chunk, Side::New, &present(chunk, Side::New), ctx)?;
        if chunk.old.is_some() {
            let old = self.fold.args(chunk, Side::Old, &present(chunk, Side::Old), ctx)?;
            let both = |(a, b): (&ArrayRef, &ArrayRef)| Ok(concat(&[a.as_ref(), b.as_ref()])?);
            args = args.iter().zip(&old).map(both).collect::<Result<_, RuntimeError>>()?;
        }
        let initial = self.fold.results();
        let mut steps = Steps::default();
        let (mut times, mut existed, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for (row, slot) in rows.iter().copied().zip(slots.iter().copied()) {
            let time = chunk.timestamps.value(row as usize);
            let known = self.fold.slots.exists[slot as usize];
            existed.push(known);
            let first = steps.rows.len();
            if known && has_old(row) {
                steps.push(row + count, slot, true);
            }
            if has_new(row) {
                steps.push(row, slot, false);
            }
            let touched = steps.rows.len() > first;
            if let Some(last) = steps.emit.last_mut().filter(|_| touched) {
                *last = true;
            }
            ends.push(touched);
            times.push(if touched { self.fold.slots.advance(slot, time) } else { time });
        }
        let emitted = self.fold.fold(&steps, &args, ctx)?;
        self.fold.save();
        if self.fold.held.is_some() {
            return Ok(None);
        }
        // A change that took nothing back and added nothing has no result: its key is not there.
        let results = pick_columns(&emitted, &numbered(&ends))?;
        let old = match self.fold.old {
            true => {
                let values = before(&initial, &results, &slots, self.fold.slots.len())?;
                Some(OldRows { values, present: BooleanBuffer::from(existed) })
            }
            false => None,
        };
        let mut out = self.fold.output(chunk, rows, times, results)?;
        out.deleted = mask(!&BooleanBuffer::from(ends));
        out.old = old;
        Ok(Some(out))
    }
}

impl Operator for Plain {
    fn process(&mut self, inputs: Inputs, ctx: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError> {
        let Some(chunk) = inputs.left else { return Ok(None) };
        if self.table { self.changes(&chunk, ctx) } else { self.stream(&chunk, ctx) }
    }

    fn flush(&mut self) -> Result<Option<Chunk>, RuntimeError> {
        self.fold.flush(None)
    }

    fn holds_results(&self) -> bool {
        self.fold.holds_results()
    }

    fn forget(&mut self) {
        self.fold.held.iter_mut().for_each(super::Held::clear);
    }

    fn store(&mut self) -> Option<&mut Store> {
        Some(&mut self.fold.store)
    }
}

impl Steps {
    fn push(&mut self, row: u32, slot: u32, retract: bool) {
        self.rows.push(row);
        self.slots.push(slot);
        self.retract.push(retract);
        self.emit.push(false);
    }
}
